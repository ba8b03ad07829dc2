"""Google Cloud's asset names into what an import takes.

A listing drops the service from an asset's name, so a path may be that of several services: such a row is a guess. Source: the
section *Import* of each type's page in the Google provider's documentation.
"""

from __future__ import annotations

import re
from functools import cache

from kumoss_console.model.importids.grant import GRANT
from kumoss_console.model.importids.known import Known

_ZONAL_CLUSTERS = "zones/clusters"
_TABLE: tuple[tuple[str, str, str], ...] = (
    # collections below the project, resource type, why that is a guess (empty: it is none)
    ("datasets", "google_bigquery_dataset", ""),
    ("datasets/tables", "google_bigquery_table", ""),
    ("global/addresses", "google_compute_global_address", ""),
    ("global/backendBuckets", "google_compute_backend_bucket", ""),
    ("global/backendServices", "google_compute_backend_service", ""),
    ("global/firewalls", "google_compute_firewall", ""),
    ("global/forwardingRules", "google_compute_global_forwarding_rule", ""),
    ("global/healthChecks", "google_compute_health_check", ""),
    ("global/images", "google_compute_image", ""),
    ("global/instanceTemplates", "google_compute_instance_template", ""),
    ("global/networks", "google_compute_network", ""),
    ("global/routes", "google_compute_route", ""),
    ("global/securityPolicies", "google_compute_security_policy", ""),
    ("global/snapshots", "google_compute_snapshot", ""),
    ("global/sslCertificates", "google_compute_ssl_certificate", "a managed one has a type of its own"),
    ("global/targetHttpProxies", "google_compute_target_http_proxy", ""),
    ("global/targetHttpsProxies", "google_compute_target_https_proxy", ""),
    ("global/urlMaps", "google_compute_url_map", ""),
    ("locations/clusters", "google_container_cluster", "AlloyDB has such names too"),
    ("locations/functions", "google_cloudfunctions2_function", "the first generation has a type of its own"),
    ("locations/keyRings", "google_kms_key_ring", ""),
    ("locations/keyRings/cryptoKeys", "google_kms_crypto_key", ""),
    ("locations/repositories", "google_artifact_registry_repository", "Dataform has such names too"),
    ("locations/services", "google_cloud_run_v2_service", "it may be a google_cloud_run_service, or of another service"),
    ("managedZones", "google_dns_managed_zone", ""),
    ("regions/addresses", "google_compute_address", ""),
    ("regions/forwardingRules", "google_compute_forwarding_rule", ""),
    ("regions/routers", "google_compute_router", ""),
    ("regions/subnetworks", "google_compute_subnetwork", ""),
    ("secrets", "google_secret_manager_secret", ""),
    ("subscriptions", "google_pubsub_subscription", ""),
    ("topics", "google_pubsub_topic", ""),
    (_ZONAL_CLUSTERS, "google_container_cluster", ""),
    ("zones/disks", "google_compute_disk", ""),
    ("zones/instanceGroupManagers", "google_compute_instance_group_manager", ""),
    ("zones/instances", "google_compute_instance", ""),
)
# Of these the type is clear while the import wants what the name does not hold, or the other way round.
_NO_IMPORT_ID: tuple[tuple[str, str, str], ...] = (
    ("instances", "", "instances of Cloud SQL, Spanner and Bigtable have such names"),
    ("serviceAccounts", "google_service_account", "the inventory names it by number, an import takes its e-mail address"),
)
_CONDITION = "the listing does not tell a condition: an import of a grant under one takes its title behind the member"
_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")


@cache
def _rows() -> dict[str, tuple[str, str, bool]]:
    rows = {path: (type_, doubt, True) for path, type_, doubt in _TABLE}
    return rows | {path: (type_, doubt, False) for path, type_, doubt in _NO_IMPORT_ID}


def read_asset(name: str) -> Known | None:
    """What an import of that asset takes; ``None`` for one that no row knows."""
    if (grant := GRANT.fullmatch(name)) is not None:
        role, member = grant["role"].rpartition("/")[2], grant["member"].rpartition(":")[2]
        return Known("google_project_iam_member", name, f"{role}_{member.partition('@')[0]}", False, _CONDITION)
    if "/" not in name:
        return Known("google_storage_bucket", name, name) if _BUCKET.fullmatch(name) else None
    path = collections_of(name)
    row = _rows().get(path)
    if row is None:
        return None
    type_, doubt, importable = row
    last = name.rpartition("/")[2]
    if "serviceAccounts" in path and "@" in last:
        return Known(type_, name, last.partition("@")[0])
    # An import takes a zonal cluster by its location, as any other.
    taken = name.replace("/zones/", "/locations/", 1) if path == _ZONAL_CLUSTERS else name
    return Known(type_, taken if importable else None, last, not doubt, doubt)


def collections_of(name: str) -> str:
    """``zones/instances`` of ``projects/p/zones/z/instances/i``; empty for what is no whole name of something in a project."""
    parts = name.split("/")
    if parts[0] != "projects" or len(parts) < 4 or not all(parts):
        return ""
    collections: list[str] = []
    rest = iter(parts[2:])
    for part in rest:
        collections.append(part)
        if part != "global" and next(rest, None) is None:
            return ""
    return "/".join(collections)


def type_at(path: str) -> str | None:
    """The type that a row has for these collections, empty where it leaves that open; ``None`` where there is no row."""
    row = _rows().get(path)
    return row[0] if row is not None else None
