"""What of a Google Cloud project counts, and how it is called.

Cloud Asset Inventory names an asset by its full resource name, with the project's number in it; an import wants the name
without the host, and the project's id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kumoss_console.sidecar.discovery.fields import mapping, objects, text, texts

_PROJECTS = frozenset({"cloudresourcemanager.googleapis.com/Project", "compute.googleapis.com/Project"})
_BUCKET = "storage.googleapis.com/Bucket"
# Buckets and names that services of Google make for themselves.
_SERVICE_BUCKETS = ("dataproc-staging-", "dataproc-temp-", "gcf-sources-", "gcf-v2-", "run-sources-")
_BUILD_BUCKET = "_cloudbuild"
_CLUSTER_MEMBER = "gke-"
_SERVICE_LABEL = "goog-"

_ACCOUNT = "serviceAccount:"
_ACCOUNT_HOST = ".gserviceaccount.com"


def asset_id(asset: Mapping[str, Any], project: str, number: str) -> str | None:
    """The identifier of an asset, ``None`` where it is nothing that somebody would import."""
    name = text(asset, "name")
    kind = text(asset, "assetType")
    last = name.rpartition("/")[2]
    if not name or kind in _PROJECTS or last.startswith(_CLUSTER_MEMBER):
        return None
    if any(key.startswith(_SERVICE_LABEL) for key in mapping(asset, "labels")):
        return None
    if kind == _BUCKET and (last.startswith(_SERVICE_BUCKETS) or last.endswith(_BUILD_BUCKET)):
        return None
    return normalised(name, project, number)


def normalised(name: str, project: str, number: str) -> str:
    """``name`` without scheme and host, and with the project's id where its ``number`` stood; an empty number stands nowhere."""
    if name.startswith("//"):
        name = name[2:].partition("/")[2] or name
    if not number:
        return name
    name = name.replace(f"projects/{number}/", f"projects/{project}/")
    if name.endswith(f"projects/{number}"):
        name = f"{name.removesuffix(number)}{project}"
    return name


def grants(policy: Mapping[str, Any], project: str) -> Iterator[str]:
    """``<project> <role> <member>`` of each grant that somebody made; the conditions of a binding do not tell grants apart."""
    for binding in objects(policy, "bindings"):
        role = text(binding, "role")
        if role:
            yield from (f"{project} {role} {member}" for member in texts(binding, "members") if _somebodys(member, project))


def _somebodys(member: str, project: str) -> bool:
    """Whether a member is no deleted one, and no service agent or default account of Google's."""
    if not member or member.startswith("deleted:"):
        return False
    if member.startswith(_ACCOUNT) and member.endswith(_ACCOUNT_HOST):
        return member.endswith(f"@{project}.iam{_ACCOUNT_HOST}")
    return True
