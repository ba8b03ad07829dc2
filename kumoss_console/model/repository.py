"""A repository URL -> ``host/path``, the first of the three hashed lines.

The rule is the core's: the host without user, port and brackets, the path without query, fragment, last-segment parameters,
outer slashes and one ``.git``, all in lower case; nothing is decoded or resolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kumoss_console.errors import InputError
from kumoss_console.model.fields import Reading, Trail, ambiguous, doubts_of_characters, doubts_of_edges, remark, trimmed
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.spelling import UnusableSpelling, recognise, shown
from kumoss_console.model.url import UrlParts, is_usable, split_url
from kumoss_console.text import MASK, printable

_HTTPS = re.compile(r"(?i)https://")
# Escapes of characters that need none, and of the slash: a decoding reader would see another repository.
_ESCAPES = re.compile(r"(?i)%(?:2[DEF]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)")


def read_repository(raw: str) -> Reading:
    """``host/path`` of an ``https://`` URL with every step. Raises :class:`InputError` for every other spelling."""
    text = trimmed("repo", raw)
    if not text:
        raise InputError("repo is empty", hint="Give the https URL of the repository.", code="key.repo_empty")
    if not _HTTPS.match(text):
        raise _refusal(text)
    parts = split_url(text.replace("\t", ""))
    bare = parts.path.strip("/")
    stripped = bare.removesuffix(".git").strip("/")
    value = f"{parts.host}/{stripped}".lower()
    return Reading(
        value=value,
        steps=_trail(raw, text, parts).steps(),
        findings=(
            *doubts_of_edges("repo", raw),
            *_doubts_of_tabs(text),
            *_doubts_of_address(parts),
            *_doubts_of_path(bare, stripped),
            *doubts_of_characters("repo", value),
        ),
    )


def _refusal(text: str) -> InputError:
    if _HTTPS.match("".join(char for char in text if printable(char) == char)):
        return InputError(
            "repo begins with characters that are not shown",
            detail=shown(text),
            hint="Type the beginning by hand instead of pasting it.",
            code="key.not_https",
        )
    spelling = recognise(text)
    usable = spelling.https if spelling.https is not None and is_usable(spelling.https) else None
    path = f" with the path {spelling.path}" if spelling.path else ""
    instead = (
        f"Use {printable(usable + path)}.{spelling.note}" if usable else "Use the URL, beginning with https://, that serves it."
    )
    return UnusableSpelling(
        f"only https:// repositories have a key; this is {printable(spelling.kind)}",
        detail=shown(text),
        hint=instead,
        code="key.not_https",
        https=usable,
        path=spelling.path if usable else "",
    )


def _trail(raw: str, text: str, parts: UrlParts) -> Trail:
    secret = bool(parts.dropped_user or parts.dropped_tail)
    typed = f"{parts.scheme}{parts.authority}{parts.path}{parts.tail}"
    trail = Trail("repo", f"{raw[: len(raw) - len(raw.lstrip())]}{typed}{raw[len(raw.rstrip()) :]}" if secret else raw)
    outer = ("white space around",) if raw != text else ()
    trail.to(
        typed,
        "white space around a URL and tabs inside it are no part of it",
        *outer,
        *(("tabs inside",) if "\t" in text else ()),
    )
    trail.to(f"{parts.authority}{parts.path}{parts.tail}", "the scheme is not hashed", f"scheme {parts.scheme}")
    trail.to(f"{parts.authority}{parts.path}", "only the path says which repository", *parts.dropped_tail)
    server = parts.authority.removeprefix(f"{MASK}@")
    trail.to(f"{server}{parts.path}", "who asks does not matter", *parts.dropped_user)
    if parts.port is not None:
        trail.to(f"{parts.address}{parts.path}", "the port is not hashed", f"port {parts.port}" if parts.port else "empty port")
    if parts.brackets:
        trail.to(f"{parts.host}{parts.path}", "an IPv6 address is hashed bare", "brackets")
    path, slashes = parts.path.strip("/"), _outer_slashes(parts.path)
    trail.to(f"{parts.host}/{path}", "slashes around the path go", *slashes)
    if path.endswith(".git"):
        path = path.removesuffix(".git").strip("/")
        trail.to(f"{parts.host}/{path}", "one .git at the end goes, in lower case only, then slashes before it", ".git suffix")
    whole = f"{parts.host}/{path}"
    trail.to(whole.lower(), "host and path in lower case", *(("upper case",) if whole != whole.lower() else ()))
    return trail


