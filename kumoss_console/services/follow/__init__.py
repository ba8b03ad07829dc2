"""Recorded jobs followed to their end, whichever console sent them."""
