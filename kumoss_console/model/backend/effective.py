"""From a snapshot to the backend in force. Pure; CPU work of milliseconds, seconds at most for hostile files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from kumoss_console.model.backend.checks import Subject, check, deprecations
from kumoss_console.model.backend.decode import Decoded, decode
from kumoss_console.model.backend.engine import Engine
from kumoss_console.model.backend.files import ConfigEntry
from kumoss_console.model.backend.module import Module, StateBlock, read_module
from kumoss_console.model.backend.options import OptionLayer, read_options
from kumoss_console.model.backend.result import (
    LOCAL,
    BackendAttribute,
    Binding,
    DeclaredBlock,
    EffectiveBackend,
    FileUse,
    Origin,
    Shadow,
)
from kumoss_console.model.backend.schema import BackendSchema, schema_for, why_unknown
from kumoss_console.model.backend.snapshot import Snapshot
from kumoss_console.model.backend.static import StaticScope
from kumoss_console.model.backend.triage import mentions_state
from kumoss_console.model.backend.variables import Declarations, Given, read_declarations, read_given
from kumoss_console.model.hcl import Problem
from kumoss_console.model.hcl.evaluate import NoScope, Scope

_LEAK = (
    "The backend configuration is stored in .terraform/terraform.tfstate as well as plan files. It is recommended to instead "
    "supply {kind} credentials via backend specific environment variables"
)


def effective_backend(
    snapshot: Snapshot, engine: Engine, *, options: Sequence[str] = (), environ: Mapping[str, str] | None = None
) -> EffectiveBackend:
    """What ``init`` binds in the folder. ``options`` are the values of ``-backend-config``, in order.

    ``environ`` is the environment that the engine would run in, as far as it is known.
    """
    return _Reading(snapshot, engine, tuple(options), environ or {}).result()


class _Reading:
    def __init__(self, snapshot: Snapshot, engine: Engine, options: tuple[str, ...], environ: Mapping[str, str]) -> None:
        self._snapshot = snapshot
        self._engine = engine
        self._options = options
        self._environ = environ
        self._module = read_module(snapshot, engine)
        # Filled when a reference needs the variable files: they are not looked at before.
        self._doubts: list[Problem] = []
        self._scope = _scopes(self._module, snapshot, environ, self._doubts) if engine.evaluates_early else _no_scope

    def result(self) -> EffectiveBackend:
        winner = self._module.winner
        if winner is None:
            return self._local()
        return self._cloud(winner) if winner.type == "cloud" else self._backend(winner)

    # --- the three outcomes

    def _local(self) -> EffectiveBackend:
        problems: list[Problem] = []
        if self._options and not self._module.empty:
            detail = '-backend-config was used without a "backend" block in the configuration.'
            problems.append(Problem(summary="Missing backend configuration", detail=detail, file="", line=None, kind="warning"))
        binding = Binding(type=LOCAL)
        return self._assembled(binding if not self._config_errors else None, None, None, problems)

    def _cloud(self, winner: StateBlock) -> EffectiveBackend:
        problems: list[Problem] = []
        if self._options:
            detail = (
                "The -backend-config=... command line option is only for state backends, and is not applicable to a cloud block."
            )
            problems.append(Problem(summary="Invalid command-line option", detail=detail, file="", line=None))
        schema = schema_for("cloud", self._engine)
        decoded = self._decoded(winner, schema, (), lenient=False)
        problems += decoded.problems
        binding = Binding(type="cloud", attributes=_flattened(decoded.attributes), at=winner.origin)
        failed = bool(self._config_errors or _errors(problems))
        return self._assembled(None if failed else binding, binding, None, problems)

    def _backend(self, winner: StateBlock) -> EffectiveBackend:
        schema = schema_for(winner.type, self._engine)
        if schema is None:
            kind = winner.type.removeprefix("backend ")
            detail = why_unknown(kind, self._engine)
            unknown = Problem(summary="Unsupported backend type", detail=detail, file=winner.origin.file, line=winner.type_line)
            decoded = self._decoded(winner, None, (), lenient=True)
            written = Binding(type=kind, attributes=decoded.attributes, at=winner.origin)
            return self._assembled(None, written, None, [unknown])
        options = read_options(self._options, self._snapshot.options, schema)
        decoded = self._decoded(winner, schema, options.layers, lenient=options.given)
        problems = list(options.problems)
        if not _errors(problems):
            problems += decoded.problems
            if not _errors(problems):
                problems += self._checked(winner, schema, decoded)
        attributes, gone = self._with_shadows(winner, schema, options.layers, decoded)
        written = Binding(type=winner.type, attributes=attributes, at=winner.origin)
        sound = not _errors(problems)
        return self._assembled(
            written if sound and not self._config_errors else None,
            written,
            written if sound and self._config_errors else None,
            problems,
            erased=gone,
            dropped=_dropped(winner, schema) if options.given else (),
            lenient=options.given,
        )

    def _checked(self, winner: StateBlock, schema: BackendSchema, decoded: Decoded) -> list[Problem]:
        for kind, names, since in (("sensitive", decoded.sensitive, (1, 9)), ("ephemeral", decoded.ephemeral, (1, 11))):
            if names and self._engine.tofu_since(*since):
                summary = f"Backend config contains {kind} values"
                detail = f"{_LEAK.format(kind=kind)}: {', '.join(names)}."
                return [Problem(summary=summary, detail=detail, file=winner.origin.file, line=winner.origin.line)]
        subject = Subject(
            type=winner.type,
            values=decoded.raw,
            places=decoded.places,
            missing=(winner.body.file, winner.body.missing_line),
            engine=self._engine,
            environ=self._environ,
        )
        return [*check(subject), *deprecations(subject, schema)]

    # --- parts

    @property
    def _config_errors(self) -> list[Problem]:
        return _errors(self._module.problems)

    def _decoded(
        self, block: StateBlock, schema: BackendSchema | None, layers: Sequence[OptionLayer], *, lenient: bool
    ) -> Decoded:
        return decode(block, schema, layers, self._scope, lenient=lenient, templates=self._engine.evaluates_early)

    def _with_shadows(
        self, winner: StateBlock, schema: BackendSchema, layers: Sequence[OptionLayer], decoded: Decoded
    ) -> tuple[tuple[BackendAttribute, ...], tuple[Shadow, ...]]:
        """Each value with those it beat, the nearest first; and what was erased without a successor."""
        beaten: dict[str, list[Shadow]] = {}
        current = {attribute.name: attribute for attribute in decoded.attributes}
        above = current
        for count in reversed(range(len(layers))):
            below = {item.name: item for item in self._decoded(winner, schema, layers[:count], lenient=True).attributes}
            for name, item in below.items():
                if above.get(name) != item:
                    beaten.setdefault(name, []).append(_shadow(item, erased=False))
            above = below
        for loser in reversed(self._module.losers):
            kind = schema_for(loser.type, self._engine)
            attributes = self._decoded(loser, kind, (), lenient=True).attributes
            for item in _flattened(attributes) if loser.type == "cloud" else attributes:
                beaten.setdefault(item.name, []).append(_shadow(item, erased=True))
        shadowed = tuple(replace(item, shadows=tuple(beaten.get(item.name, ()))) for item in decoded.attributes)
        gone = tuple(shadow for name, shadows in beaten.items() if name not in current for shadow in shadows)
        return shadowed, gone

    def _assembled(
        self,
        bound: Binding | None,
        written: Binding | None,
        kept: Binding | None,
        problems: Sequence[Problem],
        *,
        erased: tuple[Shadow, ...] = (),
        dropped: tuple[Origin, ...] = (),
        lenient: bool = False,
    ) -> EffectiveBackend:
        module = self._module
        problems = (*problems, *self._doubts)
        unknown = (*module.undecided, *(name for name in map(_cut_short, problems) if name in self._snapshot.options))
        if unknown:
            bound = kept = None
        found = [(block, False) for block in module.losers]
        if module.winner is not None:
            found.append((module.winner, True))
        return EffectiveBackend(
            engine=self._engine,
            bound=bound,
            written=written,
            kept=kept,
            blocks=tuple(
                DeclaredBlock(type=block.type.removeprefix("backend "), origin=block.origin, wins=wins) for block, wins in found
            ),
            erased=erased,
            problems=tuple(dict.fromkeys((*module.problems, *problems))),
            files=tuple(map(_use, module.files)),
            lenient=lenient,
            dropped=dropped,
            incomplete=module.incomplete or any(problem.kind == "limit" for problem in problems),
            unknown=tuple(dict.fromkeys(unknown)),
        )


def _cut_short(problem: Problem) -> str:
    """The file that is here and was not read to its end; empty for others."""
    return problem.file if problem.kind == "limit" and problem.summary != "File not seen from here" else ""


def _use(item: ConfigEntry) -> FileUse:
    raw = item.entry.raw
    unread = item.role in {"hidden", "ignored"}
    mentions = unread and raw is not None and mentions_state(item.name, raw)
    return FileUse(name=item.name, role=item.role, reason=item.reason, mentions=mentions)


def _errors(problems: Sequence[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.kind == "error"]


def _no_scope() -> Scope:
    return NoScope()


def _scopes(module: Module, snapshot: Snapshot, environ: Mapping[str, str], doubts: list[Problem]) -> Callable[[], Scope]:
    @cache
    def declarations() -> Declarations:
        return read_declarations(module.files)

    @cache
    def given() -> dict[str, Given]:
        return read_given(snapshot, environ, doubts)

    kind = module.winner.type if module.winner else "none"

    def scope() -> Scope:
        return StaticScope(declarations, given, subject=f"backend.{kind}", selected=snapshot.selected)

    return scope


def _shadow(attribute: BackendAttribute, *, erased: bool) -> Shadow:
    return Shadow(name=attribute.name, value=attribute.value, origin=attribute.origin, erased=erased)


def _flattened(attributes: tuple[BackendAttribute, ...]) -> tuple[BackendAttribute, ...]:
    """Members of nested blocks as arguments of their own: ``workspaces.tags``."""
    flat: list[BackendAttribute] = []
    for attribute in attributes:
        if isinstance(attribute.value, dict):
            flat += [
                replace(attribute, name=f"{attribute.name}.{name}", value=value, origin=_member_origin(attribute, name))
                for name, value in attribute.value.items()
            ]
        else:
            flat.append(attribute)
    return tuple(flat)


def _member_origin(attribute: BackendAttribute, name: str) -> Origin:
    return attribute.members.get(name, attribute.origin)


def _dropped(winner: StateBlock, schema: BackendSchema) -> tuple[Origin, ...]:
    """Where the engine would have complained, had no option been given."""
    problems = winner.body.content(schema.body).problems
    return tuple(Origin(layer=winner.origin.layer, file=problem.file, line=problem.line) for problem in problems)
