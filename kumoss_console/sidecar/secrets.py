"""The secrets of the service: the token that callers present, and what else of its environment must never stand in its log."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from kumoss_console.errors import ConfigError
from kumoss_console.sidecar.variables import TOKEN_FILE, TOKEN_VARIABLE
from kumoss_console.text import Secret, printable

_DIGEST = re.compile(r"sha256:([0-9a-fA-F]{64})")
# A digest that somebody meant to give: taken for a token, it would lock the callers out and let in whoever read the file.
_MEANT = re.compile(r"(?i)sha256:.*|[0-9a-f]{64}\s.*", re.DOTALL)
# The shortest value that is concealed: anything shorter is in every other word.
_LEAST = 6
_NAME = re.compile(
    r"(?i)secret|passw|passphrase|(^|_)pass$|_pwd$|token|credential|(^|_)(api|access|account|private)?_?key($|_)|(^|_)sas($|_)|connection_string"
)


def token_of(environ: Mapping[str, str]) -> tuple[Secret, bytes | None]:
    """The token, empty where only its digest is known, and its SHA-256, ``None`` where nobody is asked for one.

    Raises :class:`ConfigError` for a token that no request could ever carry, and for a file that gives none.
    """
    variable, said = TOKEN_VARIABLE, environ.get(TOKEN_VARIABLE, "")
    if not said and (path := TOKEN_FILE.read(environ)):
        variable, said = TOKEN_FILE.name, _content(path)
        if digest := _DIGEST.fullmatch(said):
            return Secret(""), bytes.fromhex(digest[1])
        if _MEANT.fullmatch(said):
            raise TOKEN_FILE.unusable(
                f"{printable(path)} holds what looks like a digest and is none",
                "Write sha256: and the 64 hexadecimal digits of the token's SHA-256, and nothing else; or the token itself.",
            )
    if said != said.strip() or not said.isprintable():
        raise ConfigError(
            f"The token of {variable} begins or ends with white space, or holds a control character.",
            detail="No request header can carry such a token, so every request would be refused.",
            hint=f"Give {variable} the token alone; a line feed at its end often comes from the file it was read from.",
            code="sidecar.token_unusable",
            key=variable,
        )
    return Secret(said), hashlib.sha256(said.encode("utf-8", "surrogateescape")).digest() if said else None


def _content(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            content = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise TOKEN_FILE.unusable(printable(str(error)), "Name a file that this service can read.") from None
    if not content:
        raise TOKEN_FILE.unusable(
            f"{printable(path)} is empty, and nobody would be asked for a token", "Put the token into it, or its digest."
        )
    return content


def secrets_in(environ: Mapping[str, str]) -> tuple[Secret, ...]:
    """What looks like a secret by the name of its variable, each line of it and, where it is JSON, what is secret in there."""
    plain = {text for name, value in environ.items() if _NAME.search(name) for text in _parts(value)}
    found = plain | {text for part in plain if len(part) >= _LEAST for text in _quoted(part)}
    return tuple(Secret(text) for text in sorted(found) if len(text) >= _LEAST)


def _quoted(text: str) -> Iterator[str]:
    """How an engine or a library writes ``text`` inside of other text."""
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield quote(text, safe="", errors="surrogateescape")
    yield quote(text, errors="surrogateescape")
    # Without its padding: what follows the text inside of a longer one changes the last characters.
    encoded = base64.b64encode(text.encode("utf-8", "surrogateescape")).decode().rstrip("=")
    yield encoded
    yield encoded.replace("+", "-").replace("/", "_")


def _parts(value: str) -> Iterator[str]:
    """A value in all forms in which it may be repeated: one line at a time at the least."""
    yield value.strip()
    yield from (line.strip() for line in value.splitlines() if len(line.strip()) > 2 * _LEAST)
    if value.lstrip().startswith("{"):
        try:
            document = json.loads(value)
        except (json.JSONDecodeError, RecursionError):
            return
        if isinstance(document, dict):
            for name, member in document.items():
                if isinstance(member, str) and _NAME.search(name):
                    yield member
                    yield from (line for line in member.splitlines() if len(line) > 2 * _LEAST)
