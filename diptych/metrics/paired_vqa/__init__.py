"""The `evaluate` module, self-contained: this folder is published as a Space."""
