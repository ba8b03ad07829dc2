"""``overview``: is anything wrong, in one answer."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.blocks import Block, Cell, Fields, Text
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer, error_data
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import SIGNS, TONES, heading
from kumoss_console.errors import ExitCode
from kumoss_console.model.finding import Severity

if TYPE_CHECKING:
    from kumoss_console.services.build import Services
    from kumoss_console.services.overview.service import OverviewSnapshot, Probe


_LINES_OF_A_KIND = 10
_ALL = {"jobs": "jobs list", "bucket": "state list", "backend": "doctor", "endpoint": "state endpoint"}


@click.command(cls=SharedCommand)
@pass_session
def overview(session: Session) -> ExitCode:
    """Is anything wrong: sidecar, token and store, who owns the state, jobs and held locks. Ends with 1 where something is."""
    snapshot = session.run(_snapshot)
    bad = any(line.severity is Severity.ERROR for line in snapshot.attention)
    return session.answer(
        Answer(
            data=_data(session, snapshot),
            blocks=_blocks(snapshot),
            exit_code=ExitCode.BAD_NEWS if bad else ExitCode.OK,
        )
    )


async def _snapshot(services: Services) -> OverviewSnapshot:
    snapshot = await services.overview.snapshot()
    # What endangers states in this store, as the screen shows it: a few requests more to one that answers.
    if snapshot.store.status == "ok" and await services.endpoint.glance() is not None:
        snapshot = services.overview.again(snapshot)
    return snapshot


def _data(session: Session, snapshot: OverviewSnapshot) -> dict[str, object]:
    from kumoss_console.services.bucket.shape import held_lock_shape
    from kumoss_console.services.jobs.service import as_data

    return {
        "context": session.services.context.name,
        "at": snapshot.at,
        "attention": [asdict(line) for line in snapshot.attention],
        "ownership": asdict(snapshot.ownership),
        "sidecar": _probe_data(snapshot.sidecar),
        "token": _probe_data(snapshot.token),
        "store": _probe_data(snapshot.store),
        "jobs": asdict(snapshot.jobs),
        "recent_failures": [as_data(job, words=snapshot.said.get(job.entry, "")) for job in snapshot.recent_failures],
        "locks": None if snapshot.locks is None else [held_lock_shape(lock, snapshot.at) for lock in snapshot.locks],
    }


def _probe_data(probe: Probe) -> dict[str, object]:
    seconds = None if probe.seconds is None else round(probe.seconds, 3)
    error = error_data(probe.error) if probe.error else None
    return {"status": probe.status, "seconds": seconds, "error": error, "note": probe.note}


def _blocks(snapshot: OverviewSnapshot) -> list[Block]:
    from kumoss_console.services.overview.words import job_words

    owner = snapshot.ownership
    attention = _attention(snapshot)
    return [
        heading("Needs attention"),
        Fields(attention) if attention else Text("Nothing needs attention.", "good"),
        heading("State of things"),
        Fields(
            [
                ("sidecar", _probe_cell(snapshot.sidecar)),
                ("token", _probe_cell(snapshot.token)),
                ("store", _probe_cell(snapshot.store)),
                ("ownership", f"{owner.model}: {owner.explanation}"),
                ("jobs", job_words(snapshot.jobs).line),
                ("locks", "not known" if snapshot.locks is None else str(len(snapshot.locks))),
            ]
        ),
    ]


def _attention(snapshot: OverviewSnapshot) -> list[tuple[str, Cell | str]]:
    """The gravest lines of each kind; a bucket full of locks must not push the rest off the screen."""
    pairs: list[tuple[str, Cell | str]] = []
    left_out: dict[str, int] = {}
    shown: dict[str, int] = {}
    for line in snapshot.attention:
        shown[line.view] = shown.get(line.view, 0) + 1
        if shown[line.view] <= _LINES_OF_A_KIND:
            pairs.append((SIGNS[line.severity], Cell(line.text, TONES[line.severity])))
        else:
            left_out[line.view] = left_out.get(line.view, 0) + 1
    pairs += [("", Cell(f"and {count:,} more: {_ALL[view]}", "dim")) for view, count in left_out.items()]
    return pairs


def _probe_cell(probe: Probe) -> Cell:
    if probe.status == "ok":
        parts = [
            "ok",
            *([] if probe.seconds is None else [f"{probe.seconds * 1000:.0f} ms"]),
            *([probe.note] if probe.note else []),
        ]
        return Cell(" · ".join(parts), "warn" if probe.note else "good")
    why = probe.error.title if probe.error else "not asked"
    return Cell(f"{probe.status} · {why}", "bad" if probe.status == "bad" else "dim")
