"""``-backend-config`` options: files and ``key=value`` pairs, in their order, into values that are laid over the block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kumoss_console.model.backend.schema import Argument, BackendSchema
from kumoss_console.model.backend.snapshot import Entry
from kumoss_console.model.hcl import Body, Problem, parse_file
from kumoss_console.model.hcl.evaluate import FAILED, Evaluator, NoScope
from kumoss_console.model.hcl.file import read_expression
from kumoss_console.model.hcl.types import ConversionError, convert


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenValue:
    """The value of one pair, converted already."""

    value: object
    option: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionLayer:
    """One step of the list: a file's body, or the pairs between two files."""

    body: Body | None = None
    values: Mapping[str, GivenValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """``given`` is false without any option; one empty option is given, and removes what an earlier init kept."""

    given: bool
    layers: tuple[OptionLayer, ...]
    problems: tuple[Problem, ...]


def option_files(options: Sequence[str]) -> tuple[str, ...]:
    """The options that name a file: those without an equals sign, wherever it stands."""
    if len(options) == 1 and not options[0]:
        return ()
    return tuple(dict.fromkeys(option or "." for option in options if "=" not in option))


def read_options(options: Sequence[str], files: Mapping[str, Entry], schema: BackendSchema) -> Options:
    """The layers of ``options`` (each without its ``-backend-config=``), lowest first."""
    if len(options) == 1 and not options[0]:
        return Options(given=True, layers=(), problems=())
    layers: list[OptionLayer] = []
    problems: list[Problem] = []
    pairs: dict[str, GivenValue] = {}
    for option in options:
        name, equals, raw = option.partition("=")
        if equals:
            found = _pair(option, name, raw, schema, problems)
            if found is not None:
                pairs[name] = found
            continue
        body = _file(option or ".", files, schema, problems)
        if body is not None:
            if pairs:
                layers.append(OptionLayer(values=dict(pairs)))
                pairs.clear()
            layers.append(OptionLayer(body=body))
    if pairs:
        layers.append(OptionLayer(values=pairs))
    return Options(given=bool(options), layers=tuple(layers), problems=tuple(problems))


def _file(name: str, files: Mapping[str, Entry], schema: BackendSchema, problems: list[Problem]) -> Body | None:
    entry = files.get(name)
    if entry is not None and entry.kind == "elsewhere":
        detail = f'The file "{name}" is not on this machine: what it sets where the engine runs is not known here.'
        problems.append(Problem(summary="File not seen from here", detail=detail, file=name, line=None, kind="limit"))
        return None
    if entry is None or entry.raw is None:
        reason = f" ({entry.error})" if entry is not None and entry.error else ""
        detail = f'The file "{name}" could not be read{reason}.'
        problems.append(Problem(summary="Failed to read file", detail=detail, file=name, line=None))
        return None
    file = parse_file(name, entry.raw)
    content = file.body.content(schema.body) if not file.problems else None
    found = [*file.problems, *(content.problems if content else ())]
    problems += found
    return None if found else file.body


def _pair(option: str, name: str, raw: str, schema: BackendSchema, problems: list[Problem]) -> GivenValue | None:
    place = f"-backend-config={name}"
    argument = schema.arguments.get(name)
    if argument is None or argument.block:
        rule = "given on the command line is not expected for the selected backend type"
        detail = f'The backend configuration argument "{name}" {rule}.'
        problems.append(Problem(summary="Invalid backend configuration argument", detail=detail, file=place, line=None))
        return None
    if argument.type.kind in {"string", "number", "bool"}:
        return _converted(option, place, raw, argument, problems)
    node, found = read_expression(raw, place)
    problems += found
    if node is None:
        return None
    evaluator = Evaluator(NoScope(), place, templates=True)
    value = evaluator.value(node)
    problems += evaluator.problems
    return None if value is FAILED else _converted(option, place, value, argument, problems)


def _converted(option: str, place: str, value: object, argument: Argument, problems: list[Problem]) -> GivenValue | None:
    try:
        return GivenValue(value=convert(value, argument.type), option=option)
    except ConversionError as error:
        detail = f"Invalid backend configuration argument {place}: {error}"
        problems.append(Problem(summary="Invalid backend configuration value", detail=detail, file=place, line=None))
        return None
