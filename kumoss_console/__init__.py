"""kumoss-console: what is this job doing, which state is active, who holds this lock."""

__version__ = "0.1.0"
