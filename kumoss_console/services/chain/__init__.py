"""A workspace taken from init to apply."""
