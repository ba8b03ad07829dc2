"""``discover`` at work: read what is at hand, narrate, export, ask, submit, answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kumoss_console.cli import discover_view as view
from kumoss_console.cli.commands.discover_answer import Asked, Done
from kumoss_console.cli.commands.jobs_submit import name_to_type
from kumoss_console.cli.given import read_given as read_file
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import counted
from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import GaveUp, InputError, Refused
from kumoss_console.model.importdiff import Comparison, Item, Status
from kumoss_console.model.importdiff.choosing import Choice
from kumoss_console.model.importids.blocks import export_text
from kumoss_console.model.importids.worksheet import Row, Written, worksheet
from kumoss_console.model.job import Job
from kumoss_console.services.discovery.given import Given, read_given
from kumoss_console.services.discovery.imports import Imports, Outcome
from kumoss_console.services.discovery.service import Discovery, DiscoveryRequest
from kumoss_console.services.discovery.words import WORDS
from kumoss_console.text import printable

if TYPE_CHECKING:
    from kumoss_console.services.build import Services

_AS_LISTED = "Give an identifier exactly as the command without --import lists it."
_TOLD = 20
"""Rows with faults that are named one by one."""


class Desk:
    """One run."""

    def __init__(self, session: Session, asked: Asked) -> None:
        self._session = session
        self._asked = asked
        self._said: set[str] = set()

    async def work(self, services: Services) -> Done:
        asked = self._asked
        request = await run_blocking(self._request)
        found: Discovery | None = None
        try:
            async with asyncio.timeout(asked.timeout):
                async for found in services.discovery.discover(request):
                    self._narrate(found)
        except TimeoutError:
            raise self._gave_up(found) from None
        except asyncio.CancelledError:
            self._going_on(view.unfinished(found))
            raise
        if found is None:
            raise TypeError("a discovery without an end")
        if found.comparison is None:
            return Done(found=found, items=[])
        items = self._choose(found, found.comparison)
        if not asked.imports:
            return Done(found=found, items=items)
        rows = self._worksheet(found, found.comparison, items)
        exported = None
        if asked.export is not None:
            exported = export_text(rows)
            if str(asked.export) != "-":
                await run_blocking(_write_new, self._session.world.cwd / asked.export, exported)
        imports = await self._submit(services, rows) if asked.submit else None
        return Done(found=found, items=items, rows=rows, exported=exported, imports=imports)

    def _request(self) -> DiscoveryRequest:
        from kumoss_console.config.suppressions import load_suppressions

        asked, world = self._asked, self._session.world
        named = world.cwd / asked.suppressions if asked.suppressions is not None else None
        state = self._given(asked.state_ids, may_be_state=True)
        cloud = self._given(asked.cloud_ids, may_be_state=False)
        return DiscoveryRequest(
            workspace=asked.workspace,
            scope=asked.scope,
            provider=asked.provider,
            key=asked.key,
            number=asked.number,
            state_ids=state.ids if state is not None else None,
            cloud_ids=cloud.ids if cloud is not None else None,
            state=state.state if state is not None else None,
            suppressions=load_suppressions(world.environ, named) if named is not None else None,
            bucket=asked.bucket,
        )

    def _given(self, file: Path | None, *, may_be_state: bool) -> Given | None:
        if file is None:
            return None
        hint = "Give a file with what a listing answered; - reads stdin."
        raw = read_file(self._session.world, file, hint=hint)
        return read_given(raw, "stdin" if str(file) == "-" else printable(str(file)), may_be_state=may_be_state)

    def _narrate(self, found: Discovery) -> None:
        for line in view.narration(found):
            if line not in self._said:
                self._said.add(line)
                self._session.diagnostics.note(line)

    def _narrate_imports(self, imports: Imports) -> None:
        for place, step in enumerate(imports.steps, start=1):
            if step.outcome not in {Outcome.WAITING, Outcome.NOT_SENT}:
                line = f"import {place} of {len(imports.steps)}: {step.row.address} {step.outcome.value}"
                if line not in self._said:
                    self._said.add(line)
                    self._session.diagnostics.note(line)

    def _gave_up(self, found: Discovery | None) -> GaveUp:
        told = view.waited_for(found) if found is not None else "nothing was sent by then"
        return GaveUp(
            f"gave up waiting for what discover needs after {self._asked.timeout:g} s",
            detail=printable(told),
            hint=view.look_again(found),
            code="discover.gave_up",
        )

    def _going_on(self, jobs: Sequence[Job]) -> None:
        """Interrupted: what was sent goes on without us."""
        if ids := [job.job_id for job in jobs if job.job_id]:
            self._session.diagnostics.note(f"What was sent goes on without us: kumoss-console jobs watch {' '.join(ids)}")
        for job in jobs:
            if job.job_id is None:
                self._session.diagnostics.note(
                    f"Whether the service took #{job.entry} is not known: kumoss-console jobs show '#{job.entry}'"
                )

    def _choose(self, found: Discovery, comparison: Comparison) -> list[Item]:
        asked = self._asked
        everything = asked.everything or bool(asked.statuses) or self._session.output.json
        choice = Choice(
            text=asked.text,
            types=asked.types,
            statuses=asked.statuses,
            wrong=not everything,
            suppressed=asked.suppressed or self._session.output.json,
        )
        return choice.of(comparison.items, found.covered, asked.provider)

    def _worksheet(self, found: Discovery, comparison: Comparison, items: Sequence[Item]) -> tuple[Row, ...]:
        """What was named, else all that is unmanaged, passes the filters and is not suppressed."""
        asked = self._asked
        named = [*asked.addresses, *(one for one in asked.import_ids if one not in asked.addresses)]
        written = {one: Written(asked.addresses.get(one), asked.import_ids.get(one)) for one in named}
        if asked.addresses:
            by_id = {item.id: item for item in comparison.items}
            if unknown := next((one for one in asked.addresses if one not in by_id), None):
                raise InputError(
                    f"{printable(unknown)} was not discovered",
                    hint=_AS_LISTED,
                    code="discover.unknown",
                )
            chosen = [by_id[one] for one in asked.addresses]
        else:
            chosen = [item for item in items if item.status is Status.UNMANAGED and item.id not in found.covered]
        self._refuse_unused(comparison, chosen)
        return worksheet(chosen, comparison, written)

    def _refuse_unused(self, comparison: Comparison, chosen: Sequence[Item]) -> None:
        """An ``--import-id`` of what is not on the worksheet would be passed over without a word."""
        taken = {item.id for item in chosen}
        unused = next((one for one in self._asked.import_ids if one not in taken), None)
        if unused is None:
            return
        item = next((item for item in comparison.items if item.id == unused), None)
        if item is None:
            raise InputError(f"{printable(unused)} was not discovered", hint=_AS_LISTED, code="discover.unknown")
        if self._asked.addresses:
            why = "no --import names it"
        else:
            unmanaged = item.status is Status.UNMANAGED
            why = "the filters or a suppression leave it out" if unmanaged else f"it is {WORDS[item.status]}"
        raise InputError(
            f"--import-id names {printable(unused)}, which is not on the worksheet: {why}",
            hint="Name it with --import, leave out the --import-id, or change the filters.",
            code="discover.not_chosen",
        )

    async def _submit(self, services: Services, rows: Sequence[Row]) -> Imports:
        asked = self._asked
        if faulty := [row for row in rows if row.faults]:
            told = "\n".join(f"{row.address or row.identifier}: {row.faults[0]}" for row in faulty[:_TOLD])
            raise InputError(
                f"{counted(len(faulty), 'row')} of {len(rows):,} cannot be imported so: nothing was sent",
                detail=printable(told, newlines=True),
                hint="Name what is to be imported with --import, and what its import takes with --import-id.",
                code="discover.worksheet",
            )
        if not rows:
            raise InputError("nothing is left to import", hint="The filters leave nothing unmanaged.", code="discover.nothing")
        await run_blocking(partial(self._confirm, rows))
        last: Imports | None = None
        run = services.imports.run(
            rows, workspace=asked.workspace, scope=asked.scope, provider=asked.provider, keep_going=asked.keep_going
        )
        try:
            async for last in run:
                self._narrate_imports(last)
        except asyncio.CancelledError:
            steps = last.steps if last is not None else ()
            self._going_on([step.job for step in steps if step.outcome is Outcome.RUNNING and step.job is not None])
            raise
        if last is None:
            raise TypeError("imports without an end")
        return last

    def _confirm(self, rows: Sequence[Row]) -> None:
        asked, session = self._asked, self._session
        things = "1 thing" if len(rows) == 1 else f"{len(rows):,} things"
        self._session.confirm(
            subject=name_to_type(session, asked.workspace),
            consequence=f"{things}, {rows[0].address} first, will be imported one by one into the state of {asked.workspace} "
            f"(context {session.services.context.name}) on {asked.provider.value} {asked.scope}.",
            given=asked.confirm,
        )


def _write_new(path: Path, text: str) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Refused(
            f"{printable(str(path))} exists already", hint="Name a new file; none is overwritten.", code="output.exists"
        ) from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{printable(str(path))} cannot be written", detail=said or "", hint="Choose a folder you may write to."
        ) from None
