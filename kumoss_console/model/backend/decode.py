"""The arguments of a block, with options laid over them, into values with origins."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Names
from collections.abc import Sequence as Listed
from dataclasses import dataclass, replace

from kumoss_console.model.backend.module import StateBlock
from kumoss_console.model.backend.options import GivenValue, OptionLayer
from kumoss_console.model.backend.result import BackendAttribute, Origin, Value, Via
from kumoss_console.model.backend.schema import Argument, BackendSchema
from kumoss_console.model.backend.tables import SECRETS
from kumoss_console.model.hcl import Attribute, Block, Problem, Schema
from kumoss_console.model.hcl.evaluate import FAILED, Evaluator, Scope
from kumoss_console.model.hcl.nodes import For, Mapping, Parentheses, Sequence, Splat
from kumoss_console.model.hcl.types import ConversionError, Unresolved, convert
from kumoss_console.text import MASK, Secret, redact

_PRIMITIVE = {"string", "number", "bool"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """``raw`` holds the values as they are, for checks; ``attributes`` what may be given out, secrets wrapped; ``places`` every
    argument that is written, set to null as well.

    ``sensitive`` names arguments that are made of sensitive variables, ``ephemeral`` of ephemeral ones.
    """

    attributes: tuple[BackendAttribute, ...]
    raw: Names[str, object]
    places: Names[str, Origin]
    problems: tuple[Problem, ...]
    sensitive: tuple[str, ...] = ()
    ephemeral: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """One argument where it is written: an attribute, a pair, or the blocks of a block argument."""

    name: str
    argument: Argument | None
    item: Attribute | GivenValue | tuple[Block, ...]
    origin: Origin


def decode(
    block: StateBlock,
    schema: BackendSchema | None,
    options: Listed[OptionLayer],
    scope: Callable[[], Scope],
    *,
    lenient: bool,
    templates: bool,
) -> Decoded:
    """Values of ``block`` under ``options``. Without a ``schema`` every argument is taken as it is.

    ``lenient`` as the engines are once an option is given; ``templates`` as in :class:`Evaluator`.
    """
    written, problems, names = _written(block, schema, options, lenient)
    attributes: list[BackendAttribute] = []
    raw: dict[str, object] = {}
    sensitive: list[str] = []
    ephemeral: list[str] = []
    for item in written:
        scoped = scope()
        value, found = _value(item, scoped, templates=templates)
        problems += found
        if getattr(scoped, "sensitive", False):
            sensitive.append(item.name)
        if getattr(scoped, "ephemeral", False):
            ephemeral.append(item.name)
        if value is FAILED or value is None:
            continue
        raw[item.name] = value
        via: tuple[Via, ...] = tuple(dict.fromkeys(getattr(scoped, "via", ())))
        hidden = item.name in sensitive
        shown: Value = Secret(_flat(value)) if hidden else masked(item.name, value)
        attributes.append(
            BackendAttribute(
                name=item.name,
                value=shown,
                origin=replace(item.origin, via=via),
                expression=_expression(item) if isinstance(shown, Unresolved) else "",
                members=_members(item),
            )
        )
    return Decoded(
        attributes=tuple(attributes),
        raw=raw,
        # The engine looks for the place of a missing value among the names of the block itself.
        places={item.name: item.origin for item in written if item.name in names},
        problems=tuple(problems),
        sensitive=tuple(sensitive),
        ephemeral=tuple(ephemeral),
    )


def _written(
    block: StateBlock, schema: BackendSchema | None, options: Listed[OptionLayer], lenient: bool
) -> tuple[list[_Written], list[Problem], frozenset[str]]:
    if schema is None:
        content = block.body.just_attributes()
        found = [_attribute(item, None, block.origin) for item in content.attributes.values()]
        return found, [], frozenset(content.attributes)
    content = block.body.content(schema.body, lenient=lenient)
    base = {name: _attribute(item, schema.arguments[name], block.origin) for name, item in content.attributes.items()}
    for name in schema.body.blocks:
        blocks = tuple(inner for inner in content.blocks if inner.type == name)
        if blocks:
            origin = replace(block.origin, file=blocks[0].file, line=blocks[0].line)
            base[name] = _Written(name=name, argument=schema.arguments[name], item=blocks, origin=origin)
    names = frozenset(base)
    for layer in options:
        base.update(_of_layer(layer, schema))
    return list(base.values()), list(content.problems), names


def _attribute(item: Attribute, argument: Argument | None, place: Origin) -> _Written:
    return _Written(name=item.name, argument=argument, item=item, origin=replace(place, file=item.file, line=item.line))


def _of_layer(layer: OptionLayer, schema: BackendSchema) -> dict[str, _Written]:
    found: dict[str, _Written] = {}
    for name, given in layer.values.items():
        shown = f"{name}={MASK}" if name in SECRETS else given.option
        origin = Origin(layer="backend-config", file=f"-backend-config={shown}", line=None)
        found[name] = _Written(name=name, argument=schema.arguments.get(name), item=given, origin=origin)
    if layer.body is not None:
        place = Origin(layer="backend-config", file=layer.body.file, line=None)
        content = layer.body.content(schema.body, lenient=True)
        for name, item in content.attributes.items():
            found[name] = _attribute(item, schema.arguments[name], place)
        for name in schema.body.blocks:
            blocks = tuple(inner for inner in content.blocks if inner.type == name)
            if blocks:
                origin = replace(place, line=blocks[0].line)
                found[name] = _Written(name=name, argument=schema.arguments[name], item=blocks, origin=origin)
    return found


def _value(item: _Written, scope: Scope, *, templates: bool) -> tuple[object, list[Problem]]:
    if isinstance(item.item, GivenValue):
        return item.item.value, []
    if isinstance(item.item, Attribute):
        return evaluate(item.item, item.argument, scope, templates=templates)
    return _blocks(item.item, item.argument, scope, templates=templates)


def evaluate(attribute: Attribute, argument: Argument | None, scope: Scope, *, templates: bool) -> tuple[object, list[Problem]]:
    """The converted value of one argument, and the engine's words where it has none."""
    evaluator = Evaluator(scope, attribute.file, templates=templates)
    value = evaluator.value(attribute.expression)
    problems = [problem if problem.line else replace(problem, line=attribute.line) for problem in evaluator.problems]
    if value is FAILED:
        return value, problems + _consequences(attribute, argument, silent=not problems)
    if argument is None:
        return value, problems
    try:
        return convert(value, argument.type), problems
    except ConversionError as error:
        detail = f'Inappropriate value for attribute "{attribute.name}": {error}.'
        line = attribute.expression.line
        problems.append(Problem(summary="Incorrect attribute value type", detail=detail, file=attribute.file, line=line))
        return FAILED, problems


