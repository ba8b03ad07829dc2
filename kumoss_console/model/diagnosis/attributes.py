"""What can be read out of any engine error, whatever it is about: the bucket, the key, the lock, the place in the files."""

from __future__ import annotations

import re

_KNOWN = tuple(
    re.compile(pattern)
    for pattern in (
        r"[Bb]ucket:? [\"'](?P<bucket>[^\"' ]{1,255})[\"']",
        r"Bucket: (?P<bucket>[^\"' ]{1,255}) Key: (?P<key>[^\"' ]{1,1024})",
        r"with key [\"'](?P<key>[^\"']{1,1024})[\"']",
        r"object [\"'](?P<key>[^\"']{1,1024})[\"']",
        r"with prefix [\"'](?P<prefix>[^\"']{1,1024})[\"']",
        r"\bon (?P<file>[^ :\"<]{1,300}) line (?P<line>\d{1,7})\b",
        r"\bwith (?P<address>(?:module\.|data\.|ephemeral\.)?[\w\"\[\].-]{3,300}),? on ",
        r"Lock Info: ID: (?P<lock_id>[^ ]{1,200})",
        r"Lock Info: .{0,300}\bPath: (?P<lock_path>[^ ]{1,1024})",
        r"Lock Info: .{0,400}\bOperation: (?:OperationType)?(?P<lock_operation>[A-Za-z]{1,60})",
        r"Lock Info: .{0,500}\bWho: (?P<holder>[^ ]{1,200})",
        r"Lock Info: .{0,600}\bCreated: (?P<lock_created>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)",
        r"provider (?P<provider>[\w.-]{1,100}/[\w.-]{1,100}(?:/[\w.-]{1,100})?)",
    )
)
# An error may tell of several requests: the one that a match speaks of is the last one named before it ends.
_REQUEST = tuple(
    re.compile(pattern)
    for pattern in (
        r"operation error (?P<service>[\w ]{1,40}): (?P<operation>\w{1,60})",
        r"(?:StatusCode:|unexpected status) (?P<status>\d{3})\b",
        r"(?:Get|Put|Head|Post|GET|PUT|HEAD|POST|Delete) \"?(?P<url>https?://[^\"\s]{1,400})",
    )
)
_HOST = re.compile(r"https?://(?:[^/@\s]{1,200}@)?(?P<endpoint>[^/\s?\"]{1,255})")


def attributes_of(flat: str, end: int) -> dict[str, str]:
    """Attributes of a flat block by name, for a match that ends at ``end``; the first place that has one counts."""
    found: dict[str, str] = {}
    for pattern in _KNOWN:
        _keep(found, pattern.search(flat))
    for pattern in _REQUEST:
        before = list(pattern.finditer(flat, 0, end))
        _keep(found, before[-1] if before else pattern.search(flat, end))
    if "url" in found and (host := _HOST.match(found["url"])):
        found["endpoint"] = host["endpoint"]
    if "file" in found:
        found["place"] = f"{found['file']}:{found['line']}"
    return found


def _keep(found: dict[str, str], match: re.Match[str] | None) -> None:
    for name, value in match.groupdict().items() if match else ():
        if value and name not in found:
            found[name] = value.rstrip(",.;")
