"""A journal on disk, and jobs to put into it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import pytest

from kumoss_console.journal import Journal
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.model.job import Job, ServicePlane
from tests.fakes.clock import START

Written = Callable[..., Awaitable[Job]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "jobs.sqlite3"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    opened = Journal.open(path)
    yield opened
    opened.close()


@pytest.fixture
def written(journal: Journal) -> Written:
    """A job in the journal: queued, or ended where it is given an exit code."""

    async def write(
        exit_code: int | None = None,
        stdout: str = "",
        *,
        at: datetime = START,
        into: Journal | None = None,
        context: str = "prod",
    ) -> Job:
        target = into or journal
        entry = await target.record(context, ValidateRequest(workspace_path="/w"), at)
        await target.accept(entry, uuid4(), at)
        job = await target.by_entry(entry)
        assert job is not None
        if exit_code is None:
            return job
        ended = replace(job, service=ServicePlane.ANSWERED, exit_code=exit_code, stdout=stdout, output_bytes=len(stdout))
        await target.save(ended)
        return ended

    return write
