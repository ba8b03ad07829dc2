"""An ``https://`` repository URL in parts, as the core's own parser would cut it.

Spelled out here instead of leaning on ``urllib``, whose treatment of tabs and brackets differs between Python versions and
which raises on some inputs. What ``urllib`` would choke on, or git could never fetch, is refused.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address

from kumoss_console.errors import InputError
from kumoss_console.model.fields import trimmed
from kumoss_console.model.spelling import UnusableSpelling, masked_parameters, shown
from kumoss_console.text import MASK, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlParts:
    """A URL in parts, still as typed. ``None`` is absent where empty would be something else. No user name, no password."""

    scheme: str
    dropped_user: tuple[str, ...]
    host: str
    brackets: bool
    port: str | None
    path: str
    params: str | None
    query: str | None
    fragment: str | None

    @property
    def address(self) -> str:
        return f"[{self.host}]" if self.brackets else self.host

    @property
    def authority(self) -> str:
        user = f"{MASK}@" if self.dropped_user else ""
        return f"{user}{self.address}" + ("" if self.port is None else f":{self.port}")

    @property
    def dropped_tail(self) -> tuple[str, ...]:
        tail = (("parameters ;", self.params), ("query ?", self.query), ("fragment #", self.fragment))
        return tuple(f"{name}{masked_parameters(value)}" for name, value in tail if value is not None)

    @property
    def tail(self) -> str:
        return "".join(text[text.index(" ") + 1 :] for text in self.dropped_tail)


def split_url(text: str) -> UrlParts:
    """The parts of ``text``, which begins with ``https://`` in any case. Raises :class:`InputError` without any secret."""
    scheme, rest = text[:8], text[8:]
    authority, remainder = _cut(rest, "/?#")
    userinfo, at, server = authority.rpartition("@")
    before_fragment, hash_, fragment = remainder.partition("#")
    before_query, mark, query = before_fragment.partition("?")
    semicolon = before_query.find(";", before_query.rfind("/") + 1)
    host, brackets, port = _server(text, authority, server)
    if port and not at and "@" in remainder:
        raise InputError(
            "the host of repo cannot be told from a password",
            detail=f"In {shown(text)} an '@' stands behind a ':' and a '/', '?' or '#'.",
            hint="Leave user name, password and port out: none of them is part of the key.",
            code="key.unclear_credentials",
        )
    if port and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536):
        # ``https://host:team/infra`` is half the scp form: what stands behind the colon is path.
        path = before_query if port.isdigit() else f"/{port}{before_query}"
        raise _not_a_url(text, "its port is not a number from 1 to 65535", f"https://{host}{path}")
    return UrlParts(
        scheme=scheme,
        dropped_user=_user_in_words(userinfo) if at else (),
        host=host,
        brackets=brackets,
        port=port,
        path=before_query if semicolon < 0 else before_query[:semicolon],
        params=None if semicolon < 0 else before_query[semicolon + 1 :],
        query=query if mark else None,
        fragment=fragment if hash_ else None,
    )


def _user_in_words(userinfo: str) -> tuple[str, ...]:
    return ("user name", "password") if ":" in userinfo else ("user name",)


def _cut(text: str, marks: str) -> tuple[str, str]:
    index = min((found for mark in marks if (found := text.find(mark)) >= 0), default=len(text))
    return text[:index], text[index:]


def _server(text: str, authority: str, server: str) -> tuple[str, bool, str | None]:
    """Host, whether it stood in brackets, port as typed. ``text`` is for the error."""
    brackets = server.startswith("[")
    host, closing, behind = server[1:].partition("]") if brackets else ("", "", server)
    if brackets and not (closing and _is_ipv6(host) and behind[:1] in {"", ":"}):
        raise _not_a_url(text, "its host in brackets is not an IPv6 address")
    name, colon, port = behind.partition(":")
    host = host if brackets else name
    if not host:
        raise _not_a_url(text, "it names no host")
    if "\\" in authority:
        # The userinfo is left out of the suggestion with everything else that stands before an '@'.
        usual = "https://" + text[8:].rpartition("@")[2].replace("\\", "/")
        raise _not_a_url(text, "a backslash is no slash (it is ambiguous: some readers take it for one)", usual)
    if any(char.isspace() or printable(char) != char for char in host):
        raise _not_a_url(text, "its host holds white space or characters that are not shown")
    if re.search(r"[\[\]]", authority.replace(server, "", 1) if brackets else authority):
        raise _not_a_url(text, "it has brackets outside an IPv6 host")
    plain = re.sub(r"[@:]", "", authority)
    if set(unicodedata.normalize("NFKC", plain)) & set("/?#@:"):
        raise _not_a_url(text, "it holds a character that stands for a URL's punctuation")
    return host, brackets, port if colon else None


def _is_ipv6(host: str) -> bool:
    try:
        IPv6Address(host)
    except AddressValueError:
        return False
    return True


def _not_a_url(text: str, why: str, suggestion: str | None = None) -> InputError:
    usable = suggestion if suggestion is not None and is_usable(suggestion) else None
    return UnusableSpelling(
        f"repo is not a usable https URL: {why}",
        detail=shown(text),
        hint=f"Did you mean {printable(usable)}" if usable else "Write it as https://HOST/PATH.",
        code="key.bad_url",
        https=usable,
    )


def is_usable(url: str) -> bool:
    """Whether a suggestion would give a key. What holds an '@' may hold a password: it is never repeated."""
    if "@" in url:
        return False
    try:
        split_url(trimmed("repo", url))
    except InputError:
        return False
    return True
