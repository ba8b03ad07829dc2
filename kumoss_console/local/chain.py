"""The requests that take one workspace from nothing to applied, as the core sends them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kumoss_console.model.contract import (
    ApplyRequest,
    CloudProvider,
    InitRequest,
    PlanRequest,
    ShowRequest,
    StateResourceIdsRequest,
    ValidateRequest,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One workspace with what its requests have in common."""

    workspace: Path
    scope: str
    provider: CloudProvider
    plan_file: str

    def init(self) -> InitRequest:
        return InitRequest(workspace_path=str(self.workspace), scope_id=self.scope, terraform_provider=self.provider)

    def validate(self) -> ValidateRequest:
        return ValidateRequest(workspace_path=str(self.workspace))

    def plan(self) -> PlanRequest:
        return PlanRequest(
            workspace_path=str(self.workspace),
            scope_id=self.scope,
            terraform_provider=self.provider,
            plan_file=self.plan_file,
        )

    def show(self) -> ShowRequest:
        return ShowRequest(workspace_path=str(self.workspace), plan_file=self.plan_file)

    def apply(self) -> ApplyRequest:
        return ApplyRequest(
            workspace_path=str(self.workspace),
            scope_id=self.scope,
            terraform_provider=self.provider,
            plan_file=self.plan_file,
        )

    def state_resource_ids(self) -> StateResourceIdsRequest:
        return StateResourceIdsRequest(workspace_path=str(self.workspace))
