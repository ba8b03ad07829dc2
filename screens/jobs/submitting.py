"""From the form to a request that is meant: nothing reaches ``send`` that the operator did not agree to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kumoss_console.model.contract import JobKind, SubmitRequest
from screens.base import ViewScreen
from screens.dialogs.confirm import ConfirmDialog
from screens.jobs import draft
from screens.jobs.form import SubmitDialog

Send = Callable[[SubmitRequest], None]


def write(screen: ViewScreen, values: Mapping[str, str], kind: JobKind, *, send: Send) -> None:
    """Open the form; what comes out of it is sent, after a question where it cannot be taken back."""

    def written(wanted: SubmitRequest | None) -> None:
        if wanted is not None:
            _ask(screen, wanted, send)

    root = screen.services.context.workspaces_root or ""
    screen.app.push_screen(SubmitDialog(values=values, kind=kind, root=root), written)


def _ask(screen: ViewScreen, wanted: SubmitRequest, send: Send) -> None:
    question = draft.question(wanted, screen.services.context)
    if question is None:
        send(wanted)
        return

    def answered(agreed: bool | None) -> None:
        if agreed:
            send(wanted)
        else:
            screen.console.flash("nothing was sent")

    screen.app.push_screen(
        ConfirmDialog(question.title, consequences=question.consequences, verb=question.verb, must_type=question.must_type),
        answered,
    )
