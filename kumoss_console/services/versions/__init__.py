"""The history of one key, and the way back to one of its versions."""
