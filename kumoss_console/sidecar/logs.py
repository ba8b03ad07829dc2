"""The service's log: one line per event on stderr, in text that no terminal obeys, without secrets; or one JSON object a line."""

from __future__ import annotations

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime

from kumoss_console.text import Secret, printable, redact

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""The request on whose behalf something happens; also a job carries that of its submission."""


class _TextFormatter(logging.Formatter):
    """The last gate: also tracebacks and the lines of libraries pass it."""

    def __init__(self, secrets: tuple[Secret, ...]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        request_id = REQUEST_ID.get()
        line = super().format(record) + (f" [request {request_id}]" if request_id else "")
        return printable(redact(line, self._secrets), newlines=True)


class _JsonFormatter(logging.Formatter):
    """``time`` (UTC), ``level``, ``logger``, ``message``, and where there is one ``request_id`` and ``exception``."""

    def __init__(self, secrets: tuple[Secret, ...]) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        event = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": self._safe(record.getMessage()),
        }
        if request_id := REQUEST_ID.get():
            event["request_id"] = request_id
        if record.exc_info:
            event["exception"] = self._safe(self.formatException(record.exc_info))
        # ASCII escapes: nothing in a line of the log is obeyed by a terminal, nor breaks the line.
        return json.dumps(event)

    def _safe(self, text: str) -> str:
        return printable(redact(text, self._secrets), newlines=True)


def configure_logging(*secrets: Secret, log_format: str = "text", level: str = "info") -> None:
    """Send the root logger to stderr, from ``level`` on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter(secrets) if log_format == "json" else _TextFormatter(secrets))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
