"""How one thing is spelled in a listing and in a state, and the one spelling that both are compared in.

Azure does not tell upper from lower case; AWS and Google Cloud do. What is folded besides names the same thing by the provider's
own rules: the host in front of a full resource name, a project's number where it is known, a zonal cluster's location.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importids.grant import GRANT

_FULL_NAME = re.compile(r"//[^/]+/")
_LINK = re.compile(
    r"(?:https?://)?[A-Za-z0-9.-]+\.googleapis\.com(?::\d+)?/(?P<service>(?:[A-Za-z][\w.-]*/)*?)(?:v\d[A-Za-z0-9]*|alpha|beta)/"
)
"""A link to any of Google's services: a host of any region, the service where the host does not tell it, and the version."""
_NUMBERED = re.compile(r"projects/(\d+)(?=/|\Z)")
_ZONAL_CLUSTER = re.compile(r"(projects/[^/]+)/zones/([^/]+/clusters/[^/]+)\Z")

Fold = Callable[[str], str]


def folding(provider: CloudProvider, scope: str, number: str = "") -> Fold:
    """The function that gives the spelling to compare. ``number`` is the project's on Google Cloud, empty where not known."""
    if provider is CloudProvider.AZURE:
        return _azure
    if provider is CloudProvider.GCP:
        return partial(_gcp, scope=scope, number=number)
    return _aws if provider is CloudProvider.AWS else str


def numbered(spelling: str) -> str:
    """The project number that a folded Google Cloud identifier has in the place of the project's id; empty for none."""
    found = _NUMBERED.match(spelling)
    return found[1] if found else ""


def with_project(spelling: str, project: str) -> str:
    """A folded identifier with ``project`` in the place of the number it begins with."""
    return _NUMBERED.sub(f"projects/{project}", spelling, count=1)


def _azure(text: str) -> str:
    return text.lower().rstrip("/")


def _aws(text: str) -> str:
    # Both name one log group: older providers keep the form that stands for its streams as well.
    return text[:-2] if text.startswith("arn:") and text.endswith(":*") and ":log-group:" in text else text


def _gcp(text: str, *, scope: str, number: str) -> str:
    if " " in text and (grant := GRANT.fullmatch(text)) is not None:
        return f"{grant['project']}/{grant['role']}/{grant['member']}"
    if (host := _FULL_NAME.match(text) or _LINK.match(text)) is not None:
        bare = text[host.end() :] or text
        # A bucket's link has b/ before its name, and the inventory only the name.
        text = bare[2:] if bare.startswith("b/") and bare.count("/") == 1 and "storage" in host[0] else bare
    if number and f"projects/{number}" in text:
        text = re.sub(rf"projects/{re.escape(number)}(?=/|\Z)", lambda _: f"projects/{scope}", text)
    return _ZONAL_CLUSTER.sub(r"\1/locations/\2", text) if text.startswith("projects/") else text
