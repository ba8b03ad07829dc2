"""Bodies of the JSON syntax: objects, or arrays of objects, whose members are arguments or blocks depending on the schema."""

from __future__ import annotations

from dataclasses import dataclass

from kumoss_console.model.hcl.bodies import Attribute, Block, BlockSchema, Content, Schema
from kumoss_console.model.hcl.jsonsyntax import JsonArray, JsonNode, JsonObject, JsonScalar, Member
from kumoss_console.model.hcl.problem import Problem
from kumoss_console.model.hcl.suggest import did_you_mean

_COMMENT = "//"
_TYPE = "Incorrect JSON value type"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonBody:
    """A :class:`~kumoss_console.model.hcl.bodies.Body` of the JSON syntax. ``text`` is the whole file's."""

    file: str
    node: JsonNode
    text: str

    @property
    def missing_line(self) -> int:
        return self.node.end_line if isinstance(self.node, JsonObject) else self.node.line

    def content(self, schema: Schema, *, lenient: bool = False) -> Content:
        problems: list[Problem] = []
        attributes: dict[str, Attribute] = {}
        blocks: list[Block] = []
        members = self._members(self.node, None, problems)
        for member in members:
            if member.name in schema.attributes:
                self._add(attributes, member, problems)
            elif member.name in schema.blocks:
                self._unpack(member, schema.blocks[member.name], blocks, problems)
        if not lenient:
            known = {*schema.attributes, *schema.blocks}
            for member in members:
                if member.name not in known and member.name != _COMMENT:
                    hint = did_you_mean(member.name, known - attributes.keys())
                    detail = f'No argument or block type is named "{member.name}".{hint}'
                    problems.append(self._problem("Extraneous JSON object property", detail, member.line))
        return Content(attributes=attributes, blocks=tuple(blocks), problems=tuple(problems))

    def just_attributes(self) -> Content:
        problems: list[Problem] = []
        attributes: dict[str, Attribute] = {}
        if isinstance(self.node, JsonObject):
            for member in self.node.members:
                if member.name != _COMMENT:
                    self._add(attributes, member, problems)
        else:
            detail = "A JSON object is required here, setting the arguments for this block."
            problems.append(self._problem(_TYPE, detail, self.node.line))
        return Content(attributes=attributes, blocks=(), problems=tuple(problems))

    def _problem(self, summary: str, detail: str, line: int) -> Problem:
        return Problem(summary=summary, detail=detail, file=self.file, line=line)

    def _add(self, attributes: dict[str, Attribute], member: Member, problems: list[Problem]) -> None:
        first = attributes.get(member.name)
        if first is not None:
            detail = f'The argument "{member.name}" was already set at {first.at}.'
            problems.append(self._problem("Duplicate argument", detail, member.line))
            return
        text = self.text[member.value.start : member.value.end]
        attributes[member.name] = Attribute(
            name=member.name, expression=member.value, file=self.file, line=member.line, text=text
        )

    def _members(self, node: JsonNode, label: str | None, problems: list[Problem]) -> list[Member]:
        """The members of an object, or of all objects of an array."""
        purpose = f"to specify {label} labels for this block" if label else "to define arguments and child blocks"
        if isinstance(node, JsonObject):
            return list(node.members)
        if isinstance(node, JsonScalar) and node.value is None:
            return []
        if not isinstance(node, JsonArray):
            detail = f"Either a JSON object or JSON array of objects is required here, {purpose}."
            problems.append(self._problem(_TYPE, detail, node.line))
            return []
        members: list[Member] = []
        for item in node.items:
            if isinstance(item, JsonObject):
                members += item.members
            else:
                problems.append(self._problem(_TYPE, f"A JSON object is required here, {purpose}.", item.line))
        return members

    def _unpack(self, member: Member, schema: BlockSchema, blocks: list[Block], problems: list[Problem]) -> None:
        """The blocks of one member: a level of objects for each label, then one object or an array of them."""
        level: list[tuple[tuple[str, ...], tuple[int, ...], JsonNode]] = [((), (), member.value)]
        for label in schema.labels:
            deeper: list[tuple[tuple[str, ...], tuple[int, ...], JsonNode]] = []
            for labels, lines, node in level:
                found = self._members(node, label, problems)
                if not found:
                    detail = f"At least one object property is required, whose name represents the {member.name} block's {label}."
                    problems.append(self._problem("Missing block label", detail, node.line))
                deeper += [((*labels, inner.name), (*lines, inner.line), inner.value) for inner in found]
            level = deeper
        for labels, lines, node in level:
            self._instances(member.name, labels, lines, node, blocks, problems)

    def _instances(
        self,
        name: str,
        labels: tuple[str, ...],
        lines: tuple[int, ...],
        node: JsonNode,
        blocks: list[Block],
        problems: list[Problem],
    ) -> None:
        if isinstance(node, JsonScalar) and node.value is None:
            return
        if not isinstance(node, JsonObject | JsonArray):
            detail = (
                f'Either a JSON object or a JSON array is required, representing the contents of one or more "{name}" blocks.'
            )
            problems.append(self._problem(_TYPE, detail, node.line))
            return
        for item in node.items if isinstance(node, JsonArray) else (node,):
            body = JsonBody(file=self.file, node=item, text=self.text)
            blocks.append(Block(type=name, labels=labels, body=body, file=self.file, line=node.line, label_lines=lines))
