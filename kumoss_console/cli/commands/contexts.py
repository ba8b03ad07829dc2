"""``contexts``: the worlds of this configuration."""

from __future__ import annotations

from urllib.parse import urlsplit

import click

from kumoss_console.cli.blocks import Cell, Column, Table
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.errors import ExitCode
from kumoss_console.model.context import Context
from kumoss_console.model.storage import StorageProvider, ownership

_COLUMNS = (
    Column("CONTEXT"),
    Column("PROVIDER"),
    Column("STATE BUCKET", "middle"),
    Column("STORE", "middle"),
    Column("SIDECAR", "middle"),
    Column("OWNERSHIP"),
    Column("MODE"),
)


@click.command(cls=SharedCommand)
@pass_session
def contexts(session: Session) -> ExitCode:
    """The contexts of this configuration. ``*`` marks the default one."""
    config = session.config
    if (named := session.shared.one("context")) is not None:
        config.context(named)  # one that is not there is told, though all are listed
    rows = [_data(context, context.name == config.default, session.shared.read_only) for context in config.contexts]
    lines = [
        (
            Cell(f"{row['name']} *" if row["default"] else str(row["name"]), "good" if row["default"] else "plain"),
            str(row["provider"]),
            str(row["bucket"] or "-"),
            str(row["store"]),
            str(row["sidecar"]),
            str(row["ownership"]),
            "read-only" if row["read_only"] else "read-write",
        )
        for row in rows
    ]
    return session.answer(Answer(data=rows, blocks=[Table(_COLUMNS, lines)], warnings=config.warnings))


def _data(context: Context, default: bool, read_only: bool) -> dict[str, object]:
    """Hosts, not addresses: an address may carry a name and a password."""
    storage = context.storage
    return {
        "name": context.name,
        "default": default,
        "provider": storage.provider.name,
        "bucket": storage.terraform_state_bucket or None,
        "store": "AWS" if storage.provider is StorageProvider.S3 else _host(storage.endpoint_url),
        "region": None if storage.provider is StorageProvider.STORAGE_ACCOUNT else storage.region,
        "sidecar": _host(context.iac.endpoint),
        "ownership": ownership(storage, context.backend_config).model,
        "read_only": context.read_only or read_only,
        "colour": context.colour,
        "core_file": context.core_file,
        "projects": len(context.projects),
    }


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return ""
