"""Azure resource ids: what an import takes is mostly the id itself, with the spelling that the provider wants.

Source: the azurerm provider's documentation. Its ids are read with upper and lower case; a listing may give another spelling.
"""

from __future__ import annotations

from functools import cache

from kumoss_console.model.importids.known import Known

_FARMS = "the provider reads serverFarms since version 4 and serverfarms before: it is left as it is listed"
_AS_LISTED = frozenset({"microsoft.web/serverfarms"})
"""Kinds whose spelling depends on the provider's version: it is not changed."""

_TABLE: tuple[tuple[str, str, str], ...] = (
    # kind in the provider's spelling, resource type, why that is a guess (empty: it is none)
    ("Microsoft.ApiManagement/service", "azurerm_api_management", ""),
    ("Microsoft.App/containerApps", "azurerm_container_app", ""),
    ("Microsoft.App/managedEnvironments", "azurerm_container_app_environment", ""),
    ("Microsoft.AppConfiguration/configurationStores", "azurerm_app_configuration", ""),
    ("Microsoft.Authorization/roleAssignments", "azurerm_role_assignment", ""),
    ("Microsoft.Automation/automationAccounts", "azurerm_automation_account", ""),
    ("Microsoft.Cache/redis", "azurerm_redis_cache", ""),
    ("Microsoft.Cdn/profiles", "azurerm_cdn_frontdoor_profile", "a classic profile is an azurerm_cdn_profile"),
    ("Microsoft.CognitiveServices/accounts", "azurerm_cognitive_account", "some kinds have a type of their own"),
    ("Microsoft.Compute/availabilitySets", "azurerm_availability_set", ""),
    ("Microsoft.Compute/diskEncryptionSets", "azurerm_disk_encryption_set", ""),
    ("Microsoft.Compute/disks", "azurerm_managed_disk", ""),
    ("Microsoft.Compute/galleries", "azurerm_shared_image_gallery", ""),
    ("Microsoft.Compute/images", "azurerm_image", ""),
    ("Microsoft.Compute/proximityPlacementGroups", "azurerm_proximity_placement_group", ""),
    ("Microsoft.Compute/snapshots", "azurerm_snapshot", ""),
    ("Microsoft.Compute/sshPublicKeys", "azurerm_ssh_public_key", ""),
    ("Microsoft.Compute/virtualMachines", "azurerm_linux_virtual_machine", "Windows has a type of its own"),
    ("Microsoft.Compute/virtualMachineScaleSets", "azurerm_linux_virtual_machine_scale_set", "others have types of their own"),
    ("Microsoft.ContainerInstance/containerGroups", "azurerm_container_group", ""),
    ("Microsoft.ContainerRegistry/registries", "azurerm_container_registry", ""),
    ("Microsoft.ContainerService/managedClusters", "azurerm_kubernetes_cluster", ""),
    ("Microsoft.DataFactory/factories", "azurerm_data_factory", ""),
    ("Microsoft.Databricks/workspaces", "azurerm_databricks_workspace", ""),
    ("Microsoft.DBforMySQL/flexibleServers", "azurerm_mysql_flexible_server", ""),
    ("Microsoft.DBforPostgreSQL/flexibleServers", "azurerm_postgresql_flexible_server", ""),
    ("Microsoft.DocumentDB/databaseAccounts", "azurerm_cosmosdb_account", ""),
    ("Microsoft.EventGrid/topics", "azurerm_eventgrid_topic", ""),
    ("Microsoft.EventHub/namespaces", "azurerm_eventhub_namespace", ""),
    ("Microsoft.Insights/actionGroups", "azurerm_monitor_action_group", ""),
    ("Microsoft.Insights/components", "azurerm_application_insights", ""),
    ("Microsoft.Insights/metricAlerts", "azurerm_monitor_metric_alert", ""),
    ("Microsoft.KeyVault/vaults", "azurerm_key_vault", ""),
    ("Microsoft.Logic/workflows", "azurerm_logic_app_workflow", ""),
    ("Microsoft.ManagedIdentity/userAssignedIdentities", "azurerm_user_assigned_identity", ""),
    ("Microsoft.Network/applicationGateways", "azurerm_application_gateway", ""),
    ("Microsoft.Network/applicationSecurityGroups", "azurerm_application_security_group", ""),
    ("Microsoft.Network/azureFirewalls", "azurerm_firewall", ""),
    ("Microsoft.Network/bastionHosts", "azurerm_bastion_host", ""),
    ("Microsoft.Network/dnsZones", "azurerm_dns_zone", ""),
    ("Microsoft.Network/firewallPolicies", "azurerm_firewall_policy", ""),
    ("Microsoft.Network/loadBalancers", "azurerm_lb", ""),
    ("Microsoft.Network/natGateways", "azurerm_nat_gateway", ""),
    ("Microsoft.Network/networkInterfaces", "azurerm_network_interface", ""),
    ("Microsoft.Network/networkSecurityGroups", "azurerm_network_security_group", ""),
    ("Microsoft.Network/privateDnsZones", "azurerm_private_dns_zone", ""),
    ("Microsoft.Network/privateEndpoints", "azurerm_private_endpoint", ""),
    ("Microsoft.Network/publicIPAddresses", "azurerm_public_ip", ""),
    ("Microsoft.Network/publicIPPrefixes", "azurerm_public_ip_prefix", ""),
    ("Microsoft.Network/routeTables", "azurerm_route_table", ""),
    ("Microsoft.Network/virtualNetworkGateways", "azurerm_virtual_network_gateway", ""),
    ("Microsoft.Network/virtualNetworks", "azurerm_virtual_network", ""),
    ("Microsoft.OperationalInsights/workspaces", "azurerm_log_analytics_workspace", ""),
    ("Microsoft.RecoveryServices/vaults", "azurerm_recovery_services_vault", ""),
    ("Microsoft.Search/searchServices", "azurerm_search_service", ""),
    ("Microsoft.ServiceBus/namespaces", "azurerm_servicebus_namespace", ""),
    ("Microsoft.SignalRService/signalR", "azurerm_signalr_service", ""),
    ("Microsoft.Sql/servers", "azurerm_mssql_server", ""),
    ("Microsoft.Sql/servers/databases", "azurerm_mssql_database", ""),
    ("Microsoft.Storage/storageAccounts", "azurerm_storage_account", ""),
    ("Microsoft.Web/serverFarms", "azurerm_service_plan", _FARMS),
    ("Microsoft.Web/sites", "azurerm_linux_web_app", "Windows and functions have types of their own"),
    ("Microsoft.Web/staticSites", "azurerm_static_web_app", ""),
)
_NO_NAME = frozenset("|:")
_GROUP = "microsoft.resources/subscriptions/resourcegroups"
_FIXED = {"subscriptions": "subscriptions", "resourcegroups": "resourceGroups", "providers": "providers"}


