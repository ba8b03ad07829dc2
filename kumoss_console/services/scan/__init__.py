"""The whole bucket looked through."""
