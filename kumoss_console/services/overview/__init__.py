"""Whether anything is wrong, at one glance."""
