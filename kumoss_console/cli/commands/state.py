"""``state``: the state bucket, and documents at hand."""

from __future__ import annotations

import click

from kumoss_console.cli.command import Lazy, LazyGroup

_HERE = "kumoss_console.cli.commands"


@click.command(
    cls=LazyGroup,
    lazy={
        "list": Lazy(f"{_HERE}.state_list:list_states", "What is in the state bucket, and whose it is."),
        "show": Lazy(f"{_HERE}.state_show:show", "One state of the bucket, or a file at hand."),
        "locks": Lazy(f"{_HERE}.state_locks:locks", "The locks that are held, and by whom."),
        "unlock": Lazy(f"{_HERE}.state_unlock:unlock", "Remove one lock, by its id."),
        "scan": Lazy(f"{_HERE}.state_scan:scan", "What is wrong with the bucket as a whole."),
        "versions": Lazy(f"{_HERE}.state_versions:versions", "The history of one state."),
        "diff": Lazy(f"{_HERE}.state_diff:diff", "What differs between two versions, states or documents."),
        "endpoint": Lazy(f"{_HERE}.state_endpoint:endpoint", "What this store really does, with the evidence."),
        "restore-plan": Lazy(
            f"{_HERE}.state_restore_plan:restore_plan", "The way back to an older version, planned and not taken."
        ),
    },
)
def state() -> None:
    """The state bucket: list it, show one state or a file at hand."""
