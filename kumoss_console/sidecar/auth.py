"""The bearer check of everything under ``/v1``."""

from __future__ import annotations

import hashlib
import hmac


class BearerGate:
    """Compares digests in constant time. Without one nobody is asked."""

    def __init__(self, sha256: bytes | None) -> None:
        """``sha256`` is the digest of the token's UTF-8: the token itself need not be known here."""
        self._expected = sha256

    def __repr__(self) -> str:
        return f"BearerGate({'on' if self._expected else 'off'})"

    def refusal(self, authorization: bytes | None) -> str | None:
        """Why a request with this ``Authorization`` header is refused; ``None`` where it is let through."""
        if self._expected is None:
            return None
        if authorization is None:
            return "Missing Authorization header."
        scheme, _, presented = authorization.partition(b" ")
        is_bearer = scheme.lower() == b"bearer"
        matches = hmac.compare_digest(hashlib.sha256(presented.strip()).digest(), self._expected)
        return None if is_bearer and matches else "Invalid bearer token."
