"""The companion `evaluate` module, self-contained: this folder is what is pushed as a Space."""
