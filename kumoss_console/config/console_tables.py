"""Every key of the console's own section."""

from __future__ import annotations

from kumoss_console.config.fields import Field, Section
from kumoss_console.config.rules import Choice, Flag, Nested, Number, Text, Url, Variable
from kumoss_console.model.context import COLOURS, AzureSettings, Context
from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.journal import JournalSettings

_OWN_SECONDS = Number(low=0.5, high=86400, accepted="seconds, from 0.5 to 86400")

_context = Context(name="")
_journal = JournalSettings()

_SHARED = (
    Field(
        name="refresh_interval",
        rule=_OWN_SECONDS,
        default=str(_context.refresh_interval),
        doc="How often a screen asks again.",
    ),
    Field(
        name="poll_interval",
        rule=_OWN_SECONDS,
        default="the core's `services.iac.job_poll_interval`",
        doc="The longest pause between two looks at a job, where the console's should differ from the core's.",
    ),
    Field(
        name="workspaces_root",
        rule=Text(pattern=r"/[^\0]*", accepted="an absolute path, as the sidecar sees it"),
        default="none",
        doc="The folder below which workspaces lie, for completion.",
    ),
    Field(
        name="projects",
        rule=Nested(accepted="a list of projects"),
        default="none",
        doc="Known projects: they give keys an owner.",
    ),
    Field(
        name="clones",
        rule=Nested(accepted="a list of folders, absolute or beginning with ~/"),
        default="none",
        doc="Folders below which local clones lie: `key --owner` tries their remotes and root modules.",
    ),
    Field(
        name="scopes",
        rule=Nested(accepted="a list of scope ids, as text"),
        default="none",
        doc="Scopes beside those of the projects, for `key --owner`.",
    ),
)

CLONE = Text(pattern=r"(?:/|~/)[^\0]*", accepted="a folder, absolute or beginning with ~/")
SCOPE = Text(at_least=1, at_most=1024, accepted="a scope id, as text")

CONSOLE = Section(
    path="console",
    fields=(
        Field(
            name="default_context",
            rule=Text(at_least=1, accepted="the name of a context"),
            default="the first context",
            doc="The context that is open without `--context`.",
        ),
        Field(
            name="contexts",
            rule=Nested(accepted="a list of contexts"),
            default="one, named `default`",
            doc="The worlds an operator works in.",
        ),
        Field(
            name="journal",
            rule=Nested(accepted="a mapping"),
            default="see below",
            doc="How much the job journal keeps.",
        ),
        *_SHARED,
    ),
    elsewhere={
        key: f"{key} is a key of each context, below contexts:"
        for key in ("name", "config", "storage", "services", "paths", "read_only", "colour", "sidecar", "locks", "azure")
    },
)

JOURNAL = Section(
    path="console.journal",
    fields=(
        Field(
            name="store_output",
            rule=Flag(),
            default="true",
            doc="Whether the output of jobs is kept. Plans and state may hold secrets in clear; the file is for its owner only.",
        ),
        Field(
            name="max_age_days",
            rule=Number(low=1, high=36500, accepted="days, from 1 to 36500"),
            default=f"{_journal.max_age_days:g}",
            doc="Jobs older than this are let go, unless their end is not known.",
        ),
        Field(
            name="max_bytes",
            rule=Number(low=2**20, high=2**40, integer=True, accepted="bytes, an integer from 1048576 to 1099511627776"),
            default=str(_journal.max_bytes),
            doc="How large the journal's file may be. The output of the oldest jobs goes first, then the oldest jobs.",
        ),
    ),
)

