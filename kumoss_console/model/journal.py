"""Values about the job journal: how much of it is kept, who looks at which job, what is new in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kumoss_console.model.job import Job

GIB = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalSettings:
    """How much the journal keeps. It is one file for all contexts, so these are no settings of a context.

    ``max_bytes`` is for the whole file: the output of the oldest jobs goes first, then the oldest jobs. A job whose end is not
    known stays however old or large the file is.
    """

    store_output: bool = True
    max_age_days: float = 180.0
    max_bytes: int = GIB


@dataclass(frozen=True, slots=True)
class Claim:
    """A console's wish to look at a job that nobody has looked at for ``period`` seconds."""

    entry: int
    period: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Rows written since a revision, by whichever console. ``whole`` says that they are the whole list: forget other rows."""

    jobs: tuple[Job, ...]
    revision: tuple[int, int]
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What became of jobs read from another journal: new here, ended there while open here, or nothing new."""

    added: int = 0
    completed: int = 0
    known: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What retention took away."""

    jobs: int = 0
    outputs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A damaged journal that was set aside ``at`` that time. ``file`` is where it lies, ``name`` the last part of it."""

    file: str
    name: str
    at: datetime
