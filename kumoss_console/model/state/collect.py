"""Gathers what every state format has: resources by address, their objects, and what is odd about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.identifiers import unique
from kumoss_console.model.state.copies import NO_COPIES, Copies
from kumoss_console.model.state.document import Contents, Counts, Engine, InstanceRow, Mode, OutputRow, ResourceRow, Skipped
from kumoss_console.model.state.uniqueness import names_one_object

_OPENTOFU_REGISTRY = "registry.opentofu.org"
_TERRAFORM_REGISTRY = "registry.terraform.io"
_TWICE = (
    "find out which address is right before anything is removed: a destroy at one of them destroys what the others stand for, "
    "and state rm only makes this state forget an address"
)


class _Resource:
    __slots__ = ("current", "instances", "mode", "module", "name", "provider", "type")

    def __init__(self, mode: Mode, module: str, type_: str, name: str, provider: str) -> None:
        self.mode = mode
        self.module = module
        self.type = type_
        self.name = name
        self.provider = provider
        self.instances: list[InstanceRow] = []
        self.current: set[str] | None = None
        """Addresses of current objects, from the second object on: most resources have one."""


class Collector:
    """Resources in order of first appearance; entries that name the same address are one resource."""

    def __init__(self, outputs: tuple[OutputRow, ...] = (), *, hidden: Copies = NO_COPIES) -> None:
        """``hidden`` are the texts of sensitive outputs: an object's identifier may be one of them."""
        self._outputs = outputs
        self._hidden = hidden
        self._resources: dict[str, _Resource] = {}
        self._skipped: list[Skipped] = []
        self._violations: list[str] = []
        self._provider_on_instances: list[str] = []
        self._no_provider: list[str] = []

    def refuse(self, engine_message: str) -> None:
        """Note what makes an engine refuse the state."""
        self._violations.append(engine_message)

    def provider_on_instances(self, address: str) -> None:
        self._provider_on_instances.append(address)

    def no_provider(self, address: str) -> None:
        self._no_provider.append(address)

    def resource(self, address: str, *, mode: Mode, module: str, type_: str, name: str, provider: str) -> None:
        if address not in self._resources:
            self._resources[address] = _Resource(mode, module, type_, name, provider)

    def instance(
        self, resource: str, address: str, identifier: str | None, why_none: str = "", *, tainted: bool = False, deposed: str = ""
    ) -> None:
        owner = self._resources[resource]
        if identifier is not None and self._hidden and self._hidden.has(identifier):
            identifier, why_none = None, "it repeats a sensitive output"
        if owner.instances and not deposed:
            if owner.current is None:
                owner.current = {row.address for row in owner.instances if not row.deposed}
            if address in owner.current:
                self.refuse(f"Instance {address} appears multiple times in the state file.")
            owner.current.add(address)
        owner.instances.append(InstanceRow(address=address, identifier=identifier, tainted=tainted, deposed=deposed))
        if identifier is None and owner.mode == "managed":
            self._skipped.append(Skipped(address=address, reason=why_none))

    def contents(self) -> Contents:
        managed = [row for item in self._resources.values() if item.mode == "managed" for row in item.instances]
        ids = unique(row.identifier for row in managed if row.identifier)
        deposed = any(row.deposed for row in managed)
        current = {row.identifier for row in managed if row.identifier and not row.deposed} if deposed else frozenset(ids)
        return Contents(
            counts=self._counts(),
            ids=ids,
            ids_only_from_deposed=tuple(item for item in ids if item not in current),
            skipped=tuple(self._skipped),
            resources=tuple(
                ResourceRow(
                    address=address,
                    mode=item.mode,
                    module=item.module,
                    type=item.type,
                    name=item.name,
                    provider=item.provider,
                    instances=tuple(item.instances),
                )
                for address, item in self._resources.items()
            ),
            outputs=self._outputs,
            engine=self._engine(),
            violations=tuple(self._violations),
            findings=tuple(self._findings()),
        )

    def _counts(self) -> Counts:
        resources: Counter[Mode] = Counter()
        current: Counter[Mode] = Counter()
        deposed = tainted = 0
        for item in self._resources.values():
            resources[item.mode] += 1
            for row in item.instances:
                if row.deposed:
                    deposed += 1
                else:
                    current[item.mode] += 1
                    tainted += row.tainted
        return Counts(
            resources_managed=resources["managed"],
            resources_data=resources["data"],
            instances_managed=current["managed"],
            instances_data=current["data"],
            deposed=deposed,
            tainted=tainted,
            outputs=len(self._outputs),
            outputs_sensitive=sum(output.sensitive for output in self._outputs),
            modules=len({item.module for item in self._resources.values() if item.module}),
        )

    def _engine(self) -> Engine | None:
        providers = {item.provider for item in self._resources.values()}
        if self._provider_on_instances or any(_OPENTOFU_REGISTRY in provider for provider in providers):
            return "opentofu"
        return "terraform" if any(_TERRAFORM_REGISTRY in provider for provider in providers) else None

    def _findings(self) -> Iterator[Finding]:
        for row in (row for item in self._resources.values() for row in item.instances if row.tainted or row.deposed):
            if row.deposed:
                message = f"deposed object {row.deposed}: an earlier replacement could not destroy it"
                yield _finding("state.deposed", row.address, message, "the next apply tries again; look why it failed")
            else:
                yield _finding("state.tainted", row.address, "tainted: the next apply destroys and recreates it")
        for address in self._provider_on_instances:
            yield _finding(
                "state.provider_on_instances",
                address,
                "written by OpenTofu 1.9 or later: Terraform passes over this resource without a message",
                "use OpenTofu with this state",
            )
        for address in self._no_provider:
            message = "names no provider: engines pass over this resource without a message"
            yield _finding("state.no_provider", address, message, "restore an earlier version of the state")
        yield from self._duplicates()

    def _duplicates(self) -> Iterator[Finding]:
        known = [
            row.identifier
            for item in self._resources.values()
            if item.mode == "managed"
            for row in item.instances
            if row.identifier and not row.deposed
        ]
        if len(set(known)) == len(known):
            return  # nearly every state, at a tenth of the cost
        # Only what comes a second time has a list of its own, and only of that is the form of the id looked at.
        first: dict[tuple[str, str, str], str] = {}
        holders: dict[tuple[str, str, str], list[str]] = {}
        for item in self._resources.values():
            if item.mode == "managed":
                for row in item.instances:
                    if row.identifier and not row.deposed:
                        name = (item.type, item.provider, row.identifier)
                        found = first.setdefault(name, row.address)
                        if found is not row.address:
                            holders.setdefault(name, [found]).append(row.address)
        for (type_, _, identifier), addresses in holders.items():
            if names_one_object(type_, identifier):
                message = f"{identifier} is the id of {len(addresses)} addresses in this state: {', '.join(addresses)}"
                yield _finding("state.managed_twice", addresses[0], message, _TWICE)


def _finding(code: str, subject: str, message: str, remedy: str = "") -> Finding:
    return Finding(code=code, severity=Severity.WARNING, subject=subject, message=message, remedy=remedy)
