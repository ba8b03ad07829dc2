"""The service's log: one line per event on stderr, in text that no terminal obeys, without secrets."""

from __future__ import annotations

import logging
import sys

from kumoss_console.text import Secret, printable, redact


class _SafeFormatter(logging.Formatter):
    """The last gate: also tracebacks and the lines of libraries pass it."""

    def __init__(self, secrets: tuple[Secret, ...]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        return printable(redact(super().format(record), self._secrets), newlines=True)


def configure_logging(*secrets: Secret) -> None:
    """Send the root logger to stderr, from INFO on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_SafeFormatter(secrets))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
