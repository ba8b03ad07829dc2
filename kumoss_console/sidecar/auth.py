"""The bearer check of everything under ``/v1``."""

from __future__ import annotations

import hmac

from kumoss_console.text import Secret


class BearerGate:
    """Compares in constant time, over bytes. An empty token means that nobody is asked."""

    def __init__(self, token: Secret) -> None:
        self._expected = token.reveal().encode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        return f"BearerGate({'on' if self._expected else 'off'})"

    def refusal(self, authorization: bytes | None) -> str | None:
        """Why a request with this ``Authorization`` header is refused; ``None`` where it is let through."""
        if not self._expected:
            return None
        if authorization is None:
            return "Missing Authorization header."
        scheme, _, presented = authorization.partition(b" ")
        is_bearer = scheme.lower() == b"bearer"
        matches = hmac.compare_digest(presented.strip(), self._expected)
        return None if is_bearer and matches else "Invalid bearer token."
