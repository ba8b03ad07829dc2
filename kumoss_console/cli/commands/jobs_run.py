"""``jobs run``: a workspace from init to apply, each step narrated, with the plan to confirm in between."""

from __future__ import annotations

import shlex

import click

from kumoss_console.cli.chain_view import chain_blocks, chain_data, review_notes
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.commands.jobs_submit import name_to_type
from kumoss_console.cli.diagnosis_view import diagnosis_of
from kumoss_console.cli.output import Answer
from kumoss_console.cli.request import workspace_path
from kumoss_console.cli.session import Session
from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import ConsoleError, ExitCode, Refused
from kumoss_console.model.chain import ChainEvent, ChainRequest, ChainState, Step, StepStatus
from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.job import Verdict
from kumoss_console.services.build import Services

_STEPS = [step.value for step in Step if step is not Step.REVIEW]


@click.command(cls=SharedCommand)
@click.argument("workspace")
@click.option("--scope", metavar="ID", required=True, help="Subscription, project or account id.")
@click.option("--provider", type=click.Choice([provider.value for provider in CloudProvider]), required=True, help="The cloud.")
@click.option("--until", type=click.Choice(_STEPS), default="apply", show_default=True, help="The last step.")
@click.option("--from", "first", type=click.Choice(_STEPS), default="init", show_default=True, help="The first step.")
@click.option("--plan-file", metavar="NAME", help="The plan file's name. By default each run has one of its own.")
@click.option("--reviewed", metavar="DIGEST", help="Apply only the plan of this digest, as an earlier run printed it.")
@click.option("--target", "targets", metavar="ADDRESS", multiple=True, help="Plan this resource only; may be repeated.")
@click.option("--repo", metavar="URL", help="The repository, so that the backend override is written before init.")
@click.option("--path", default="", metavar="PATH", help="The root module's folder in the repository.")
@click.option("--no-override", is_flag=True, help="Leave the workspace's backend as it is.")
@click.option("--confirm", metavar="NAME", help="The workspace's name below workspaces_root, for apply.")
@pass_session
def run(
    session: Session,
    workspace: str,
    scope: str,
    provider: str,
    until: str,
    first: str,
    plan_file: str | None,
    reviewed: str | None,
    targets: tuple[str, ...],
    repo: str | None,
    path: str,
    no_override: bool,
    confirm: str | None,
) -> ExitCode:
    """Take WORKSPACE, as the sidecar sees it, from init to apply; stop where a step fails.

    The plan is shown before it is applied and wants a confirmation: --confirm with the workspace's name (its path below
    workspaces_root, elsewhere its last two parts), which on a terminal is asked for where something is destroyed, and a plain
    yes where nothing is. What is applied is what was shown.
    """
    request = ChainRequest(
        workspace=workspace_path(workspace, called="WORKSPACE"),
        scope=scope,
        provider=CloudProvider(provider),
        plan_file=plan_file or "",
        targets=targets,
        first=Step(first),
        until=Step(until),
        repo=repo or "",
        path=path,
        write_override=not no_override,
        reviewed=reviewed or "",
    )
    runner = _Runner(session, request, confirm)
    try:
        state = session.run(runner.follow)
    except ConsoleError:
        runner.say_how_to_go_on()
        raise
    if runner.refused is not None:
        runner.say_how_to_go_on()
        raise runner.refused
    if state.verdict is not Verdict.GOOD:
        runner.say_how_to_go_on()
    broken = state.broken
    diagnosis = diagnosis_of(session, broken.job) if broken is not None and broken.job is not None else None
    codes = {Verdict.GOOD: ExitCode.OK, Verdict.UNKNOWN: ExitCode.UNREACHABLE}
    return session.answer(
        Answer(
            data=chain_data(state, diagnosis),
            blocks=chain_blocks(state, diagnosis),
            exit_code=codes.get(state.verdict, ExitCode.BAD_NEWS),
        )
    )


class _Runner:
    """Narrates the events and asks the question."""

    def __init__(self, session: Session, request: ChainRequest, confirm: str | None) -> None:
        self._session = session
        self._request = request
        self._confirm = confirm
        self._state: ChainState | None = None
        self._said = ""
        self.refused: Refused | None = None

    async def follow(self, services: Services) -> ChainState:
        async for event in services.chain.run(self._request, self._approve):
            self._state = event.state
            self._say(event)
        if self._state is None:
            raise TypeError("a chain without an event")
        return self._state

    def _say(self, event: ChainEvent) -> None:
        if event.text != self._said:
            self._session.diagnostics.note(event.text)
            self._said = event.text

    async def _approve(self, state: ChainState) -> bool:
        for line in review_notes(state):
            self._session.diagnostics.note(line)
        try:
            # On a thread: ^C must end the question, not wait for its answer.
            await run_blocking(self._ask, state)
        except Refused as refused:
            self.refused = refused
            return False
        return True

    def _ask(self, state: ChainState) -> None:
        review = state.review
        destroys = len(review.destroyed) if review is not None else 0
        effect = f"apply carries out the plan on {self._request.provider.value} {self._request.scope}"
        name = name_to_type(self._session, self._request.workspace)
        if destroys:
            effect += f" and destroys {destroys} object{'s' if destroys > 1 else ''}. It cannot be taken back"
            self._session.confirm(subject=name, consequence=f"{effect}.", given=self._confirm)
        else:
            self._session.agree(subject=name, consequence=f"{effect}; nothing is destroyed.", given=self._confirm)

    def say_how_to_go_on(self) -> None:
        """The command that takes the chain up where it stopped."""
        state = self._state
        broken = state.broken if state is not None else None
        if state is None or broken is None:
            return
        if broken.status is StepStatus.UNKNOWN and broken.job is not None and broken.job.job_id:
            self._session.diagnostics.note(f"See how it ends first: kumoss-console jobs watch {broken.job.job_id}")
        self._session.diagnostics.note(f"To go on from there: {self._again(state, broken.step)}")

    def _again(self, state: ChainState, step: Step) -> str:
        asked = self._request
        words = ["kumoss-console", "jobs", "run", asked.workspace, "--scope", asked.scope, "--provider", asked.provider.value]
        words += ["--from", "apply" if step is Step.REVIEW else step.value]
        if asked.until is not Step.APPLY:
            words += ["--until", asked.until.value]
        words += ["--plan-file", state.plan_file]
        for target in asked.targets if step in {Step.INIT, Step.VALIDATE, Step.PLAN} else ():
            words += ["--target", target]
        if asked.repo:
            words += ["--repo", asked.repo, *(["--path", asked.path] if asked.path else [])]
        return shlex.join(words)