CONTEXT = Section(
    path="console.contexts[]",
    fields=(
        Field(
            name="name",
            rule=Text(
                pattern=r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}",
                accepted="1 to 64 letters, digits, dots, underscores and hyphens, the first a letter or a digit",
            ),
            default="required",
            doc="What `--context` takes. Unique.",
        ),
        Field(
            name="config",
            rule=Text(pattern=r"(?s)[^\0]*[^\0\s][^\0]*", accepted="the path of a core configuration file"),
            default="see below",
            doc="The core's file, relative to this one; `~/` is the home directory. Not together with inline sections.",
        ),
        Field(name="storage", rule=Nested(accepted="a mapping"), default="none", doc="Inline, as in the core's file."),
        Field(name="services", rule=Nested(accepted="a mapping"), default="none", doc="Inline; `iac` is read."),
        Field(name="paths", rule=Nested(accepted="a mapping"), default="none", doc="Inline, as in the core's file."),
        Field(name="read_only", rule=Flag(), default="false", doc="Nothing that changes anything is offered."),
        Field(
            name="colour",
            rule=Choice(spellings={colour: colour for colour in COLOURS}),
            default=_context.colour,
            doc="The colour of the context's name on every screen.",
        ),
        Field(
            name="sidecar",
            rule=Nested(accepted="a mapping"),
            default="unknown",
            doc="What is known of the sidecar's own settings.",
        ),
        Field(
            name="locks",
            rule=Nested(accepted="a mapping"),
            default="none",
            doc="Where locks are kept beside the store.",
        ),
        Field(
            name="azure",
            rule=Nested(accepted="a mapping"),
            default="none",
            doc="The console's own way into a `STORAGE_ACCOUNT` whose key it is not given.",
        ),
        *_SHARED,
    ),
)

SIDECAR = Section(
    path="console.contexts[].sidecar",
    fields=(
        Field(
            name="backend_config",
            rule=Text(trimmed=True, accepted='a path, or "" where IAC_BACKEND_CONFIG is unset'),
            default="unknown",
            doc='`IAC_BACKEND_CONFIG` on the sidecar: `""` is unset, a path is that file, a missing key is not known.',
            null_hint='write "" where the variable is unset on the sidecar, or remove the line where that is not known',
        ),
    ),
)

LOCKS = Section(
    path="console.contexts[].locks",
    fields=(
        Field(
            name="dynamodb_table",
            rule=Text(pattern=r"[A-Za-z0-9._-]{3,255}", accepted="the name of a table: 3 to 255 letters, digits, dots, _ and -"),
            default="none",
            doc="The `dynamodb_table` of the backend blocks: its rows are locks, too. Asked with the keys of the bucket.",
        ),
        Field(
            name="dynamodb_endpoint",
            rule=Url(),
            default="AWS, in `storage.region`",
            doc="Where the table is, if it is not AWS's own.",
        ),
    ),
)

AZURE = Section(
    path="console.contexts[].azure",
    fields=(
        Field(
            name="sas_env",
            rule=Variable(),
            default=AzureSettings().sas_env,
            doc="The variable with a shared access signature, used where `storage.account_key_env` names none that is set.",
        ),
        Field(
            name="entra_id",
            rule=Flag(),
            default="false",
            doc="Whether this machine's identity of Entra ID (`az login`, `AZURE_*`) is used where there is neither key nor SAS.",
        ),
    ),
)

PROJECT = Section(
    path="console.projects[], console.contexts[].projects[]",
    fields=(
        Field(
            name="repo",
            rule=Text(at_least=1, accepted="an https:// URL of a repository"),
            default="required",
            doc="As the core is given it.",
        ),
        Field(
            name="scope",
            rule=Text(at_least=1, at_most=1024, accepted="a scope id, as text"),
            default="required",
            doc="Subscription, project or account. In quotes where it is all digits.",
        ),
        Field(name="path", rule=Text(), default='""', doc='The root module in the repository. `.` and `""` are two projects.'),
        Field(
            name="provider",
            rule=Choice(spellings={provider.value: provider for provider in CloudProvider}),
            default="none",
            doc="The cloud of the scope.",
        ),
        Field(name="name", rule=Text(at_most=200), default='""', doc="What to call it."),
    ),
)
