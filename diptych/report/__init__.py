"""What people look at: pages that need no server."""
