"""``jobs``: the sidecar's jobs, and the journal that remembers them for longer than the sidecar does."""

from __future__ import annotations

import click

from kumoss_console.cli.command import Lazy, LazyGroup

_HERE = "kumoss_console.cli.commands"


@click.command(
    cls=LazyGroup,
    lazy={
        "submit": Lazy(f"{_HERE}.jobs_submit:submit", "Start one job."),
        "run": Lazy(f"{_HERE}.jobs_run:run", "The chain init, validate, plan, show, review, apply."),
        "resubmit": Lazy(f"{_HERE}.jobs_resubmit:resubmit", "Send a recorded request once more."),
        "watch": Lazy(f"{_HERE}.jobs_watch:watch", "Follow jobs until they end."),
        "show": Lazy(f"{_HERE}.jobs_show:show", "One job with its output."),
        "list": Lazy(f"{_HERE}.jobs_show:list_jobs", "The jobs of this context, newest first."),
        "export": Lazy(f"{_HERE}.jobs_transfer:export", "The journal as NDJSON."),
        "import": Lazy(f"{_HERE}.jobs_transfer:import_jobs", "Read another console's journal."),
    },
)
def jobs() -> None:
    """Submit jobs to the sidecar, alone or as a chain, watch them, show and list them; carry the journal elsewhere."""
