"""A miniature world in the official file formats: any size, always the same, and its truth is known exactly."""
