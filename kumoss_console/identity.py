"""Who works here, for what is done on a person's word."""

from __future__ import annotations

import getpass
import os
import socket


def identity() -> str:
    """``user@host``."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname().partition('.')[0]}"
