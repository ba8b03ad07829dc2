"""``trace``: which state is active, and whether the core, the engine and the store agree on it."""

from __future__ import annotations

from pathlib import Path

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.given import GivenPath, read_given
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for
from kumoss_console.errors import ExitCode, InputError
from kumoss_console.model.trace import Trace
from kumoss_console.services.build import Services


@click.command(cls=SharedCommand)
@click.argument("workspace", type=GivenPath(), required=False)
@click.option("--repo", metavar="URL", help="The repository's https URL.")
@click.option("--scope", metavar="ID", help="Subscription, project or account id.")
@click.option("--path", default="", metavar="PATH", help="The root module's folder in the repository.")
@click.option("--log", type=GivenPath(), metavar="FILE", help="A log of the core with its 'Terraform state:' lines; - for stdin.")
@click.option("--engine", metavar="terraform|tofu", help="The engine that runs; a version may follow: tofu@1.8.")
@pass_session
def trace(
    session: Session, workspace: Path | None, repo: str | None, scope: str | None, path: str, log: Path | None, engine: str | None
) -> ExitCode:
    """The active state of a WORKSPACE folder, or of a repository, scope and path: what the core writes, what the engine bound,
    what the store holds, and whether they agree.

    WORKSPACE and --repo go together, too: then the workspace is judged as one of that project. Alone, the project is found by
    the keys in it, among the known projects and what the clone around it says. A log alone is enough where it names one key.

    Nothing is run and nothing is changed. Ends with 1 where they disagree, with 3 where the store gives no answer and the rest
    does not tell; what could not be looked at is unknown, never absent.
    """
    from kumoss_console.cli.trace_view import trace_blocks
    from kumoss_console.services.trace.project import Asked
    from kumoss_console.services.trace.shape import trace_shape

    if (repo is None) != (scope is None):
        raise InputError(
            f"trace needs {'--repo' if repo is None else '--scope'}, too", hint="Give both, or neither.", code="usage"
        )
    if path and repo is None:
        raise InputError("--path stands with --repo and --scope", hint="Give all three.", code="usage")
    if workspace is None and repo is None and log is None:
        raise InputError("trace needs WORKSPACE, or --repo and --scope, or --log", hint="trace --help says more.", code="usage")
    asked = None if repo is None or scope is None else Asked(repo=repo, scope=scope, path=path)
    text = None if log is None else read_given(session.world, log, hint="Give a log of the core.").decode("utf-8", "replace")
    folder = None if workspace is None else session.world.cwd / workspace

    async def work(services: Services) -> Trace:
        return await services.trace.trace(folder=folder, project=asked, log=text, engine=engine)

    found = session.run(work)
    code = ExitCode.BAD_NEWS if found.verdict == "disagree" else exit_code_for(found.findings)
    if code is ExitCode.OK and found.unanswered:
        code = ExitCode.UNREACHABLE
    return session.answer(Answer(data=trace_shape(found), blocks=trace_blocks(found), exit_code=code))
