"""Every key of the core's own file that the console reads.

Keys, rules and defaults are those of the core's configuration model; the defaults themselves live in ``kumoss_console.model``.
"""

from __future__ import annotations

from kumoss_console.config.fields import Field, Section
from kumoss_console.config.rules import Choice, Nested, Number, Text, Url, Variable
from kumoss_console.model.context import IacSettings, PathSettings
from kumoss_console.model.storage import StorageProvider, StorageSettings

_FILENAME = Text(
    pattern=r"[A-Za-z0-9._-]{1,128}", accepted="a bare file name of 1 to 128 letters, digits, dots, underscores and hyphens"
)
_SECONDS = Number(above=0, as_core=True, accepted="seconds, more than 0")
_storage = StorageSettings()
_iac = IacSettings()
_paths = PathSettings()

STORAGE = Section(
    path="storage",
    fields=(
        Field(
            name="provider",
            rule=Choice(
                spellings={
                    **{provider.name: provider for provider in StorageProvider},
                    **{provider.value: provider for provider in StorageProvider},
                }
            ),
            default=_storage.provider.name,
            doc="`RUSTFS` is any S3-compatible store with an endpoint of its own, `S3` is AWS, `STORAGE_ACCOUNT` is Azure.",
        ),
        Field(name="bucket", rule=Text(), default=_storage.bucket, doc="The core's artifacts. Read, and not used."),
        Field(
            name="terraform_state_bucket",
            rule=Text(trimmed=True, accepted='a bucket name, or "" to turn managed state off'),
            default=_storage.terraform_state_bucket,
            doc="Where state lives. Blank is managed state **off**, a missing key is **on** with the default, null is an error.",
            null_hint='write "" to turn managed state off, or remove the line for the default (managed state on)',
        ),
        Field(
            name="terraform_state_filename",
            rule=_FILENAME,
            default=_storage.terraform_state_filename,
            doc="The last part of every state key.",
        ),
        Field(
            name="endpoint_url",
            rule=Text(),
            default=_storage.endpoint_url,
            doc="A URL for `RUSTFS`; an account's blob endpoint for `STORAGE_ACCOUNT`; ignored for `S3`.",
        ),
        Field(
            name="public_endpoint_url",
            rule=Text(),
            default=_storage.public_endpoint_url,
            doc="Where browsers fetch artifacts. Read, and not used.",
        ),
        Field(name="region", rule=Text(), default=_storage.region, doc="Ignored for `STORAGE_ACCOUNT`."),
        Field(
            name="access_key_env",
            rule=Variable(),
            default=_storage.access_key_env,
            doc="The variable with the access key. `rustfsadmin` stands in for it under `RUSTFS`, only where it is absent.",
        ),
        Field(
            name="secret_key_env",
            rule=Variable(),
            default=_storage.secret_key_env,
            doc="The variable with the secret key, by the same rule.",
        ),
        Field(
            name="account_key_env",
            rule=Variable(),
            default=_storage.account_key_env,
            doc="The variable with the shared key of a `STORAGE_ACCOUNT`.",
        ),
        Field(name="connect_timeout", rule=_SECONDS, default=str(_storage.connect_timeout), doc="For each request."),
        Field(name="read_timeout", rule=_SECONDS, default=str(_storage.read_timeout), doc="For each request."),
        Field(
            name="max_attempts",
            rule=Number(integer=True, as_core=True, low=0, high=100, accepted="an integer from 0 to 100"),
            default=str(_storage.max_attempts),
            doc="Retries of the SDK. What the console writes is sent once.",
        ),
        Field(
            name="presign_expiry_seconds",
            rule=Number(integer=True, as_core=True, low=108000, high=604800, accepted="an integer from 108000 to 604800"),
            default=str(_storage.presign_expiry_seconds),
            doc="How long the core's download links live: 30 hours to 7 days. Read, and not used.",
        ),
    ),
)

IAC = Section(
    path="services.iac",
    fields=(
        Field(
            name="endpoint",
            rule=Url(
                empty="services.iac.endpoint is empty; the IaC service is mandatory. Point it at one that keeps the contract"
            ),
            default=_iac.endpoint,
            doc="The base URL of the sidecar.",
        ),
        Field(
            name="token_env", rule=Variable(), default=_iac.token_env, doc="The variable with the bearer token of the sidecar."
        ),
        Field(name="timeout", rule=_SECONDS, default=str(_iac.timeout), doc="For each request."),
        Field(
            name="job_poll_interval",
            rule=_SECONDS,
            default=str(_iac.job_poll_interval),
            doc="The longest pause between two looks at a job.",
        ),
        Field(
            name="job_timeout",
            rule=_SECONDS,
            default=str(_iac.job_timeout),
            doc="How long a job is watched; the job itself goes on.",
        ),
    ),
    ignored=frozenset({"enabled"}),
)

SERVICES = Section(
    path="services",
    fields=(Field(name="iac", rule=Nested(accepted="a mapping"), doc="The sidecar."),),
    ignored=frozenset({"notifications", "mapping", "authz", "validation"}),
)

PATHS = Section(
    path="paths",
    fields=(
        Field(
            name="backend_override_filename",
            rule=Text(
                pattern=r"[A-Za-z0-9._-]{1,128}_override\.tf",
                accepted="a bare file name that ends in _override.tf, with 1 to 128 letters, digits, . _ or - before that",
            ),
            default=_paths.backend_override_filename,
            doc="The file the core writes into a workspace while managed state is on.",
        ),
        Field(
            name="session_plan_filename", rule=_FILENAME, default=_paths.session_plan_filename, doc="The plan file of a session."
        ),
    ),
    ignored=frozenset({"upload_folder"}),
)

CORE_SECTIONS = frozenset(
    {
        "admin",
        "database",
        "environment",
        "git",
        "http",
        "llm",
        "oidc",
        "orchestration",
        "paths",
        "redis",
        "services",
        "storage",
        "telemetry",
    }
)
"""The top-level keys of the core's file: by these it is told from a console file."""

ROOT = Section(
    path="",
    fields=(
        Field(name="storage", rule=Nested(accepted="a mapping"), doc="Where state lives."),
        Field(name="services", rule=Nested(accepted="a mapping"), doc="The services the core calls; `iac` is read."),
        Field(name="paths", rule=Nested(accepted="a mapping"), doc="File names in a workspace."),
    ),
    ignored=CORE_SECTIONS,
)
