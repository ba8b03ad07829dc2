"""The form of a submission: the kind, then the fields of that kind, judged by the contract while they are typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Select, TextArea

from kumoss_console.model.contract import CloudProvider, JobKind, SubmitRequest
from screens.dialogs.form import FormDialog
from screens.jobs.draft import FIELDS, Field, fields_of, request
from screens.widgets.cells import Cell
from screens.widgets.content import toned
from screens.widgets.shown_input import ShownTextArea


class SubmitDialog(FormDialog[SubmitRequest]):
    """Answers a request that the contract accepts."""

    HEADING = "Submit a job"
    BUTTON = "Submit"
    LABELS: ClassVar = {"kind": "Kind", **{name: field.label for name, field in FIELDS.items()}}

    def __init__(self, *, values: Mapping[str, str], kind: JobKind = JobKind.PLAN, root: str = "") -> None:
        """``root`` is the folder of all workspaces."""
        super().__init__(values)
        self._root = root
        self._kind = kind

    def rows(self) -> ComposeResult:
        kinds = [(Content(kind.value), kind) for kind in JobKind]
        yield from self.row("kind", Select(kinds, value=self._kind, allow_blank=False, compact=True, id="kind"))
        for field in FIELDS.values():
            yield from self.row(field.name, self._editor(field))

    def _editor(self, field: Field) -> Input | Select[object] | TextArea:
        if field.input == "provider":
            return self.providers(CloudProvider)
        if field.input == "lines":
            value = self._values.get(field.name, "")
            return ShownTextArea(value, compact=True, id=field.name, placeholder=Content(field.hint))
        return self.line(field.name, field.hint)

    def on_mount(self) -> None:
        self._show_fields()

    def _show_fields(self) -> None:
        shown = {field.name for field in fields_of(self._kind)}
        for name in FIELDS:
            self.query_one(f"#row-{name}").display = name in shown

    @on(Select.Changed, "#kind")
    def _kind_chosen(self, event: Select.Changed) -> None:
        if isinstance(event.value, JobKind):
            self._kind = event.value
            self._show_fields()

    @property
    def values(self) -> dict[str, str]:
        """What the form spells now, by the contract's names."""
        typed = self.lines_typed(name for name, field in FIELDS.items() if field.input == "line")
        many = {name: self.query_one(f"#{name}", TextArea).text for name, field in FIELDS.items() if field.input == "lines"}
        return typed | many

    def answer(self) -> SubmitRequest:
        return request(self._kind, self.values, root=self._root)

    def approval(self) -> Content:
        return toned(Cell("✓ the contract accepts this", "good"))