def _outer_slashes(path: str) -> tuple[str, ...]:
    """The first slash only parts host and path; every other one around the path is dropped."""
    inner = path.removeprefix("/")
    leading = len(inner) - len(inner.lstrip("/"))
    trailing = len(inner) - len(inner.rstrip("/")) if inner.strip("/") else 0
    named = ((leading, "leading"), (trailing, "trailing"))
    return tuple(f"{where} {'slash' if count == 1 else 'slashes'}" for count, where in named if count)


def _doubts_of_tabs(text: str) -> Iterator[Finding]:
    if "\t" in text:
        yield ambiguous("tab", "repo", "the URL has a tab inside; it was dropped, as the core's URL parser does")


def _doubts_of_address(parts: UrlParts) -> Iterator[Finding]:
    if parts.dropped_user:
        yield remark(
            "credentials_in_url",
            "repo",
            "the URL holds a user name, a password or a token; the core's API refuses such a URL",
            "Leave it out: it is not part of the key. A token that was pasted somewhere is best renewed.",
            severity=Severity.WARNING,
        )
    if parts.port == "":
        yield ambiguous("empty_port", "repo", "a ':' without a port stands behind the host; it was dropped")
    elif parts.port not in {None, "443"}:
        yield remark("port_dropped", "repo", f"port {parts.port} is not hashed: two servers on this host share keys")
    if parts.host.endswith("."):
        yield ambiguous("root_dot", "repo", "the host ends with the root dot of DNS; it stays, so this is another project")
    if parts.brackets:
        yield ambiguous("brackets", "repo", "the host is an IPv6 address; it is hashed without its brackets")
    if not parts.host.isascii():
        yield ambiguous("host_script", "repo", "the host is not in ASCII; it is hashed as typed, not in its xn-- form")
    for name, value in (("parameters", parts.params), ("query", parts.query), ("fragment", parts.fragment)):
        if value is not None:
            yield ambiguous(name, "repo", f"the URL has a {name} part; it was dropped before the .git suffix was looked for")


def _doubts_of_path(bare: str, stripped: str) -> Iterator[Finding]:
    if not stripped and bare:
        yield ambiguous("empty_repository", "repo", "nothing is left of the path: the key is that of the bare host")
    elif not stripped:
        yield remark("no_repository", "repo", "the URL names a host and no repository", severity=Severity.WARNING)
    if stripped.lower().endswith(".git"):
        yield ambiguous(
            "git_suffix", "repo", "one .git in lower case is dropped and this is another: it stays, so this is another project"
        )
    if any(segment in {".", ".."} for segment in stripped.split("/")):
        yield ambiguous("dot_segment", "repo", "the URL's path has '.' or '..' segments; they are hashed, not resolved")
    if "//" in stripped:
        yield ambiguous("double_slash", "repo", "the URL's path has a double slash inside; it stays")
    if _ESCAPES.search(stripped):
        yield ambiguous("escape", "repo", "the URL's path has an escape of a plain character; escapes are not decoded")
    if re.search(r"\s", stripped):
        yield ambiguous("blank", "repo", "the URL's path has white space inside; it stays, so %20 is another project")
    if "\\" in stripped:
        yield ambiguous("backslash", "repo", "the URL's path has a backslash; it is no separator")
    if stripped != stripped.lower():
        yield remark(
            "case_dropped", "repo", "upper case in the path is not hashed: repositories that differ only in case share a key"
        )
