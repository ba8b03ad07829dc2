"""The root module as the engines assemble it: files in their order, override files over them, one block in the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kumoss_console.model.backend.constraints import allows
from kumoss_console.model.backend.engine import Engine
from kumoss_console.model.backend.files import ConfigEntry, arrange, byte_order
from kumoss_console.model.backend.result import Layer, Origin
from kumoss_console.model.backend.snapshot import Snapshot
from kumoss_console.model.backend.triage import implausible, may_forbid, mentions_state
from kumoss_console.model.backend.variables import constant
from kumoss_console.model.hcl import Attribute, Block, BlockSchema, Body, ConfigFile, Problem, Schema, parse_file
from kumoss_console.model.hcl.file import LARGEST
from kumoss_console.model.hcl.native import NativeBody

_VERSIONS_TOLD = 20
WHOLE = 64 * 1024
"""Bytes of configuration up to which every file is parsed: then a syntax error anywhere is told, as the engine tells it."""

_TOP = {
    "terraform": BlockSchema(),
    "required_providers": BlockSchema(),
    "variable": BlockSchema(labels=("name",)),
    "locals": BlockSchema(),
    "provider": BlockSchema(labels=("name",)),
    "output": BlockSchema(labels=("name",)),
    "module": BlockSchema(labels=("name",)),
    "resource": BlockSchema(labels=("type", "name")),
    "data": BlockSchema(labels=("type", "name")),
    "ephemeral": BlockSchema(labels=("type", "name")),
    "action": BlockSchema(labels=("type", "name")),
    "list": BlockSchema(labels=("type", "name")),
    "check": BlockSchema(labels=("name",)),
    "moved": BlockSchema(),
    "removed": BlockSchema(),
    "import": BlockSchema(),
}
FILE = Schema(blocks=_TOP)
_SETTINGS = frozenset({"required_version", "experiments", "language"})
_SETTING_BLOCKS = {
    "backend": BlockSchema(labels=("type",)),
    "cloud": BlockSchema(),
    "required_providers": BlockSchema(),
    "provider_meta": BlockSchema(labels=("provider",)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StateBlock:
    """A ``backend`` or ``cloud`` block. ``type_line`` is where the engines complain about the type."""

    type: str
    body: Body
    origin: Origin
    type_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """``winner`` is in force; ``losers`` were replaced, in the order they were read, with whether it was by an override file."""

    files: tuple[ConfigEntry, ...]
    winner: StateBlock | None
    losers: tuple[StateBlock, ...]
    problems: tuple[Problem, ...]
    incomplete: bool
    empty: bool
    undecided: tuple[str, ...] = ()
    """Files that were not read, or not to their end, and may hold what decides."""


def read_module(snapshot: Snapshot, engine: Engine) -> Module:
    """The module, and what is wrong with the files it is made of."""
    files = arrange(snapshot.entries, engine)
    read = [item for item in files if item.role in {"primary", "override"}]
    assembly = _Assembly(engine, whole=sum(len(item.entry.raw or b"") for item in read) <= WHOLE)
    for item in read:
        assembly.add(item)
    return Module(
        files=files,
        # Where both stand side by side, an error, the engines turn to the cloud block.
        winner=assembly.cloud or assembly.backend,
        losers=tuple(assembly.losers),
        problems=_told(assembly),
        incomplete=assembly.incomplete,
        empty=not read,
        undecided=assembly.undecided,
    )


def _told(assembly: _Assembly) -> tuple[Problem, ...]:
    """The engines look at the version first, and say nothing else where it does not fit."""
    refused = any(problem.kind == "error" for problem in assembly.version_problems)
    rest = [problem for problem in (*assembly.parse_problems, *assembly.problems) if not refused or problem.kind == "limit"]
    return tuple(dict.fromkeys((*assembly.version_problems, *rest)))


class _Assembly:
    """The order of calls is the order of the engines: every primary file, then every override file."""

    def __init__(self, engine: Engine, *, whole: bool) -> None:
        self.backend: StateBlock | None = None
        self.cloud: StateBlock | None = None
        self.losers: list[StateBlock] = []
        self.parse_problems: list[Problem] = []
        self.problems: list[Problem] = []
        self.version_problems: list[Problem] = []
        self.incomplete = False
        self._partial: list[_Partial] = []
        self._engine = engine
        self._whole = whole

    def add(self, item: ConfigEntry) -> None:
        raw = item.entry.raw
        if raw is None:
            self._unreadable(item)
            return
        if not self._whole and not self._needed(item.name, raw):
            return
        file = parse_file(item.name, raw)
        if not file.complete:
            self._gave_up(item, may_decide=_hides_state(file) and mentions_state(item.name, raw))
        self.parse_problems += file.problems
        layer: Layer = "override" if item.role == "override" else "repository"
        blocks = list(self._state_blocks(file, layer))
        if layer == "override":
            self._merge([b for b in blocks if b.type != "cloud"], [b for b in blocks if b.type == "cloud"])
        else:
            self._append(blocks)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Without a block, whatever was not read may hold it. An override's block stands whatever the files before it say."""
        winner = self.cloud or self.backend
        if winner is None:
            return tuple(partial.name for partial in self._partial)
        settled = winner.origin.file if winner.origin.layer == "override" else ""
        after = [partial for partial in self._partial if partial.may_decide and not (settled and partial.before(settled))]
        return tuple(partial.name for partial in after)

    def _needed(self, name: str, raw: bytes) -> bool:
        if len(raw) > LARGEST or mentions_state(name, raw) or implausible(name, raw):
            return True
        return len(self.version_problems) < _VERSIONS_TOLD and may_forbid(raw, self._engine.version)

    def _gave_up(self, item: ConfigEntry, *, may_decide: bool) -> None:
        self.incomplete = True
        self._partial.append(_Partial(name=item.name, override=item.role == "override", may_decide=may_decide))

    def _unreadable(self, item: ConfigEntry) -> None:
        if item.entry.kind == "large":
            detail = f"The file has {item.entry.error}; so much is not read."
            limit = Problem(summary="Too large to read", detail=detail, file=item.name, line=None, kind="limit")
            self.parse_problems.append(limit)
            self._gave_up(item, may_decide=True)
            return
        if item.entry.kind == "special":
            detail = f'"{item.name}" is {item.entry.error}: the engine would wait for it forever.'
        else:
            detail = f'The file "{item.name}" could not be read: {item.entry.error}.'
        self.parse_problems.append(Problem(summary="Failed to read file", detail=detail, file=item.name, line=None))
        self.incomplete = True

    def _state_blocks(self, file: ConfigFile, layer: Layer) -> Iterator[StateBlock]:
        top = file.body.content(FILE)
        self.parse_problems += top.problems
        for outer in (block for block in top.blocks if block.type == "terraform"):
            content = outer.body.content(self._settings)
            self.parse_problems += content.problems
            if "required_version" in content.attributes:
                self._require(content.attributes["required_version"])
            for block in content.blocks:
                if block.type in {"backend", "cloud"}:
                    yield _state_block(block, layer)

    def _require(self, attribute: Attribute) -> None:
        constraint = constant(attribute)
        if not isinstance(constraint, str) or allows(constraint, self._engine.version) is not False:
            return
        product = "Terraform Core" if self._engine.name == "terraform" else "OpenTofu Core"
        self.version_problems.append(
            Problem(
                summary=f"Unsupported {product} version",
                detail=f"This configuration does not support {self._engine.label}: it requires {constraint}.",
                file=attribute.file,
                line=attribute.line,
                # Nobody said which version runs: what it would refuse is then only a doubt.
                kind="warning" if self._engine.assumed else "error",
            )
        )

    @property
    def _settings(self) -> Schema:
        extra = {"encryption": BlockSchema()} if self._engine.tofu_since(1, 7) else {}
        return Schema(attributes=_SETTINGS, blocks={**_SETTING_BLOCKS, **extra})

    def _append(self, blocks: list[StateBlock]) -> None:
        for block in blocks:
            if block.type == "cloud":
                if self.cloud is None:
                    self.cloud = block
                else:
                    self._again(block, self.cloud, "A module may have only one 'cloud' block.")
                    self.losers.append(block)
            elif self.backend is None:
                self.backend = block
            else:
                self._again(block, self.backend, "A module may have only one backend configuration.")
                self.losers.append(block)
        if self.backend is not None and self.cloud is not None:
            article = "a " if self._engine.name == "tofu" else ""
            where = (
                f"The 'cloud' block is configured at {self.cloud.origin.at}; a backend is configured at {self.backend.origin.at}."
            )
            self.problems.append(
                Problem(
                    summary=f"Both a backend and {article}cloud configuration are present",
                    detail=f"A module may declare either a 'cloud' block or a 'backend' block. {where}",
                    file=self.backend.origin.file,
                    line=self.backend.origin.line,
                )
            )

    def _again(self, block: StateBlock, first: StateBlock, rule: str) -> None:
        if block.type == "cloud":
            what = "HCP Terraform configurations" if self._engine.name == "terraform" else "cloud configurations"
        else:
            what = "backend configuration"
        self.problems.append(
            Problem(
                summary=f"Duplicate {what}",
                detail=f"{rule} It was previously configured at {first.origin.at}.",
                file=block.origin.file,
                line=block.origin.line,
            )
        )

    def _merge(self, backends: list[StateBlock], clouds: list[StateBlock]) -> None:
        """One file's override: its block replaces what is below as a whole, a cloud block a backend as well."""
        for blocks, rule in (
            (backends, "Each override file may have only one backend configuration."),
            (clouds, "Each override file may have only one 'cloud' block."),
        ):
            if len(blocks) > 1:
                self._again(blocks[1], blocks[0], rule)
            elif blocks:
                self.losers += [block for block in (self.backend, self.cloud) if block is not None]
                self.backend = blocks[0] if blocks is backends else None
                self.cloud = blocks[0] if blocks is clouds else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Partial:
    """A file that this reader gave up on. ``may_decide``: what it did not read may hold a backend block."""

    name: str
    override: bool
    may_decide: bool

    def before(self, override: str) -> bool:
        """Whether the engine reads it before the override file of that name."""
        return not self.override or byte_order(self.name) < byte_order(override)


def _hides_state(file: ConfigFile) -> bool:
    """Whether a ``terraform`` block may be among what was not read: items that were skipped for their depth are known by name."""
    skipped = file.body.skipped if isinstance(file.body, NativeBody) else []
    return not skipped or "terraform" in skipped


def _state_block(block: Block, layer: Layer) -> StateBlock:
    kind = block.labels[0] if block.type == "backend" else "cloud"
    origin = Origin(layer=layer, file=block.file, line=block.line)
    # A backend "cloud" must not be taken for a cloud block.
    found = StateBlock(
        type=kind, body=block.body, origin=origin, type_line=block.label_lines[0] if block.label_lines else block.line
    )
    return replace(found, type="backend cloud") if block.type == "backend" and kind == "cloud" else found
