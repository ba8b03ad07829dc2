"""``discover``: what exists in a cloud's scope beside what states manage, and the imports that follow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.commands.discover_answer import Asked, answer
from kumoss_console.cli.commands.discover_run import Desk
from kumoss_console.cli.commands.jobs_submit import name_to_type
from kumoss_console.cli.given import GivenPath
from kumoss_console.cli.request import build_request
from kumoss_console.cli.session import Session
from kumoss_console.errors import ExitCode, InputError, Refused
from kumoss_console.model.contract import CloudProvider, JobKind
from kumoss_console.model.importdiff import Status

_LISTED = [CloudProvider.AZURE, CloudProvider.GCP, CloudProvider.AWS]


@click.command(cls=SharedCommand)
@click.argument("workspace")
@click.option("--scope", metavar="ID", required=True, help="Subscription, project or account id.")
@click.option("--provider", type=click.Choice([one.value for one in _LISTED]), required=True, help="The cloud.")
@click.option("--key", metavar="KEY", default="", help="The key of the workspace's state in the bucket, where it is known.")
@click.option("--project-number", "number", metavar="N", default="", help="The number of the Google project.")
@click.option("--state-ids", type=GivenPath(), metavar="FILE", help="The state listing at hand, or the state; no job then.")
@click.option("--cloud-ids", type=GivenPath(), metavar="FILE", help="The scope listing at hand; no job then.")
@click.option("--no-bucket", is_flag=True, help="Do not read what the bucket's other states manage.")
@click.option("--filter", "text", default="", metavar="TEXT", help="Only what has these words in identifier, type or manager.")
@click.option("--type", "types", metavar="TYPE", multiple=True, help="Only this resource type or kind; * is any text.")
@click.option("--status", "statuses", type=click.Choice([one.value for one in Status]), multiple=True, help="Only this heap.")
@click.option("--all", "everything", is_flag=True, help="List what needs no look as well.")
@click.option("--suppressions", type=GivenPath(), metavar="FILE", help="A file of suppressions in place of the usual one.")
@click.option("--suppressed", is_flag=True, help="List what is suppressed as well.")
@click.option("--import", "imports", nargs=2, multiple=True, metavar="ADDRESS ID", help="Import this thing to that address.")
@click.option("--import-id", "import_ids", nargs=2, multiple=True, metavar="ID IMPORT_ID", help="What its import takes.")
@click.option("--export", type=GivenPath(), metavar="FILE", help="Write import blocks to a new file; - is stdout.")
@click.option("--submit", is_flag=True, help="Submit the imports, one by one.")
@click.option("--confirm", metavar="NAME", help="The workspace's name below workspaces_root, for --submit.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Give up on the listings then.")
@click.option("--keep-going", is_flag=True, help="Go on after an import that failed.")
@pass_session
def discover(
    session: Session,
    workspace: str,
    scope: str,
    provider: str,
    key: str,
    number: str,
    state_ids: Path | None,
    cloud_ids: Path | None,
    no_bucket: bool,
    text: str,
    types: tuple[str, ...],
    statuses: tuple[str, ...],
    everything: bool,
    suppressions: Path | None,
    suppressed: bool,
    imports: tuple[tuple[str, str], ...],
    import_ids: tuple[tuple[str, str], ...],
    export: Path | None,
    submit: bool,
    confirm: str | None,
    timeout: float | None,
    keep_going: bool,
) -> ExitCode:
    """What exists in the scope and no state manages; what a state has and the cloud does not.

    Runs both listings of the service as jobs and reads what the other states of the bucket manage. --export and --submit take
    what is unmanaged and passes the filters, or what --import names. Ends with 1 for a listing that failed and for a finding
    of severity error, with 4 where --timeout was over; things that nobody manages are an answer and no failure.
    """
    # The contract's limits, and a path that the service can see: before anything is asked.
    build_request(JobKind.SCOPE_RESOURCE_IDS, {"workspace_path": workspace, "scope_id": scope, "terraform_provider": provider})
    if submit:
        _refuse_read_only(session)
        if confirm is not None:
            session.confirm(subject=name_to_type(session, workspace), consequence="", given=confirm)
    elif confirm is not None or keep_going:
        raise InputError("--confirm and --keep-going go with --submit", code="usage")
    _refuse_twice("--import", [identifier for _, identifier in imports])
    _refuse_twice("--import-id", [identifier for identifier, _ in import_ids])
    asked = Asked(
        workspace=workspace,
        scope=scope,
        provider=CloudProvider(provider),
        key=key,
        number=number,
        state_ids=state_ids,
        cloud_ids=cloud_ids,
        bucket=not no_bucket,
        text=text,
        types=types,
        statuses=frozenset(map(Status, statuses)),
        everything=everything,
        suppressions=suppressions,
        suppressed=suppressed,
        addresses={identifier: address for address, identifier in imports},
        import_ids=dict(import_ids),
        export=export,
        submit=submit,
        confirm=confirm,
        keep_going=keep_going,
        timeout=timeout,
    )
    return answer(session, session.run(Desk(session, asked).work), asked)


def _refuse_read_only(session: Session) -> None:
    try:
        session.refuse_read_only("Submitting imports")
    except Refused as refused:
        hint = f"{refused.hint} Or write import blocks with --export FILE: that changes nothing."
        raise Refused(refused.title, detail=refused.detail, hint=hint, code=refused.code) from None


def _refuse_twice(option: str, identifiers: Sequence[str]) -> None:
    if len(set(identifiers)) < len(identifiers):
        raise InputError(f"{option} names one thing twice", hint="Keep one of them.", code="usage.conflict")
