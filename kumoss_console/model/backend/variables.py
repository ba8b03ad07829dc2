"""Input variables of the root module: what is declared, and which of their many sources gives the value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kumoss_console.model.backend.files import ConfigEntry, byte_order
from kumoss_console.model.backend.result import Via
from kumoss_console.model.backend.snapshot import Entry, Snapshot
from kumoss_console.model.hcl import Attribute, Block, BlockSchema, Problem, Schema, parse_file
from kumoss_console.model.hcl.evaluate import FAILED, Evaluator, NoScope
from kumoss_console.model.hcl.file import read_expression
from kumoss_console.model.hcl.nodes import Node
from kumoss_console.model.hcl.types import ANY, ConversionError, Type, Unresolved, convert, type_of

_NATIVE = re.compile(rb"(?m)(?:^|\*/|\xef\xbb\xbf)[ \t]*(?:variable|locals)(?![\w-])")
_JSON = re.compile(rb'"(?:variable|locals)"|\\u')
_FILE = Schema(blocks={"variable": BlockSchema(labels=("name",)), "locals": BlockSchema()})
_VARIABLE = Schema(attributes=frozenset({"default", "type", "sensitive", "ephemeral", "nullable", "description"}))
_AUTO = (".auto.tfvars", ".auto.tfvars.json")


@dataclass(slots=True, kw_only=True)
class Variable:
    """``default`` is ``None`` where there is none. Later override files replace single settings."""

    name: str
    file: str
    line: int
    default: Attribute | None = None
    type: Type = ANY
    sensitive: bool = False
    ephemeral: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A value from outside the module."""

    attribute: Attribute | None
    text: str
    via: Via


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    variables: Mapping[str, Variable]
    locals: Mapping[str, Attribute]


def read_declarations(files: tuple[ConfigEntry, ...]) -> Declarations:
    """Variables and locals of all files that are read. What is wrong with them is the engine's to say."""
    variables: dict[str, Variable] = {}
    values: dict[str, Attribute] = {}
    for item in files:
        raw = item.entry.raw
        pattern = _JSON if item.name.endswith(".json") else _NATIVE
        if item.role not in {"primary", "override"} or raw is None or not pattern.search(raw):
            continue
        for block in parse_file(item.name, raw).body.content(_FILE, lenient=True).blocks:
            if block.type == "locals":
                values.update(block.body.just_attributes().attributes)
            else:
                _declare(variables, block, override=item.role == "override")
    return Declarations(variables=variables, locals=values)


def _declare(variables: dict[str, Variable], block: Block, *, override: bool) -> None:
    name = block.labels[0]
    if name not in variables or not override:
        variables[name] = Variable(name=name, file=block.file, line=block.line)
    variable = variables[name]
    found = block.body.content(_VARIABLE, lenient=True).attributes
    variable.default = found.get("default", variable.default)
    if "type" in found:
        variable.type = _type(found["type"])
    variable.sensitive = _flag(found.get("sensitive"), variable.sensitive)
    variable.ephemeral = _flag(found.get("ephemeral"), variable.ephemeral)


def _type(attribute: Attribute) -> Type:
    node = attribute.expression
    if not isinstance(node, Node):
        text = constant(attribute)
        parsed, _ = read_expression(text, attribute.file) if isinstance(text, str) else (None, [])
        return (type_of(parsed) if parsed is not None else None) or ANY
    return type_of(node) or ANY


def _flag(attribute: Attribute | None, otherwise: bool) -> bool:
    return constant(attribute) is True if attribute is not None else otherwise


def constant(attribute: Attribute) -> object:
    """The value of an expression without references; :data:`FAILED` for others."""
    return Evaluator(NoScope(), attribute.file, templates=False).value(attribute.expression)


def read_given(snapshot: Snapshot, environ: Mapping[str, str], doubts: list[Problem]) -> dict[str, Given]:
    """Values for variables, the strongest source of each: environment, terraform.tfvars, then ``*.auto.tfvars``.

    A file that was not read, or not to its end, is added to ``doubts``: a value may stand in what is missing.
    """
    given: dict[str, Given] = {}
    for name, text in environ.items():
        if name.startswith("TF_VAR_"):
            variable = name.removeprefix("TF_VAR_")
            given[variable] = Given(attribute=None, text=text, via=Via(what=variable, file=f"environment {name}", line=None))
    for entry in _variable_files(snapshot):
        if entry.raw is None:
            doubts.append(_unread(entry.name, f"it was not read: {entry.error}"))
            continue
        file = parse_file(entry.name, entry.raw)
        if file.problems:
            doubts.append(_unread(entry.name, f"{file.problems[0].summary}, {file.problems[0].at}"))
        for variable, attribute in file.body.just_attributes().attributes.items():
            via = Via(what=variable, file=entry.name, line=attribute.line)
            given[variable] = Given(attribute=attribute, text=attribute.text, via=via)
    return given


def _unread(name: str, why: str) -> Problem:
    detail = f"Values of variables may stand in what could not be read ({why}), and the backend uses variables."
    return Problem(summary="Variable file not read to its end", detail=detail, file=name, line=None, kind="limit")


def _variable_files(snapshot: Snapshot) -> list[Entry]:
    entries = {entry.name: entry for entry in snapshot.entries if entry.kind in {"file", "large", "special"}}
    first = [entries[name] for name in ("terraform.tfvars", "terraform.tfvars.json") if name in entries]
    auto = [entries[name] for name in sorted(entries, key=byte_order) if name.endswith(_AUTO)]
    return [*first, *auto]


def value_of(variable: Variable, given: Given | None) -> tuple[object, Via]:
    """The value and its source; :data:`FAILED` where the variable has neither value nor default, or an unusable one."""
    if given is None:
        if variable.default is None:
            return FAILED, Via(what=variable.name, file=variable.file, line=variable.line)
        place = Via(what=f"var.{variable.name} default", file=variable.file, line=variable.default.line)
        return _typed(constant(variable.default), variable.type), place
    if given.attribute is not None:
        return _typed(constant(given.attribute), variable.type), given.via
    if variable.type.kind in {"string", "number", "bool", "any"}:
        return _typed(given.text, variable.type), given.via
    node, _ = read_expression(given.text, given.via.file)
    value = FAILED if node is None else Evaluator(NoScope(), given.via.file, templates=True).value(node)
    return _typed(value, variable.type), given.via


def _typed(value: object, kind: Type) -> object:
    if value is FAILED:
        return Unresolved(reason="its value is not a constant")
    try:
        return convert(value, kind)
    except ConversionError:
        return Unresolved(reason="its value does not fit its type")
