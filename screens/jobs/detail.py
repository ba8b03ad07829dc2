"""What the detail of a job shows: result or problem first, then its texts. Pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from datetime import datetime

from kumoss_console.model.diagnosis import Diagnosis
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.services.jobs.shape import as_data
from kumoss_console.services.jobs.words import said
from screens.clipboard import LONGEST_SEQUENCE
from screens.copies import Copy
from screens.durations import moment, precise
from screens.jobs.diagnosis import as_text
from screens.jobs.view import kind_name, state
from screens.widgets.ansi import uncoloured
from screens.widgets.cells import Cell
from screens.widgets.facts import Fact, fact
from screens.widgets.line_view import LineView

PARTS = ("stderr", "stdout", "request", "timeline")


def first_part(job: Job) -> int:
    """The text to show first: what went wrong, else what came out, else how it stands. Of a refused one, what was refused."""
    if job.refused:
        return PARTS.index("request")
    if is_unread(job):
        return PARTS.index("stderr" if job.verdict is Verdict.BAD else "stdout")
    if job.stderr and (job.verdict is Verdict.BAD or not job.stdout):
        return PARTS.index("stderr")
    return PARTS.index("stdout") if job.stdout else PARTS.index("timeline")


def is_unread(job: Job) -> bool:
    """Whether there is output that a list left out."""
    return bool(job.output_bytes) and not (job.stdout or job.stderr)


def result(job: Job) -> tuple[Fact, ...]:
    """What came of it, and what to do where it is known."""
    facts = [fact("", state(job), Cell("  "), said(job) or job.summary)]
    if job.problem is not None and job.problem.detail and job.problem.title not in job.summary:
        facts.append(fact("", Cell(job.problem.title, "dim")))
    if remedy := _remedy(job):
        facts.append(fact("", Cell("→ ", "warn"), remedy))
    return tuple(facts)


def dropped(job: Job) -> tuple[Fact, ...]:
    """What the journal says of an ended job besides its end: how much of its output was not kept."""
    if job.service is ServicePlane.ANSWERED and job.note:
        return (fact("", Cell(f"! {job.note}", "warn")),)
    return ()


def _remedy(job: Job) -> str:
    if job.service is ServicePlane.LOST:
        return "Nobody knows its outcome. Look at the state before you submit it again: the command may have run."
    if job.service is ServicePlane.UNKNOWN and job.job_id is None:
        return "Whether the service took it is not known. Look at the workspace's jobs and state before you submit it again."
    if job.service is ServicePlane.UNKNOWN:
        return "The job may go on. It is asked for again with the next refresh."
    if job.refused:
        return "Nothing ran. Mend what it says, in the request below or where it leads, and submit it again."
    if job.service is ServicePlane.FAULTED:
        return "The service failed, not the command: its log says why."
    return ""


def part_text(job: Job, part: str, now: datetime) -> str:
    """One of :data:`PARTS` as text; may hold external text."""
    match part:
        case "stderr":
            return job.stderr
        case "stdout":
            return job.stdout
        case "request":
            return request_text(job)
        case _:
            return timeline(job, now)


def request_text(job: Job) -> str:
    """The request as it was sent; empty for a job that is known by its id alone."""
    if not job.fields:
        return ""
    return json.dumps(dict(job.fields), indent=2, ensure_ascii=False)


def timeline(job: Job, now: datetime) -> str:
    """When what happened, by the service's clock, and how long it took."""
    lines = [f"submitted   {moment(job.submitted)}   by this console" if job.fields else f"known since {moment(job.submitted)}"]
    for label, at in (("created", job.created), ("started", job.started), ("finished", job.finished), ("last seen", job.seen)):
        if at is not None:
            lines.append(f"{label:<11} {moment(at)}")
    if words := said(job):
        lines.append(f"it said     {words}")
    lines.append(f"waited      {precise(job.queue_wait(now))}")
    lines.append(f"ran         {precise(job.run_time(now))}")
    if job.restarted is not None:
        lines.append(f"forgotten   by the service after {moment(job.restarted)}: it restarted, or another one answers there")
    elif job.expires is not None:
        lines.append(f"forgotten   {moment(job.expires)}   at the latest: the service keeps an ended job for one hour")
    if job.note:
        lines.append(f"note        {job.note}")
    return "\n".join(lines)


EMPTY = {
    "stderr": "nothing was written to stderr",
    "stdout": "nothing was written to stdout",
    "request": "this console did not send it: the request is not known",
    "timeline": "",
}


def empty_words(job: Job, part: str, *, asked: bool = False) -> str:
    """Why a part has no text. ``asked``: the journal and the service were asked for the output already."""
    if part in {"stderr", "stdout"} and is_unread(job):
        if asked:
            return f"the journal keeps no output, and the service gives these {job.output_bytes:,} bytes no more"
        return "reading the output…"
    if part in {"stderr", "stdout"} and job.refused:
        return "nothing ran: there is no output"
    if part in {"stderr", "stdout"} and job.service is not ServicePlane.ANSWERED:
        return "the service gives the output once the command has ended"
    return EMPTY[part]


def as_json(job: Job, diagnosis: Diagnosis | None = None, *, output: bool = True) -> str:
    """The job in the shape of the command line, with its output."""
    return json.dumps(as_data(job, output=output, diagnosis=diagnosis), indent=2, ensure_ascii=False)


def copies(job: Job, diagnosis: Diagnosis | None = None) -> tuple[Copy, ...]:
    """What of a job can be copied. Outputs go out without control characters: what is pasted must not act.

    An output that no clipboard takes is not made ready for one: it is saved.
    """
    fits = job.output_bytes <= LONGEST_SEQUENCE
    offered = [Copy(label="the job id", text=job.job_id, role="thing")] if job.job_id else []
    label = "the job as JSON" if fits else "the job as JSON, without its output"
    offered.append(Copy(label=label, text=as_json(job, diagnosis, output=fits), role="json"))
    if job.job_id:
        command = f"kumoss-console jobs show {job.job_id} --context {shlex.quote(job.context)}"
        offered.append(Copy(label="the command that shows this", text=command, role="command"))
    if diagnosis is not None and diagnosis.findings:
        offered.append(Copy(label="what it means", text=as_text(diagnosis)))
    outputs = (("stderr", job.stderr), ("stdout", job.stdout)) if fits else ()
    texts = (("the workspace", job.workspace), *outputs, ("the verdict", job.summary))
    offered += [Copy(label=label, text=uncoloured(text)) for label, text in texts if text]
    return tuple(offered)


def saved(job: Job, part: str, lines: LineView) -> tuple[str, Callable[[], Iterator[str]]] | None:
    """A file name to propose for a part, and what writes it; ``None`` for an empty one."""
    if not lines.line_count:
        return None
    return (f"{kind_name(job).replace(' ', '-')}-{(job.job_id or 'job')[:8]}-{part}.txt", lines.pieces)
