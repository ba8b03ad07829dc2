"""What Resource Explorer lists of an AWS account, without what AWS and its services keep there for themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kumoss_console.sidecar.discovery.fields import objects, text

_INTERFACE = "ec2:network-interface"
_SERVICE_ROLES = (":role/aws-service-role/", ":role/aws-reserved/sso.amazonaws.com/")
_SERVICE_TAGS = (
    "aws:",
    "eks:",
    "kubernetes.io/",
    "k8s.io/",
    "alpha.eksctl.io/",
    "elbv2.k8s.aws/",
    "ingress.k8s.aws/",
    "service.k8s.aws/",
)


def resource_arn(resource: Mapping[str, Any], account: str) -> str | None:
    """The ARN of a resource, ``None`` where it is nothing that somebody would import.

    A view that does not show tags hides none: what its tags would tell is then not known here.
    """
    arn = text(resource, "Arn")
    if not arn or text(resource, "OwningAccountId") != account or text(resource, "ResourceType") == _INTERFACE:
        return None
    if any(path in arn for path in _SERVICE_ROLES) or _is_services(resource):
        return None
    return arn


def _is_services(resource: Mapping[str, Any]) -> bool:
    return any(
        text(tag, "Key").startswith(_SERVICE_TAGS)
        for shown in objects(resource, "Properties")
        if text(shown, "Name") == "tags"
        for tag in objects(shown, "Data")
    )
