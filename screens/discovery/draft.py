"""A discovery while its form is written, judged before anything is sent. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from kumoss_console.model.context import Context
from kumoss_console.model.contract import CloudProvider, JobKind
from kumoss_console.services.discovery.service import DiscoveryRequest
from screens.dialogs.draft_error import DraftError
from screens.jobs.draft import request

PROVIDERS = (CloudProvider.AZURE, CloudProvider.GCP, CloudProvider.AWS)
"""The clouds that the contract's scope listing knows."""


def discovery_request(values: Mapping[str, str], context: Context) -> DiscoveryRequest:
    """What the form spells. Raises :class:`~screens.dialogs.draft_error.DraftError` naming the first field that would not do."""
    request(JobKind.SCOPE_RESOURCE_IDS, values, root=context.workspaces_root or "")
    provider = CloudProvider(values["terraform_provider"])
    if provider not in PROVIDERS:
        raise DraftError("terraform_provider", f"{provider.value} has no scope listing")
    number = values.get("number", "").strip()
    if number and not (number.isascii() and number.isdigit()):
        raise DraftError("number", "digits only")
    return DiscoveryRequest(
        workspace=values["workspace_path"].strip(),
        scope=values["scope_id"].strip(),
        provider=provider,
        key=values.get("key", "").strip(),
        number=number if provider is CloudProvider.GCP else "",
    )


def proposal(context: Context, before: DiscoveryRequest | None, workspace: str = "") -> dict[str, str]:
    """What the form starts with: the request before, else the folder of all workspaces."""
    root = f"{context.workspaces_root.rstrip('/')}/" if context.workspaces_root else ""
    if before is None:
        return {"workspace_path": workspace or root}
    return {
        "workspace_path": workspace or before.workspace,
        "scope_id": before.scope,
        "terraform_provider": before.provider.value,
        "key": before.key if not workspace or workspace == before.workspace else "",
        "number": before.number,
    }
