"""What every answer of the service must look like, whatever was asked."""

from __future__ import annotations

from typing import Any

import httpx


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The problem document of ``answer``, which must have this status."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "location" not in answer.headers
    document: dict[str, Any] = answer.json()
    assert {"type", "title", "status"} <= document.keys()
    assert document["status"] == status
    assert None not in document.values()
    return document