@cache
def _rows() -> dict[str, tuple[str, str, str]]:
    return {row[0].lower(): row for row in _TABLE}


def shown_kinds() -> frozenset[str]:
    """Kinds, in lower case, that Resource Graph keeps of every subscription: absent from a whole listing, none is there."""
    return frozenset((_GROUP, *_rows()))


def form_type(spelling: str) -> tuple[str, str] | None:
    """Kind and resource type of an id in lower case; ``None`` for what is no whole id of a kind that is always shown: one that
    is made of two, or goes on behind."""
    parts = spelling.split("/")
    if len(parts) < 5 or _NO_NAME.intersection(spelling) or not all(parts[1:]) or parts[0] or parts[1] != "subscriptions":
        return None
    before, found, rest = spelling.rpartition("/providers/")
    if not found:
        return (_GROUP, "azurerm_resource_group") if len(parts) == 5 and parts[3] == "resourcegroups" else None
    namespace, *pairs = rest.split("/")
    row = _rows().get("/".join((namespace, *pairs[::2])))
    return (row[0].lower(), row[1]) if row is not None and before and len(pairs) % 2 == 0 else None


def read_resource_id(identifier: str) -> Known | None:
    """What an import of that resource takes; ``None`` for a kind that no row knows."""
    parts = identifier.rstrip("/").split("/")
    lower = [part.lower() for part in parts]
    if len(parts) < 5 or parts[0] or lower[1] != "subscriptions":
        return None
    for at in (1, 3):
        if len(parts) > at and lower[at] in _FIXED:
            parts[at] = _FIXED[lower[at]]
    if len(parts) == 5 and lower[3] == "resourcegroups":
        return Known("azurerm_resource_group", "/".join(parts), parts[4])
    starts = [at for at, part in enumerate(lower) if part == "providers"]
    if not starts or len(parts) - starts[-1] < 4 or (len(parts) - starts[-1]) % 2:
        return None
    start = starts[-1]
    row = _rows().get("/".join((lower[start + 1], *lower[start + 2 :: 2])))
    if row is None:
        return None
    kind, type_, doubt = row
    namespace, *names = kind.split("/")
    for at in starts:
        parts[at] = "providers"
    parts[start + 1] = namespace
    if kind.lower() not in _AS_LISTED:
        parts[start + 2 :: 2] = names
    return Known(type_, "/".join(parts), parts[-1], not doubt, doubt)
