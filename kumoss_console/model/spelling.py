"""Other ways to write a repository, and the https spelling of the same one. Only ``https://`` gives a key."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kumoss_console.errors import InputError
from kumoss_console.text import MASK, printable

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_MISSING_SLASHES = re.compile(r"(?i)https?:/?(?!/)(.+)", re.DOTALL)
_SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[^\]/]+\]|[^:/@\s\[\]]+):(?P<path>[^:@][^@]*)")
_LOCAL = re.compile(r"[./~\\]|[A-Za-z]:[\\/]")
# Repository transports that can be asked for the same repository over https. ``file`` and buckets cannot.
_NETWORK = frozenset({"http", "https", "ssh", "git", "git+ssh", "ssh+git", "git+https", "git+http"})
# Hosts that only speak ssh, with the host that serves the same repositories over https.
_SSH_ONLY = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com", "altssh.bitbucket.org": "bitbucket.org"}
_GETTERS = frozenset({"git", "hg", "s3", "gcs", "http", "https"})
_SHOWN_PARAMETERS = frozenset({"ref", "branch", "tag", "depth", "version", "path"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """What kind of spelling it is, in words, and the https URL of the same repository (``None`` where there is none).

    ``path`` is the root module that the spelling names beside the repository, ``note`` a caution for the reader.
    """

    kind: str
    https: str | None
    path: str = ""
    note: str = ""


class UnusableSpelling(InputError):
    """A spelling of a repository that has no key. ``https`` is the URL to use instead, ``None`` where none is known; it gives
    a key and holds no user name. ``path`` is the root module that the spelling named, empty for none."""

    def __init__(self, title: str, *, detail: str, hint: str, code: str, https: str | None, path: str = "") -> None:
        super().__init__(title, detail=detail, hint=hint, code=code)
        self.https = https
        self.path = path


def recognise(text: str) -> Spelling:
    """What ``text``, which does not begin with ``https://``, probably means. The URL never holds a user name or a port."""
    forced, separator, inner = text.partition("::")
    if separator and forced in _GETTERS:
        return _module_address(forced, inner)
    if match := _SCHEME.fullmatch(text):
        scheme = match[1].lower()
        https = _https(*_authority_and_path(match[2])) if scheme in _NETWORK else None
        return Spelling(kind="a local repository" if scheme == "file" else f"{scheme}://", https=https)
    if text.startswith("//"):
        return Spelling(kind="a URL without a scheme", https=_https(*_authority_and_path(text[2:])))
    if match := _MISSING_SLASHES.fullmatch(text):
        return Spelling(kind="a URL without its two slashes", https=_https(*_authority_and_path(match[1].lstrip("/"))))
    if _LOCAL.match(text):
        return Spelling(kind="a local path", https=None)
    if (match := _SCP.fullmatch(text)) and ("@" in text or "." in match["host"]):
        first = match["path"].lstrip("/").partition("/")[0]
        note = f" If {first} is a port, leave it out." if first.isdigit() else ""
        return Spelling(kind="the scp form of ssh", https=_https(match["host"], match["path"]), note=note)
    host, path = _authority_and_path(text)
    return Spelling(kind="a URL without a scheme", https=_https(host, path) if "." in host else None)


def _module_address(forced: str, inner: str) -> Spelling:
    address = inner.partition("?")[0]
    scheme, separator, rest = address.partition("://")
    base, _, module = rest.partition("//")
    spelled = f"{scheme}{separator}{base}"
    https = f"https://{_without_user(base)}" if scheme.lower() == "https" else recognise(spelled).https
    return Spelling(kind=f"a module address ({forced}::)", https=https if forced == "git" else None, path=module.strip("/"))


def _without_user(rest: str) -> str:
    authority, slash, path = rest.partition("/")
    return authority.rpartition("@")[2] + slash + path


def _authority_and_path(rest: str) -> tuple[str, str]:
    authority, _, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    host = authority.rpartition("@")[2]
    return host if host.endswith("]") else re.sub(r":\d*\Z", "", host), path


def _https(host: str, path: str) -> str | None:
    path = path.strip("/")
    if not host or not path:
        return None
    segments = path.split("/")
    if host.lower() in {"ssh.dev.azure.com", "vs-ssh.visualstudio.com"} and segments[0] == "v3" and len(segments) == 4:
        return f"https://dev.azure.com/{segments[1]}/{segments[2]}/_git/{segments[3]}"
    return f"https://{_SSH_ONLY.get(host.lower(), host)}/{path}"


def shown(text: str) -> str:
    """``text`` fit for an error message: printable, and nothing before an ``@`` survives, wherever it stands."""
    scheme = re.match(r"(?i)(?:[a-z0-9]+::)?(?:[a-z][a-z0-9+.-]*:/+|https?:)", text)
    start = scheme.end() if scheme else 0
    head, rest = text[:start], text[start:]
    rest = f"{MASK}@{rest.rpartition('@')[2]}" if "@" in rest else rest
    address, *tail = re.split(r"([?#])", rest)
    return printable(head + address + "".join(part if part in "?#" else masked_parameters(part) for part in tail))


def masked_parameters(query: str) -> str:
    """A query or fragment whose values are masked, but for those known to be harmless (``ref=main``)."""
    return "&".join(_masked_parameter(part) for part in query.split("&")) if query else ""


def _masked_parameter(part: str) -> str:
    name, equals, value = part.partition("=")
    if not equals:
        return MASK if len(name) > 16 else name
    return part if name.lower() in _SHOWN_PARAMETERS or not value else f"{name}={MASK}"
