"""The question to Resource Graph: everything of a subscription that somebody could import.

Resource Graph speaks a part of KQL: no ``let``, no anti or semi join, three joins and three legs of a union at most. What sits in
a group that another service manages is therefore found by a left outer join whose right side carries a mark, and left out
where the mark is there. The mark is a number: ``isnull`` is never true of a text.
"""

from __future__ import annotations

_GROUPS = "microsoft.resources/subscriptions/resourcegroups"


def query(subscription: str) -> str:
    """The whole query, ordered by ``id``, so that pages neither overlap nor leave a gap."""
    within = f"| where subscriptionId =~ '{_escaped(subscription)}'"
    lines = (
        "resources",
        within,
        "| where type !~ 'microsoft.alertsmanagement/smartdetectoralertrules'",
        # Links between resources that the portal keeps in tags, such as those of Application Insights.
        "| where tostring(tags) !contains '\"hidden-link'",
        *_OUTSIDE_MANAGED_GROUPS,
        "| project id",
        "| union (",
        "    resourcecontainers",
        f"    {within}",
        f"    | where type =~ '{_GROUPS}'",
        "    | where isempty(managedBy)",
        "    | where name !startswith 'MC_' and name !~ 'NetworkWatcherRG'",
        "    | project id",
        "), (",
        "    authorizationresources",
        f"    {within}",
        "    | where type =~ 'microsoft.authorization/roleassignments'",
        *(f"    {line}" for line in _OUTSIDE_MANAGED_GROUPS),
        "    | project id",
        ")",
        "| order by id asc",
    )
    return "\n".join(lines)


_OUTSIDE_MANAGED_GROUPS = (
    "| extend inGroup = tolower(resourceGroup)",
    "| join kind=leftouter (",
    "    resourcecontainers",
    f"    | where type =~ '{_GROUPS}'",
    "    | where isnotempty(managedBy) or name startswith 'MC_' or name =~ 'NetworkWatcherRG'",
    "    | project subscriptionId, inGroup = tolower(name), managed = 1",
    ") on subscriptionId, inGroup",
    "| where isnull(managed)",
)


def _escaped(literal: str) -> str:
    return literal.replace("\\", "\\\\").replace("'", "\\'")
