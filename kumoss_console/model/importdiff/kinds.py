"""What kind of thing an identifier names, and whether a listing of the scope could show it at all.

Source: what the contract's scope listing leaves out on purpose, by type, name and place. What it leaves out by tags or labels
an identifier does not tell.
"""

from __future__ import annotations

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importids.grant import WHOLE_GRANT, is_services_own

_GROUP = "microsoft.resources/subscriptions/resourcegroups"
_SERVICE_BUCKETS = ("dataproc-staging-", "dataproc-temp-", "gcf-sources-", "gcf-v2-", "run-sources-")
_PREFIXES = {
    CloudProvider.AZURE: ("azurerm_", "azapi_"),
    CloudProvider.GCP: ("google_",),
    CloudProvider.AWS: ("aws_", "awscc_"),
}
OFTEN_TAGGED = frozenset(
    {
        "ec2:instance",
        "ec2:launch-template",
        "ec2:security-group",
        "ec2:subnet",
        "ec2:volume",
        "ec2:vpc",
        "eks:cluster",
        "eks:nodegroup",
        "autoscaling:autoScalingGroup",
        "elasticloadbalancing:loadbalancer",
        "elasticloadbalancing:targetgroup",
        "microsoft.insights/components",
        "microsoft.insights/webtests",
        "microsoft.web/sites",
    }
)
"""Kinds whose members bear, one by one, tags that a listing passes over: a subnet of a cluster does, the next one does not."""


def kind_of(provider: CloudProvider, spelling: str) -> str:
    """A short name of the kind, in the cloud's own terms: ``microsoft.storage/storageaccounts``, ``ec2:subnet``,
    ``zones/instances``. Empty where the identifier has not the form that the cloud's listing has. ``spelling`` is folded."""
    if provider is CloudProvider.AZURE:
        return _azure(spelling)
    if provider is CloudProvider.GCP:
        return _gcp(spelling)
    return _aws(spelling) if provider is CloudProvider.AWS else ""


def is_foreign(provider: CloudProvider, type_: str) -> bool:
    """Whether a resource of that type belongs to another provider. An unknown type is nobody's: false."""
    prefixes = _PREFIXES.get(provider, ())
    return bool(type_ and prefixes) and not type_.startswith(prefixes)


def outside(provider: CloudProvider, scope: str, spelling: str) -> str:
    """The other subscription, project or account that the identifier belongs to; empty where it is this scope's or tells none."""
    if provider is CloudProvider.AWS:
        parts = spelling.split(":", 5)
        return parts[4] if len(parts) == 6 and parts[4].isdigit() and parts[4] != scope else ""
    if provider is CloudProvider.GCP and (grant := WHOLE_GRANT.fullmatch(spelling)) is not None:
        return grant["project"] if grant["project"] != scope else ""
    word = "/subscriptions/" if provider is CloudProvider.AZURE else "projects/"
    if provider not in {CloudProvider.AZURE, CloudProvider.GCP} or not spelling.startswith(word):
        return ""
    named = spelling[len(word) :].partition("/")[0]
    same = named == scope.lower() if provider is CloudProvider.AZURE else named == scope
    return "" if same else named


def left_out(provider: CloudProvider, kind: str, spelling: str, scope: str) -> str:
    """Why a scope listing never shows it, as far as the identifier tells; empty where it can."""
    if provider is CloudProvider.AZURE:
        return _left_out_of_azure(kind, spelling)
    if provider is CloudProvider.AWS:
        if kind == "ec2:network-interface":
            return "network interfaces are left out"
        service_role = ":role/aws-service-role/" in spelling or ":role/aws-reserved/sso.amazonaws.com/" in spelling
        return "roles of AWS services are left out" if service_role else ""
    if provider is CloudProvider.GCP:
        last = spelling.rpartition("/")[2]
        if last.startswith("gke-"):
            return "names that begin with gke- are left out"
        if kind == "bucket" and (last.startswith(_SERVICE_BUCKETS) or last.endswith("_cloudbuild")):
            return "buckets of Google's services are left out"
        if kind == "grant" and (grant := WHOLE_GRANT.fullmatch(spelling)) and is_services_own(grant["member"], scope):
            return "grants to accounts of Google's services are left out"
        return "projects themselves are left out" if kind == "projects" else ""
    return ""


def group_of(spelling: str) -> str:
    """The resource group that a folded Azure identifier lies in or is; empty for none."""
    parts = spelling.split("/")
    return parts[4] if len(parts) > 4 and parts[3] == "resourcegroups" else ""


def _left_out_of_azure(kind: str, spelling: str) -> str:
    group = spelling.split("/")[4] if spelling.count("/") >= 4 else ""
    if group.startswith("mc_") or group == "networkwatcherrg":
        return "the groups that AKS and Network Watcher make are left out"
    if kind == "microsoft.alertsmanagement/smartdetectoralertrules":
        return "smart detector rules are left out"
    if kind != _GROUP and not spelling.startswith("/subscriptions/"):
        return "what belongs to no subscription is left out"
    return ""


def _azure(spelling: str) -> str:
    before, found, rest = spelling.rpartition("/providers/")
    parts = spelling.split("/")
    if not found:
        return _GROUP if len(parts) == 5 and parts[1] == "subscriptions" and parts[3] == "resourcegroups" else ""
    namespace, *pairs = rest.split("/")
    if not before.startswith("/subscriptions/") or len(pairs) < 2:
        return ""
    return "/".join((namespace, *pairs[::2]))


def _aws(spelling: str) -> str:
    parts = spelling.split(":", 5)
    if len(parts) != 6 or parts[0] != "arn":
        return ""
    resource = parts[5].lstrip("/")
    ends = [at for at in (resource.find("/"), resource.find(":")) if at > 0]
    return f"{parts[2]}:{resource[: min(ends)]}" if ends else parts[2]


def _gcp(spelling: str) -> str:
    if "/" not in spelling:
        return "bucket" if spelling and not spelling.isdigit() else ""
    if not spelling.startswith("projects/"):
        return "grant" if spelling.partition("/")[2].startswith(("roles/", "projects/", "organizations/")) else ""
    collections: list[str] = []
    parts = iter(spelling.split("/")[2:])
    for part in parts:
        collections.append(part)
        if part != "global":
            next(parts, None)
    return "/".join(collections) or "projects"
