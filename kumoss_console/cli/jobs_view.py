"""Jobs as the command line shows them: the JSON shape, the table, one line of a watch, and how a command about jobs ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Text, Tone
from kumoss_console.cli.diagnosis_view import diagnosis_blocks
from kumoss_console.cli.shapes import heading
from kumoss_console.errors import ExitCode
from kumoss_console.model.diagnosis import Diagnosis
from kumoss_console.model.duration import in_words
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.model.moment import iso
from kumoss_console.services.jobs.words import said

_TONES: dict[Verdict, Tone] = {Verdict.GOOD: "good", Verdict.BAD: "bad", Verdict.UNKNOWN: "warn", Verdict.PENDING: "plain"}
_COLUMNS = (
    Column("STATE"),
    Column("KIND"),
    Column("WORKSPACE", "middle"),
    Column("AGE", right=True),
    Column("RUN", right=True),
    Column("SUMMARY", "end"),
    Column("JOB ID"),
)


def state_text(job: Job) -> str:
    """``answered 1``: what the service says and, once there is one, what the command said."""
    return f"{job.standing} {job.exit_code}" if job.exit_code is not None else job.standing


_NO_ID = {
    True: "none: nothing ran, for the service did not take it",
    False: "not known: the service never answered the submission",
}


def jobs_table(jobs: Sequence[Job], now: datetime, words: Mapping[int, str]) -> Table:
    """``words`` are what commands said of their end, by the job's entry."""
    return Table(
        _COLUMNS,
        [
            (
                Cell(state_text(job), _TONES[job.verdict]),
                job.kind.value if job.kind else "-",
                job.workspace or "-",
                in_words(now - (job.created or job.submitted)),
                in_words(run) if (run := job.run_time(now)) is not None else "-",
                words.get(job.entry) or job.summary,
                job.job_id or f"#{job.entry}",
            )
            for job in jobs
        ],
    )


def watch_line(job: Job, now: datetime) -> Text:
    """One change of one job: when, which, and how it stands."""
    kind = job.kind.value if job.kind else "job"
    words = _one_line(said(job) or job.summary)
    return Text(f"{iso(now)}  {job.job_id or f'#{job.entry}'}  {kind}  {state_text(job)}  {words}", _TONES[job.verdict])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def job_blocks(job: Job, now: datetime, diagnosis: Diagnosis | None = None) -> list[Block]:
    """Everything about one job: what its failure means where that was looked at, its output last."""
    pairs: list[tuple[str, Cell | str]] = [
        ("job", job.job_id or _NO_ID[job.refused]),
        ("state", Cell(state_text(job), _TONES[job.verdict])),
        ("summary", Cell(said(job) or job.summary, _TONES[job.verdict])),
        ("kind", job.kind.value if job.kind else "-"),
        ("workspace", job.workspace or "-"),
        ("context", job.context),
        *((name, _joined(value)) for name, value in job.fields if name != "workspace_path" and value),
        ("submitted", iso(job.submitted)),
    ]
    # What has not happened yet has no line.
    times = (("created", job.created), ("started", job.started), ("finished", job.finished))
    spans = (("in line", job.queue_wait(now)), ("run time", job.run_time(now)))
    pairs += [(name, iso(moment)) for name, moment in times if moment is not None]
    pairs += [(name, in_words(span)) for name, span in spans if span is not None]
    if job.expires is not None:
        pairs.append(("forgotten by the service", iso(job.expires)))
    blocks: list[Block] = [Fields(pairs)]
    if diagnosis is not None:
        blocks += [heading("diagnosis"), *diagnosis_blocks(diagnosis)]
    if job.problem is not None:
        told = "\n".join(part for part in (job.problem.title, job.problem.detail) if part)
        blocks += [heading(f"problem ({job.problem.status})"), Text(told)]
    for name, text in (("stdout", job.stdout), ("stderr", job.stderr)):
        if text.strip():
            blocks += [heading(name), Text(text)]
    return blocks


def _joined(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def exit_code_of(jobs: Iterable[Job]) -> ExitCode:
    """How a command about jobs ends: a failed command or a faulted service is bad news (1); an outcome that could not be
    learned, because the service forgot the job or never answered, is a question unanswered (3). Bad news goes first."""
    found = tuple(jobs)
    if any(job.verdict is Verdict.BAD for job in found):
        return ExitCode.BAD_NEWS
    if any(job.service in {ServicePlane.LOST, ServicePlane.UNKNOWN} for job in found):
        return ExitCode.UNREACHABLE
    return ExitCode.OK
