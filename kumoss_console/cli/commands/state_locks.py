"""``state locks``: who holds what, since when, and whether anybody still does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import counted, exit_code_for, findings_blocks
from kumoss_console.cli.statekeys import exact_key
from kumoss_console.errors import ExitCode, InputError
from kumoss_console.model.finding import Severity

if TYPE_CHECKING:
    from kumoss_console.model.lock import Removal
    from kumoss_console.services.build import Services
    from kumoss_console.services.locks.report import KeyLocks, LockReport, LockSurvey


_NO_LOCK = {
    True: "No lock is held.",
    False: "No lock is held, and there is no state at this key either: check the key (state list).",
    None: "No lock is held. Whether there is a state at this key could not be looked at.",
}


@click.command(cls=SharedCommand)
@click.argument("key", required=False)
@click.option("--removed", is_flag=True, help="The locks that were removed with this console instead; asks no service.")
@pass_session
def locks(session: Session, key: str | None, removed: bool) -> ExitCode:
    """The locks that are held, the stale ones first, each with the command that removes it.

    With KEY the lock on one state, with everything that is known of it. Ends with 1 where a lock looks abandoned or cannot be
    read, and with 3 where the listing broke off, after the locks that it gave until then.
    """
    if removed:
        if key is not None:
            raise InputError("state locks wants a KEY or --removed, one of them", hint="Leave out KEY.", code="usage")
        return _removed(session)
    return _all(session) if key is None else _one(session, key)


def _all(session: Session) -> ExitCode:
    from kumoss_console.cli.locks_view import locks_blocks
    from kumoss_console.services.locks.shape import report_shape

    found = session.run(_survey)
    name = session.services.context.name
    unasked = [error for error in found.unlooked if error is not found.broken_off]
    warnings = [f"{error.title}: locks that are kept there are missing here" for error in unasked]
    if found.journal_error is not None:
        warnings.append(f"{found.journal_error.title}: which job holds a lock is not known")
    stale = sum(1 for report in found.locks if report.stale)
    more = "" if found.broken_off is None else " · NOT COMPLETE"
    answer = Answer(
        data=[report_shape(report, found.at) for report in found.locks],
        blocks=locks_blocks(found.locks, found.at, context=name, read_only=session.services.read_only),
        warnings=tuple(warnings),
        notes=(f"{counted(len(found.locks), 'lock')} held, {stale} of them stale{more}",),
        exit_code=_exit_code(found.locks, found),
    )
    return session.answer(answer) if found.broken_off is None else session.broken_off(answer, found.broken_off)


def _one(session: Session, asked: str) -> ExitCode:
    from kumoss_console.cli.locks_view import lock_blocks
    from kumoss_console.services.locks.shape import findings_shape, report_shape

    key = key_without_suffix(session, asked)
    found = session.run(lambda services: _on(services, key, asked))
    name, read_only = session.services.context.name, session.services.read_only
    said = {id(finding) for report in found.locks for finding in report.findings}
    others = tuple(finding for finding in found.findings if id(finding) not in said)
    blocks = [block for report in found.locks for block in lock_blocks(report, found.at, context=name, read_only=read_only)]
    bad = exit_code_for(found.findings)
    return session.answer(
        Answer(
            data={
                "key": found.key,
                "locked": bool(found.locks) if found.locks or not found.unlooked else None,
                "state_present": found.state,
                "locks": [report_shape(report, found.at) for report in found.locks],
                "findings": findings_shape(found.findings),
            },
            blocks=[*blocks, *findings_blocks(others)],
            warnings=tuple(f"{error.title}: a lock that is kept there is not known" for error in found.unlooked),
            notes=() if found.locks else (_NO_LOCK[found.state],) if not found.unlooked else (),
            exit_code=bad or _exit_code(found.locks, found),
        )
    )


async def locked_key(services: Services, key: str, asked: str) -> str:
    """``key``, which is ``asked`` without the suffix of a lock object; or ``asked`` as it is where there is a lock on a state
    that is itself named so."""
    from kumoss_console.model.lock import LOCK_SUFFIX

    return asked if asked.endswith(LOCK_SUFFIX) and await services.locks.is_held(asked) else key


def key_without_suffix(session: Session, asked: str) -> str:
    """The key of the state that is meant, also where that of its lock object was given. Asks no service."""
    from kumoss_console.model.lock import LOCK_SUFFIX

    return exact_key(session, asked.removesuffix(LOCK_SUFFIX))


def _removed(session: Session) -> ExitCode:
    from kumoss_console.cli.locks_view import removals_blocks
    from kumoss_console.services.locks.shape import removal_shape

    found = session.run(_removals)
    return session.answer(
        Answer(
            data=[removal_shape(removal) for removal in found],
            blocks=removals_blocks(found, context=session.services.context.name),
            notes=()
            if found
            else ("No lock was removed with this console in this context, nor from a bucket of this name in another one.",),
        )
    )


def _exit_code(locks: tuple[LockReport, ...], found: LockSurvey | KeyLocks) -> ExitCode:
    from kumoss_console.services.locks.judgement import judged

    bad = any(report.stale or judged(report.held, found.at).severity is Severity.ERROR for report in locks)
    return ExitCode.BAD_NEWS if bad or found.unlooked else ExitCode.OK


async def _survey(services: Services) -> LockSurvey:
    return await services.locks.survey()


async def _on(services: Services, key: str, asked: str) -> KeyLocks:
    return await services.locks.on(await locked_key(services, key, asked))


async def _removals(services: Services) -> tuple[Removal, ...]:
    return await services.locks.removals()
