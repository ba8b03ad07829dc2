"""The way back to a version: planned, pinned to what was active then, and told as commands. Nobody runs them from here."""
