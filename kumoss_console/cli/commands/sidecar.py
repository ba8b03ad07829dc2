"""``sidecar serve``: the bundled IaC service in the foreground."""

from __future__ import annotations

import click

from kumoss_console.cli.command import Lazy, LazyGroup, SharedCommand, pass_session
from kumoss_console.cli.session import Session
from kumoss_console.errors import ExitCode
from kumoss_console.sidecar.variables import OPTIONS, Variable, overlaid


@click.command(
    cls=LazyGroup,
    lazy={"serve": Lazy("kumoss_console.cli.commands.sidecar:serve", "Run the bundled IaC service until interrupted.")},
)
def sidecar() -> None:
    """The bundled IaC service."""


def _setting(variable: Variable) -> click.Option:
    return click.Option((variable.option, variable.name), metavar=variable.kind, help=variable.summary)


@click.command(cls=SharedCommand, params=[_setting(variable) for variable in OPTIONS])
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8082, show_default=True, help="Port to listen on; 0 picks one.")
@pass_session
def serve(session: Session, /, host: str, port: int, **settings: str | None) -> ExitCode:
    """Run the bundled IaC service until it is interrupted; its unfinished jobs end with it.

    Its settings are variables of the environment (docs/sidecar.md), not the console's configuration; an option goes before its
    variable. The token is KUMOSS_IAC_TOKEN alone. Prints one line on stdout once it listens; logs go to stderr. Needs the
    extra: pip install 'kumoss-console[sidecar]'.
    """
    from kumoss_console.sidecar import serve as service

    environ = overlaid(session.world.environ, settings)
    service.serve(host, port, environ, lambda url: _announce(session, url))
    return ExitCode.OK


def _announce(session: Session, url: str) -> None:
    if session.output.json:
        session.output.items([{"url": url}])
    else:
        session.output.text(f"listening on {url}")