def _consequences(attribute: Attribute, argument: Argument | None, *, silent: bool) -> list[Problem]:
    """What the engine says besides the cause: that a value is unknown, or that a list is no text whatever is in it."""
    node: object = attribute.expression
    while isinstance(node, Parentheses):
        node = node.inner
    if isinstance(node, Sequence | Mapping | For | Splat) and argument is not None and argument.type.kind in _PRIMITIVE:
        detail = f'Inappropriate value for attribute "{attribute.name}": {argument.type.kind} required.'
        return [Problem(summary="Incorrect attribute value type", detail=detail, file=attribute.file, line=node.line)]
    if silent:
        detail = "The `terraform` configuration block should contain only concrete and static values."
        return [Problem(summary="Unknown values within backend definition", detail=detail, file="", line=None)]
    return []


def _blocks(
    blocks: tuple[Block, ...], argument: Argument | None, scope: Scope, *, templates: bool
) -> tuple[object, list[Problem]]:
    members = argument.type.members if argument else {}
    result: dict[str, object] = {}
    problems: list[Problem] = []
    for block in blocks:
        content = block.body.content(Schema(attributes=frozenset(members)))
        problems += content.problems
        for name, item in content.attributes.items():
            inner = Argument(name=name, type=members[name], block=False, deprecated=False, instead="")
            value, found = evaluate(item, inner, scope, templates=templates)
            problems += found
            if value is not FAILED and value is not None:
                result[name] = value
    return result, problems


def _members(item: _Written) -> dict[str, Origin]:
    if not isinstance(item.item, tuple):
        return {}
    found: dict[str, Origin] = {}
    for block in item.item:
        names = frozenset(item.argument.type.members if item.argument else ())
        for name, inner in block.body.content(Schema(attributes=names), lenient=True).attributes.items():
            found[name] = replace(item.origin, file=inner.file, line=inner.line)
    return found


def _expression(item: _Written) -> str:
    """The text of an expression that only the engine can compute, without what looks like a secret in it."""
    if item.name in SECRETS:
        return MASK
    return redact(item.item.text) if isinstance(item.item, Attribute) else ""


def masked(name: str, value: object) -> Value:
    """``value`` with everything secret in it wrapped, at any depth."""
    if isinstance(value, Unresolved) or value is None:
        return value
    if name in SECRETS:
        return Secret(_flat(value))
    if isinstance(value, dict):
        return {key: masked(key, item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(masked(name, item) for item in value)
    if isinstance(value, str) and _has_userinfo(value):
        return Secret(value)
    return value


def _has_userinfo(value: str) -> bool:
    scheme, found, rest = value.partition("://")
    authority = rest.partition("/")[0]
    return bool(found) and scheme.isascii() and ":" in authority.rpartition("@")[0]


def _flat(value: object) -> str:
    return value if isinstance(value, str) else str(value)
