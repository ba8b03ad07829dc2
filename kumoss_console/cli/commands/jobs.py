"""``jobs``: the sidecar's jobs, and the journal that remembers them for longer than the sidecar does."""

from __future__ import annotations

import click

from kumoss_console.cli.command import Lazy, LazyGroup

_HERE = "kumoss_console.cli.commands"


@click.command(
    cls=LazyGroup,
    no_args_is_help=False,
    lazy={
        "submit": Lazy(f"{_HERE}.jobs_submit:submit", "Start one job."),
        "watch": Lazy(f"{_HERE}.jobs_watch:watch", "Follow jobs until they end."),
        "show": Lazy(f"{_HERE}.jobs_show:show", "One job with its output."),
        "list": Lazy(f"{_HERE}.jobs_show:list_jobs", "The jobs of this context, newest first."),
    },
)
def jobs() -> None:
    """Submit jobs to the sidecar, watch them, show and list them."""
