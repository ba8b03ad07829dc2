"""``info``: every path and version in use."""

from __future__ import annotations

import click

from kumoss_console.cli.blocks import Block, Cell, Fields
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import heading
from kumoss_console.errors import ExitCode
from kumoss_console.services.doctor.info import Info


@click.command(cls=SharedCommand)
@pass_session
def info(session: Session) -> ExitCode:
    """Every path and version in use: what to paste under a report. Asks no service and creates nothing."""
    from kumoss_console.services.doctor.info import gather
    from kumoss_console.services.wiring.adapters import journal_file

    config, environ = session.config, session.world.environ
    context = config.context(session.shared.one("context"))
    found = gather(config, context.name, context.core_file, journal_file(environ), environ)
    return session.answer(Answer(data=_data(found), blocks=_blocks(found)))


def _data(found: Info) -> dict[str, object]:
    return {
        "console": found.console,
        "python": found.python,
        "platform": found.platform,
        "context": found.context,
        "config_files": [
            {"path": file.path, "role": file.role, "found_by": file.found_by, "exists": file.exists}
            for file in found.config_files
        ],
        "core_file": found.core_file,
        "config_folder": found.config_folder,
        "state_folder": found.state_folder,
        "cache_folder": found.cache_folder,
        "journal": found.journal,
        "sample_configs": found.sample_configs,
        "engine": found.engine,
        "versions": dict(found.versions),
    }


def _blocks(found: Info) -> list[Block]:
    files = [
        (f"{file.role} file", Cell(f"{file.path} ({file.found_by}{'' if file.exists else ', absent'})"))
        for file in found.config_files
    ]
    return [
        Fields(
            [
                ("kumoss-console", found.console),
                ("python", f"{found.python} on {found.platform}"),
                ("context", found.context),
                *(files or [("configuration", Cell("no file: the core's defaults"))]),
                ("config folder", str(found.config_folder)),
                ("state folder", str(found.state_folder)),
                ("cache folder", str(found.cache_folder)),
                ("journal", str(found.journal)),
                ("sample configs", str(found.sample_configs or "not installed")),
                ("engine", found.engine or Cell("none here", "dim")),
            ]
        ),
        heading("Versions"),
        Fields([(name, version or Cell("not installed", "dim")) for name, version in found.versions.items()]),
    ]
