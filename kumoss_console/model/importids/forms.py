"""Whole identifiers of the kinds that a listing shows, and the resource types whose own identifier is one.

A text that only begins like such an identifier is none: the alias of a function, the stream of a log group, an association of
two Azure resources. Types that are not here may share a form with another thing, and say nothing of what a listing shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importids.aws import row_of
from kumoss_console.model.importids.azure import form_type
from kumoss_console.model.importids.gcp import collections_of, type_at
from kumoss_console.model.importids.grant import WHOLE_GRANT

_SAME: dict[str, tuple[str, ...]] = {
    # the type of a table, and others whose own identifier has the same form
    "aws_ami": ("aws_ami_copy", "aws_ami_from_instance"),
    "aws_db_instance": ("aws_rds_cluster_instance", "aws_docdb_cluster_instance", "aws_neptune_cluster_instance"),
    "aws_db_subnet_group": ("aws_docdb_subnet_group", "aws_neptune_subnet_group"),
    "aws_ebs_snapshot": ("aws_ebs_snapshot_copy",),
    "aws_kms_key": ("aws_kms_external_key", "aws_kms_replica_key"),
    "aws_lb": ("aws_alb",),
    "aws_lb_listener": ("aws_alb_listener",),
    "aws_lb_listener_rule": ("aws_alb_listener_rule",),
    "aws_lb_target_group": ("aws_alb_target_group",),
    "aws_msk_cluster": ("aws_msk_serverless_cluster",),
    "aws_network_acl": ("aws_default_network_acl",),
    "aws_opensearch_domain": ("aws_elasticsearch_domain",),
    "aws_rds_cluster": ("aws_docdb_cluster", "aws_neptune_cluster"),
    "aws_rds_cluster_parameter_group": ("aws_docdb_cluster_parameter_group", "aws_neptune_cluster_parameter_group"),
    "aws_route_table": ("aws_default_route_table",),
    "aws_security_group": ("aws_default_security_group",),
    "aws_subnet": ("aws_default_subnet",),
    "aws_vpc": ("aws_default_vpc",),
    "aws_vpc_dhcp_options": ("aws_default_vpc_dhcp_options",),
    "azurerm_cdn_frontdoor_profile": ("azurerm_cdn_profile",),
    "azurerm_linux_virtual_machine": ("azurerm_windows_virtual_machine", "azurerm_virtual_machine"),
    "azurerm_linux_virtual_machine_scale_set": (
        "azurerm_windows_virtual_machine_scale_set",
        "azurerm_orchestrated_virtual_machine_scale_set",
        "azurerm_virtual_machine_scale_set",
    ),
    "azurerm_linux_web_app": (
        "azurerm_windows_web_app",
        "azurerm_linux_function_app",
        "azurerm_windows_function_app",
        "azurerm_function_app_flex_consumption",
        "azurerm_logic_app_standard",
        "azurerm_app_service",
        "azurerm_function_app",
    ),
    "azurerm_mssql_database": ("azurerm_sql_database",),
    "azurerm_mssql_server": ("azurerm_sql_server",),
    "azurerm_cognitive_account": ("azurerm_ai_services",),
    "azurerm_service_plan": ("azurerm_app_service_plan",),
    "azurerm_static_web_app": ("azurerm_static_site",),
    "google_cloudfunctions2_function": ("google_cloudfunctions_function",),
    "google_compute_instance": ("google_compute_instance_from_template",),
    "google_compute_ssl_certificate": ("google_compute_managed_ssl_certificate",),
}
_SHARED: dict[str, tuple[str, ...]] = {
    # Google Cloud: services that name their things alike; the listing has dropped the service
    "instances": ("google_sql_database_instance", "google_spanner_instance", "google_bigtable_instance"),
    "locations/clusters": ("google_container_cluster", "google_alloydb_cluster"),
    "locations/repositories": ("google_artifact_registry_repository", "google_dataform_repository"),
    "locations/services": ("google_cloud_run_v2_service",),
}
_NO_NAME = frozenset("|:")
_NO_TYPES: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a whole identifier. ``name`` tells forms apart, ``types`` are the resource types whose own identifier has it.
    ``sure`` is whether the form alone tells that it is such a thing; ``shared`` whether things of several services have it."""

    name: str
    types: frozenset[str]
    sure: bool = True
    shared: bool = False

    def is_of(self, type_: str) -> bool:
        return type_ in self.types


def form_of(provider: CloudProvider, identifier: str) -> Form | None:
    """The form of an identifier in the spelling that is compared; ``None`` for one that is no whole identifier known here."""
    if provider is CloudProvider.AWS:
        row = row_of(identifier)
        return Form(row.name, _with_same(row.type), row.whole and "|" not in identifier) if row is not None else None
    if provider is CloudProvider.AZURE:
        named = form_type(identifier)
        return Form(named[0], _with_same(named[1]) | {"azapi_resource"}) if named is not None else None
    return _gcp(identifier) if provider is CloudProvider.GCP else None


def _gcp(identifier: str) -> Form | None:
    if "/" not in identifier:
        # Any text may be a bucket's name: only the state's own type tells.
        return Form("bucket", frozenset({"google_storage_bucket"}), sure=False)
    if not identifier.startswith("projects/"):
        known = WHOLE_GRANT.fullmatch(identifier) is not None
        return Form("grant", frozenset({"google_project_iam_member"})) if known else None
    path = collections_of(identifier)
    type_ = type_at(path) if path and not _NO_NAME.intersection(identifier.partition("/")[2].partition("/")[2]) else None
    if type_ is None:
        return None
    if path in _SHARED:
        return Form(path, frozenset(_SHARED[path]), sure=False, shared=True)
    # The inventory names a service account by its number, which a state has besides its e-mail address.
    return Form(path, _with_same(type_), sure="serviceAccounts" not in path)


def _with_same(type_: str) -> frozenset[str]:
    return frozenset((type_, *_SAME.get(type_, ()))) if type_ else _NO_TYPES
