"""One run of the command line: the shared options, and what the commands do with them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kumoss_console.cli.diagnostics import Diagnostics
from kumoss_console.cli.output import Answer, Output
from kumoss_console.cli.world import World
from kumoss_console.errors import ConsoleError, ExitCode, InputError, Refused
from kumoss_console.text import Secret, printable

if TYPE_CHECKING:
    from kumoss_console.config import LoadedConfig
    from kumoss_console.services.build import Services

T = TypeVar("T")


@dataclass(slots=True)
class SharedOptions:
    """What was given before and after the command, in that order. Saying one thing twice is fine, two things is not."""

    config: list[str] = field(default_factory=list)
    context: list[str] = field(default_factory=list)
    read_only: bool = False
    json: bool = False

    def one(self, name: str) -> str | None:
        """The value of ``--<name>``, ``None`` where it was not given. Raises :class:`InputError` for two different values."""
        given = list(dict.fromkeys(getattr(self, name)))
        if len(given) > 1:
            values = ", ".join(printable(value) for value in given)
            raise InputError(
                f"--{name} was given with {len(given)} different values: {values}",
                hint="Keep one of them: which world a command acts on must not depend on which value came last.",
                code="usage.conflict",
            )
        return given[0] if given else None


@dataclass
class Session:
    """What click hands to every command."""

    world: World
    shared: SharedOptions = field(default_factory=SharedOptions)
    asked: bool = False
    """Whether a service was asked: then what is odd about the configuration may explain the answer."""

    @cached_property
    def output(self) -> Output:
        world = self.world
        return Output(world.stdout, json=self.shared.json, columns=world.columns, colour=world.colour)

    @cached_property
    def diagnostics(self) -> Diagnostics:
        return Diagnostics(self.world.stderr, colour=self.world.stderr_is_terminal and self.world.may_colour)

    @cached_property
    def config(self) -> LoadedConfig:
        """The configuration. Raises :class:`~kumoss_console.errors.ConfigError`."""
        named = self.shared.one("config")
        file = None if named is None else Path(named)
        return self.world.load(config=file, environ=self.world.environ, cwd=self.world.cwd)

    @cached_property
    def services(self) -> Services:
        """The services of the chosen context, read-only where it or the command line says so."""
        return self.world.build(
            self.config, self.shared.one("context"), read_only=self.shared.read_only, environ=self.world.environ
        )

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """Every secret that was loaded so far, for whoever prints a report of a crash."""
        config = vars(self).get("config")
        if config is None:
            return ()
        found = []
        for context in config.contexts:
            keys = context.credentials
            found += [context.token, keys.access_key, keys.secret_key, keys.account_key, keys.sas]
        return tuple(secret for secret in found if secret)

    def run(self, work: Callable[[Services], Coroutine[Any, Any, T]]) -> T:
        """Run ``work`` on the services of the chosen context and close what it opened."""
        from kumoss_console.cli.loop import run_async

        services = self.services
        self.asked = True

        async def worked() -> T:
            try:
                return await work(services)
            finally:
                await services.aclose()

        return run_async(worked())

    def answer(self, answer: Answer, *, config_warnings: bool | None = None) -> ExitCode:
        """Print what a command found; the return value is how the command ends.

        ``config_warnings`` says whether the configuration's warnings belong to the answer; by default they do where a service
        was asked.
        """
        told = self.asked if config_warnings is None else config_warnings
        warnings = (*self._config_warnings(), *answer.warnings) if told else answer.warnings
        if self.output.json:
            self.output.envelope(answer.data, warnings)
        else:
            self.output.blocks(answer.blocks)
            for warning in warnings:
                self.diagnostics.warning(warning)
            for note in answer.notes:
                self.diagnostics.note(note)
        return answer.exit_code

    def broken_off(self, answer: Answer, error: ConsoleError) -> ExitCode:
        """Print what a command found before ``error`` ended it, and then the error: in JSON both in one envelope."""
        if self.output.json:
            self.output.failure(error, answer.data)
        else:
            self.answer(answer)
            self.diagnostics.error(error)
        return error.exit_code

    def _config_warnings(self) -> tuple[str, ...]:
        """Those about the chosen context, and those about no context in particular."""
        chosen = self.services.context.name
        others = tuple(f"context {context.name}: " for context in self.config.contexts if context.name != chosen)
        return tuple(warning for warning in self.config.warnings if not warning.startswith(others))

    def refuse_read_only(self, what: str) -> None:
        """Raise :class:`Refused` in read-only mode. ``what`` begins a sentence: ``Submitting an apply job``."""
        if self.services.read_only:
            name = self.services.context.name
            own = self.config.context(name).read_only
            raise Refused(
                f"{what} is not possible in read-only mode",
                detail=f"Context {printable(name)} is read-only"
                + (" by its configuration." if own else ": --read-only was given."),
                hint="Choose a context that may be changed with --context." if own else "Leave out --read-only.",
                code="read_only",
            )

    def confirm(self, *, subject: str, consequence: str, given: str | None) -> None:
        """Nothing is changed without its name typed: ``--confirm SUBJECT``, or the answer to a question on a terminal.

        Raises :class:`Refused` for another name, and where there is nobody to ask.
        """
        shown = printable(subject)
        if given is None:
            if not self.world.interactive or self.output.json:
                raise Refused(
                    f"This needs a confirmation: {consequence}",
                    hint=f"Repeat the command with --confirm {shown}",
                    code="confirmation.missing",
                )
            self.diagnostics.note(consequence)
            self.diagnostics.ask(f"Type {shown} to go on: ")
            given = self.world.stdin.readline().decode("utf-8", "replace").strip()
        if given != subject:
            raise Refused(
                f"Not confirmed: {shown} was expected, {printable(given) or 'nothing'} was typed",
                hint="Nothing was changed.",
                code="confirmation.mismatch",
            )

    def agree(self, *, subject: str, consequence: str, given: str | None) -> None:
        """As :meth:`confirm`, for what can be mended: on a terminal a plain yes is enough."""
        if given is not None or not self.world.interactive or self.output.json:
            self.confirm(subject=subject, consequence=consequence, given=given)
            return
        self.diagnostics.note(consequence)
        self.diagnostics.ask("Go on? [y/N] ")
        typed = self.world.stdin.readline().decode("utf-8", "replace").strip()
        if typed.lower() not in {"y", "yes"}:
            raise Refused("Not confirmed", hint="Nothing was changed.", code="confirmation.mismatch")
