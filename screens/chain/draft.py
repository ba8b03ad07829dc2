"""A chain while it is written, judged before anything is sent. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kumoss_console.errors import InputError
from kumoss_console.model.chain import ORDER, ChainRequest, ChainState, Step
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.contract import CloudProvider, JobKind
from kumoss_console.model.hazards import hazard
from kumoss_console.model.names import workspace_name
from kumoss_console.model.project import derive
from screens.dialogs.draft_error import DraftError
from screens.jobs.draft import Question, request

UNTIL = tuple(step for step in ORDER if step is not Step.REVIEW)
NAMED_AT_MOST = 6
"""Objects that are named in the question before they are destroyed; the rest is counted."""
WITHOUT_LOSS = "apply"
"""What is typed where nothing is destroyed; else it is the workspace's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """``project`` is an index into the context's projects, ``None`` for none of them."""

    values: Mapping[str, str]
    project: int | None
    until: Step


def chain_request(draft: Draft, context: Context) -> ChainRequest:
    """The chain that the form spells. Raises :class:`DraftError` naming the first field that would not do."""
    values = draft.values
    plan_file = values.get("plan_file", "").strip()
    # A plan's request has every field of the chain: what the contract refuses of it would be refused at some step.
    judged = {**values, "plan_file": plan_file or context.paths.session_plan_filename}
    wanted = request(JobKind.PLAN, judged, root=context.workspaces_root or "")
    if (why := hazard(wanted)) is not None:
        raise DraftError("plan_file", why)
    scope = values["scope_id"].strip()
    project = _project(draft.project, context, scope)
    return ChainRequest(
        workspace=wanted.workspace_path,
        scope=scope,
        provider=CloudProvider(values["terraform_provider"]),
        plan_file=plan_file,
        until=draft.until,
        repo=project.repo if project else "",
        path=project.path if project else "",
    )


def _project(index: int | None, context: Context, scope: str) -> KnownProject | None:
    if index is None:
        return None
    project = context.projects[index]
    if project.scope.strip() != scope:
        raise DraftError("scope_id", f"the project's is {project.scope}; another scope is another state")
    try:
        derive(project.repo, project.scope, project.path)
    except InputError as error:
        raise DraftError("project", error.title) from None
    return project


def proposal(context: Context, values: Mapping[str, str]) -> dict[str, str]:
    """What the form starts with: ``values`` of a job that is at hand, else the folder of all workspaces."""
    root = f"{context.workspaces_root.rstrip('/')}/" if context.workspaces_root else ""
    kept = {name: values.get(name, "") for name in ("workspace_path", "scope_id", "terraform_provider")}
    return {**kept, "workspace_path": kept["workspace_path"] or root, "plan_file": ""}


def remarks(draft: Draft, context: Context) -> Sequence[str]:
    """What is right and worth knowing before it begins."""
    if not context.storage.managed:
        return ()
    if draft.project is None:
        return ("no project: the override is not written, and init takes the backend that the workspace has",)
    return ("the override is written before init where the workspace can be written from here",)


def question(state: ChainState, context: Context) -> Question:
    """What is asked at the review."""
    asked = state.request
    name = workspace_name(asked.workspace, context.workspaces_root)
    review = state.review
    gone = review.destroyed if review is not None else ()
    loss = [f"destroys {address}" for address in gone[:NAMED_AT_MOST]]
    if len(gone) > NAMED_AT_MOST:
        loss.append(f"and destroys {len(gone) - NAMED_AT_MOST:,} more")
    return Question(
        title=f"Apply {state.plan_file} in {name}?",
        consequences=(
            f"{review.plan.headline if review is not None else ''} Applied to {asked.provider.value} {asked.scope}.",
            *((state.placed.warning,) if state.placed is not None and state.placed.warning else ()),
            *(loss or ("nothing is destroyed",)),
            f"context {context.name}, workspace {asked.workspace}",
            "the sidecar has no way to stop a job",
        ),
        verb="Apply",
        must_type=name if gone else WITHOUT_LOSS,
    )
