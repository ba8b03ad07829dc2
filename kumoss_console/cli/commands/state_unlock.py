"""``state unlock``: remove one lock, the one that was named and no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.blocks import Block, Cell, Fields
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.commands.state_locks import key_without_suffix, locked_key
from kumoss_console.cli.locks_view import with_note
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.errors import ExitCode

if TYPE_CHECKING:
    from kumoss_console.model.lock.release import ReleaseCommand
    from kumoss_console.services.build import Services
    from kumoss_console.services.locks.obstacles import Overrides
    from kumoss_console.services.locks.unlock import RemovalUnclear, Unlocked


@dataclass(frozen=True, slots=True)
class _Done:
    """What was removed, and the commands that would have."""

    unlocked: Unlocked
    release: tuple[ReleaseCommand, ...]


@click.command(cls=SharedCommand)
@click.argument("key")
@click.option(
    "--lock-id", metavar="ID", required=True, help="The lock's id; for one without an id what state locks shows for it."
)
@click.option(
    "--despite-running-job",
    "despite",
    metavar="JOB_ID",
    multiple=True,
    help="A job that may hold the lock and may be at work as far as is known, named to override.",
)
@click.option(
    "--despite-damaged-journal",
    "journals",
    metavar="FILE",
    multiple=True,
    help="A job journal that was damaged less than a day ago and may have known such a job, named to override.",
)
@pass_session
def unlock(session: Session, key: str, lock_id: str, despite: tuple[str, ...], journals: tuple[str, ...]) -> ExitCode:
    """Remove the lock on one state, after which anybody can write it: also a run that still believes to hold it.

    ID is the confirmation: it must be that of the lock that is there. The lock goes only while it is still that one; what it
    said is kept in the journal (state locks --removed). Refused while the journal knows a job of any context that may hold it
    and has not ended, or was lost within the hour, and for a day after a journal was found damaged, unless each is named.
    """
    session.refuse_read_only("Removing a lock")
    from kumoss_console.services.locks.obstacles import Overrides
    from kumoss_console.services.locks.unlock import RemovalUnclear

    state = key_without_suffix(session, key)
    overrides = Overrides(jobs=despite, journals=journals)
    try:
        done = session.run(lambda services: _unlock(services, state, key, lock_id, overrides))
    except RemovalUnclear as error:
        return session.broken_off(Answer(data=_unknown(error)), error)
    except KeyboardInterrupt:
        for unclear in session.services.unlock.abandoned[-1:]:
            session.broken_off(Answer(data=_unknown(unclear)), unclear)
        raise
    return session.answer(
        Answer(
            data={
                "key": done[0].unlocked.sighting.key,
                "outcome": "incomplete" if any(one.unlocked.incomplete for one in done) else "removed",
                "removed": [
                    {
                        "entry": one.unlocked.entry,
                        "lock_id": lock_id,
                        "mechanism": one.unlocked.sighting.mechanism,
                        "where": one.unlocked.sighting.where,
                        "document": one.unlocked.sighting.raw.decode("utf-8", "replace"),
                        "despite": list(one.unlocked.despite),
                        "caveats": list(one.unlocked.caveats),
                        "release": [{"by": way.by, "command": way.command, "note": way.note} for way in one.release],
                    }
                    for one in done
                ],
            },
            blocks=[block for one in done for block in _blocks(one)],
            warnings=tuple(caveat for one in done for caveat in one.unlocked.caveats),
            exit_code=ExitCode.BAD_NEWS if any(one.unlocked.incomplete for one in done) else ExitCode.OK,
            notes=("What it said is kept: kumoss-console state locks --removed",),
        )
    )


async def _unlock(services: Services, key: str, asked: str, lock_id: str, despite: Overrides) -> list[_Done]:
    done = await services.unlock.unlock(await locked_key(services, key, asked), lock_id, despite=despite)
    return [_Done(one, services.locks.commands(one.sighting, "")) for one in done]


def _unknown(error: RemovalUnclear) -> dict[str, object]:
    return {"key": error.sighting.key, "outcome": "unknown", "entry": error.entry, "removed": []}


def _blocks(done: _Done) -> list[Block]:
    seen = done.unlocked.sighting
    lock = seen.document.lock
    pairs: list[tuple[str, Cell | str]] = [("removed", Cell(f"the lock on {seen.key}", "good")), ("was", seen.where)]
    if lock is not None:
        pairs += [
            (name, text) for name, text in (("id", lock.id), ("holder", lock.holder), ("taken", lock.created or "")) if text
        ]
    pairs += [("despite", name) for name in done.unlocked.despite]
    pairs += [("the same as", with_note(way)) for way in done.release]
    return [Fields(pairs)]
