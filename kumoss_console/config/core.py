"""The core's own settings, as far as the console needs them, from its file or inline."""

from __future__ import annotations

from dataclasses import dataclass, field

from kumoss_console.config.core_tables import IAC, PATHS, ROOT, SERVICES, STORAGE
from kumoss_console.config.elements import Element
from kumoss_console.config.report import Report
from kumoss_console.config.rules import url_fault
from kumoss_console.config.sections import Reading, read_section
from kumoss_console.model.context import IacSettings, PathSettings
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.text import printable, redact


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreSettings:
    """``file`` is the file they were read from, ``None`` for inline settings and for the core's defaults."""

    storage: StorageSettings = field(default_factory=StorageSettings)
    iac: IacSettings = field(default_factory=IacSettings)
    paths: PathSettings = field(default_factory=PathSettings)
    file: str | None = None


def read_core(root: Element, report: Report, *, file: str) -> CoreSettings:
    """The settings of a core file. Sections and keys the console does not use are left alone."""
    sections = read_section(root, ROOT, report, ours=False).elements
    return read_sections(sections.get("storage"), sections.get("services"), sections.get("paths"), report, ours=False, file=file)


def read_sections(
    storage: Element | None,
    services: Element | None,
    paths: Element | None,
    report: Report,
    *,
    ours: bool,
    file: str | None = None,
) -> CoreSettings:
    """The settings of three sections, each with the core's defaults where it or a key of it is missing."""
    services_reading = read_section(services, SERVICES, report, ours=ours)
    iac_reading = read_section(services_reading.elements.get("iac"), IAC, report, ours=ours)
    paths_reading = read_section(paths, PATHS, report, ours=ours)
    storage_reading = read_section(storage, STORAGE, report, ours=ours)
    settings = StorageSettings(**storage_reading.values)
    if storage is not None:
        _check_endpoint(settings, storage, storage_reading, report)
    return CoreSettings(
        storage=settings,
        iac=IacSettings(**iac_reading.values),
        paths=PathSettings(**paths_reading.values),
        file=file,
    )


def _check_endpoint(settings: StorageSettings, section: Element, reading: Reading, report: Report) -> None:
    """The endpoint must suit the provider; S3 ignores it. The words about an account are the core's own."""
    written = reading.elements.get("endpoint_url")
    if settings.provider is StorageProvider.S3 or (written is not None and "endpoint_url" not in reading.values):
        return
    if "provider" in reading.elements and "provider" not in reading.values:
        return
    if settings.provider is StorageProvider.STORAGE_ACCOUNT and settings.account_name is None:
        accepted = (
            "https://<account>.blob.core.windows.net, or http://<host>:<port>/<account>, as the provider is STORAGE_ACCOUNT"
        )
        hint = (
            "the core refuses to start: storage.endpoint_url must be an account blob endpoint "
            "(https://<account>.blob.core.windows.net) when storage.provider is STORAGE_ACCOUNT; "
            f"cannot derive an account name from '{redact(printable(settings.endpoint_url[:200]))}'."
        )
        if written is not None:
            report.add(written.problem(accepted, hint=hint))
        else:
            place = reading.elements.get("provider", section)
            found = f"{section.path}.endpoint_url is not set, and its default {settings.endpoint_url} names no account"
            report.add(place.problem(accepted, found=found, hint=hint))
    elif written is not None and (fault := url_fault(settings.endpoint_url)):
        report.add(written.problem("a URL that begins with http:// or https:// and names a host", hint=fault))
