"""Where the core keeps Terraform state: the ``storage`` section of its configuration as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal
from urllib.parse import quote, urlsplit

from kumoss_console.text import Secret


class StorageProvider(StrEnum):
    """The core accepts each by name (``RUSTFS``) or by value (``rustfs``)."""

    RUSTFS = "rustfs"
    S3 = "s3"
    STORAGE_ACCOUNT = "storage_account"


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
    """The core's storage settings with the core's defaults. Timeouts in seconds.

    ``terraform_state_bucket`` is trimmed; empty means that managed state is off.
    """

    provider: StorageProvider = StorageProvider.RUSTFS
    bucket: str = "kumoss-artifacts"
    terraform_state_bucket: str = "kumoss-terraform-state"
    terraform_state_filename: str = "terraform.tfstate"
    endpoint_url: str = "http://object-storage:9000"
    public_endpoint_url: str = "http://localhost:9000"
    region: str = "us-east-1"
    access_key_env: str = "RUSTFS_ACCESS_KEY"
    secret_key_env: str = "RUSTFS_SECRET_KEY"  # noqa: S105 - the name of a variable
    account_key_env: str = "STORAGE_ACCOUNT_KEY"
    connect_timeout: float = 3.0
    read_timeout: float = 10.0
    max_attempts: int = 3
    presign_expiry_seconds: int = 172800

    @property
    def managed(self) -> bool:
        """Whether the core writes the backend override."""
        return bool(self.terraform_state_bucket)

    @property
    def account_name(self) -> str | None:
        """The storage account that ``endpoint_url`` names; ``None`` where it names none.

        The first host label where the second is ``blob``, else a single-segment URL path (the emulator's form).
        """
        try:
            parts = urlsplit(self.endpoint_url)
            labels = (parts.hostname or "").split(".")
        except ValueError:
            return None
        if len(labels) > 1 and labels[1] == "blob" and labels[0]:
            return labels[0]
        segments = [segment for segment in parts.path.split("/") if segment]
        return segments[0] if len(segments) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageCredentials:
    """Static credentials as the core would resolve them, each with where it came from.

    ``None`` is an absent variable, an empty secret a blank one. ``source`` is for people: ``env RUSTFS_ACCESS_KEY``,
    ``the core's default rustfsadmin``, ``the SDK's credential chain``.
    """

    access_key: Secret | None = None
    secret_key: Secret | None = None
    account_key: Secret | None = None
    sas: Secret | None = None
    """A shared access signature of a storage account: the console's own way in, the core takes none."""
    entra: bool = False
    """Whether an identity of Entra ID is to be used where there is neither a key nor a SAS."""
    source: str = "unknown"

    @property
    def static_keys(self) -> bool:
        """The core uses (and embeds) keys only where both are set."""
        return bool(self.access_key) and bool(self.secret_key)


def object_url(storage: StorageSettings, key: str) -> str:
    """Where the object is over HTTP, without credentials or signature; empty where no usable endpoint or bucket is set.

    Path style at the endpoint, except for AWS, whose hosts are named after bucket and region.
    """
    bucket = storage.terraform_state_bucket
    if not bucket:
        return ""
    path = quote(key, safe="/", errors="replace")
    if storage.provider is StorageProvider.S3:
        region = f".{storage.region}" if storage.region else ""
        suffix = ".cn" if storage.region.startswith("cn-") else ""
        return f"https://{quote(bucket, errors='replace')}.s3{region}.amazonaws.com{suffix}/{path}"
    try:
        parts = urlsplit(storage.endpoint_url)
    except ValueError:
        return ""
    server = parts.netloc.rpartition("@")[2]
    if parts.scheme not in {"http", "https"} or not server:
        return ""
    return f"{parts.scheme}://{server}{parts.path.rstrip('/')}/{quote(bucket, errors='replace')}/{path}"


OwnershipModel = Literal["managed", "repository", "sidecar", "mixed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """Who decides where state goes. ``certain`` is false where the sidecar's own setting is not known to this console."""

    model: OwnershipModel
    certain: bool
    explanation: str


def ownership(storage: StorageSettings, backend_config: str | None) -> Ownership:
    """The model in force. ``backend_config`` is the sidecar's IAC_BACKEND_CONFIG: ``None`` unknown, blank unset, else a path."""
    sidecar = None if backend_config is None else bool(backend_config.strip())
    if sidecar and storage.managed:
        return Ownership(
            model="mixed",
            certain=True,
            explanation="the core writes an override and the sidecar's file is laid over it key by key: a misconfiguration",
        )
    if sidecar:
        return Ownership(
            model="sidecar",
            certain=True,
            explanation="the keys of the sidecar's file replace those of the repository's backend block",
        )
    unknown = "; IAC_BACKEND_CONFIG of the sidecar is not known here" if sidecar is None else ""
    if storage.managed:
        return Ownership(
            model="managed",
            certain=sidecar is not None,
            explanation=f"the core writes the override, one key per project{unknown}",
        )
    return Ownership(
        model="repository",
        certain=sidecar is not None,
        explanation=f"the backend block of the repository decides{unknown}",
    )
