"""Addresses as an operator reads them."""

from __future__ import annotations

from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """Host and port of an address, without userinfo, path and query; the text itself where it is no address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "an unreadable address"
    if not host:
        return ""
    return f"{host}:{port}" if port else host
