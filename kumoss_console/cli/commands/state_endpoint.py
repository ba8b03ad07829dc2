"""``state endpoint``: what this store really does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kumoss_console.cli.blocks import Cell, Column, Table, Tone
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for, findings_blocks, heading
from kumoss_console.errors import ConsoleError, ExitCode
from kumoss_console.model.endpoint import Aspect, Standing

if TYPE_CHECKING:
    from kumoss_console.services.build import Services
    from kumoss_console.services.endpoint.service import EndpointCard

_COLUMNS = (Column("ASPECT"), Column("ANSWER", "end"), Column("EVIDENCE", "end"))
_TONES: dict[Standing, Tone] = {"good": "good", "bad": "bad", "plain": "plain", "unknown": "dim"}
_SIGNS: dict[Standing, str] = {"good": "✓", "bad": "✗", "plain": "·", "unknown": "?"}


@click.command(cls=SharedCommand)
@click.option("--try-writes", is_flag=True, help="Also try what only writing tells, on a scratch key that is removed again.")
@click.option("--confirm", metavar="BUCKET", help="The name of the bucket, as consent to --try-writes.")
@pass_session
def endpoint(session: Session, try_writes: bool, confirm: str | None) -> ExitCode:
    """What the store of this context really does, with the evidence: identity, clock, versioning, lifecycle, public access.

    Reads only. With --try-writes and the bucket's name typed, a scratch key is written and removed again, to find out whether
    conditional writes are enforced (else a lock protects nothing), checksums are taken and deleting is allowed. Ends with 1
    where a finding is an error (warnings alone end with 0), and with 3 where the store could not be reached, refused us, failed
    what was to be tried, or the scratch key could not be removed: what is known is shown all the same.
    """
    from kumoss_console.services.endpoint.shape import card_shape

    key = session.services.endpoint.scratch_key()
    if try_writes:
        session.refuse_read_only("Writing to the store")
        bucket = session.services.context.storage.terraform_state_bucket
        session.confirm(
            subject=bucket,
            consequence=f"This writes the object {key} into {bucket}, a few bytes, and removes it again.",
            given=confirm,
        )
    try:
        card, error = session.run(lambda services: _card(services, key if try_writes else None))
    except KeyboardInterrupt:
        for left in session.services.endpoint.abandoned:
            session.diagnostics.warning(
                f"the scratch key {left} may be left in {session.services.endpoint.label}: delete it by hand with all its "
                "versions, it holds nothing but a line of text"
            )
        raise
    access = card.aspect("access")
    refused = access.error if access is not None else None
    if refused is None and try_writes:
        refused = card.untold
    hint = not try_writes and refused is None and not session.services.read_only
    answer = Answer(
        data=card_shape(card),
        blocks=[
            heading(card.store),
            Table(_COLUMNS, [_row(aspect) for aspect in card.aspects]),
            *findings_blocks(card.findings, about=card.store),
        ],
        notes=("--try-writes finds out the rest, on a scratch key.",) if hint else (),
        exit_code=exit_code_for(card.findings) if refused is None else refused.exit_code,
    )
    if error is None and session.output.json:
        error = refused  # the table has it among the findings
    return session.answer(answer) if error is None else session.broken_off(answer, error)


async def _card(services: Services, key: str | None) -> tuple[EndpointCard, ConsoleError | None]:
    """The card as far as it is known, and what ended the trial early."""
    async for card in services.endpoint.examine():
        last = card
    if key is not None:
        try:
            async for card in services.endpoint.try_writes(key, last):
                last = card
        except ConsoleError as error:
            return last, error
    return last, None


def _row(aspect: Aspect) -> tuple[Cell | str, ...]:
    tone = _TONES[aspect.standing]
    return aspect.name.replace("_", " "), Cell(f"{_SIGNS[aspect.standing]} {aspect.said}", tone), Cell(aspect.evidence, "dim")
