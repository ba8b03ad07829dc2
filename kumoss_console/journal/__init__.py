"""The job journal on disk: what the service forgets, kept."""

from kumoss_console.journal.journal import Journal

__all__ = ["Journal"]
