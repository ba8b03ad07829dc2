"""A context: one world an operator works in, as plain values. Loading it from files is the business of ``config``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.text import Secret

Colour = Literal["red", "yellow", "green", "blue", "magenta", "cyan", "white"]
COLOURS: tuple[Colour, ...] = ("red", "yellow", "green", "blue", "magenta", "cyan", "white")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownProject:
    """A project the operator named, so that keys in the bucket get an owner."""

    repo: str
    scope: str
    path: str = ""
    provider: CloudProvider | None = None
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IacSettings:
    """The core's ``services.iac`` section with the core's defaults. All durations in seconds."""

    endpoint: str = "http://iac:8082"
    token_env: str = "KUMOSS_IAC_TOKEN"  # noqa: S105 - the name of a variable
    timeout: float = 30.0
    job_poll_interval: float = 5.0
    job_timeout: float = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PathSettings:
    """The core's ``paths`` section, as far as the console uses it."""

    backend_override_filename: str = "backend_override.tf"
    session_plan_filename: str = "session.plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockSettings:
    """Where locks are kept beside the store. ``dynamodb_table`` is empty where no backend block names one.

    ``dynamodb_endpoint`` is empty for AWS's own in the region of the storage settings.
    """

    dynamodb_table: str = ""
    dynamodb_endpoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureSettings:
    """How the console itself gets into a storage account where it has no key of it."""

    sas_env: str = "STORAGE_ACCOUNT_SAS"
    entra_id: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Everything needed to reach one world.

    ``backend_config`` is the sidecar's IAC_BACKEND_CONFIG as the operator states it: ``None`` unknown, empty unset, else the
    path. ``token`` is ``None`` where the variable is absent. ``refresh_interval`` in seconds.
    """

    name: str
    storage: StorageSettings = field(default_factory=StorageSettings)
    credentials: StorageCredentials = field(default_factory=StorageCredentials)
    iac: IacSettings = field(default_factory=IacSettings)
    token: Secret | None = None
    paths: PathSettings = field(default_factory=PathSettings)
    locks: LockSettings = field(default_factory=LockSettings)
    azure: AzureSettings = field(default_factory=AzureSettings)
    backend_config: str | None = None
    read_only: bool = False
    colour: Colour = "blue"
    projects: tuple[KnownProject, ...] = ()
    clones: tuple[str, ...] = ()
    """Folders below which local clones lie, absolute or beginning with ``~/``: they tell whose a key is."""
    scopes: tuple[str, ...] = ()
    """Scopes that are known beside those of the projects."""
    workspaces_root: str | None = None
    refresh_interval: float = 15.0
    core_file: str | None = None
    """The core's configuration file that was read, ``None`` where the core's defaults stand."""
