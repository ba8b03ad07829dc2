"""Click, shaped for this command line: shared options everywhere, commands imported when they run, help through our stdout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

from kumoss_console.cli.session import Session


def _session(ctx: click.Context) -> Session:
    session = ctx.find_object(Session)
    if session is None:
        raise TypeError("a command ran without a session")
    return session


def _keep_all(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> None:
    if not all(value.strip() for value in values):
        raise click.BadParameter("it is empty", ctx=ctx, param=param)
    getattr(_session(ctx).shared, str(param.name)).extend(values)


def _keep_flag(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        setattr(_session(ctx).shared, str(param.name), True)


def _show_help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        _session(ctx).output.text(ctx.get_help())
        ctx.exit()


def _shared_options() -> list[click.Option]:
    def kept(*names: str, metavar: str, text: str) -> click.Option:
        return click.Option(names, metavar=metavar, help=text, multiple=True, expose_value=False, callback=_keep_all)

    def flag(name: str, text: str) -> click.Option:
        # Eager: a usage error in another option must already know how to be printed.
        return click.Option((name,), is_flag=True, help=text, expose_value=False, callback=_keep_flag, is_eager=True)

    return [
        kept("--config", metavar="FILE", text="The configuration file to read."),
        kept("--context", metavar="NAME", text="The context to act on."),
        flag("--read-only", "Refuse everything that changes anything."),
        flag("--json", "Print one JSON envelope, or NDJSON for streams."),
    ]


class SharedCommand(click.Command):
    """A command that takes the shared options and lists them apart in its help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", {}).setdefault("help_option_names", ["-h", "--help"])
        super().__init__(*args, **kwargs)
        self._shared = _shared_options()
        self.params.extend(self._shared)
        names = self.context_settings["help_option_names"]
        text = "Show this message."
        self._help = click.Option(names, is_flag=True, expose_value=False, is_eager=True, help=text, callback=_show_help)

    def get_help_option(self, ctx: click.Context) -> click.Option:
        return self._help

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own: list[tuple[str, str]] = []
        shared: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                (shared if param in self._shared or param is self._help else own).append(record)
        for title, records in (("Options", own), ("Before or after any command", shared)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


@dataclass(frozen=True, slots=True)
class Lazy:
    """Where a command is defined (``module:attribute``) and what the list of commands says of it."""

    where: str
    text: str


@click.pass_context
def _want_a_command(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        raise click.exceptions.NoArgsIsHelpError(ctx)


class LazyGroup(SharedCommand, click.Group):
    """A group whose commands are imported when they run; listing them needs no import.

    Without one of them it raises :class:`click.exceptions.NoArgsIsHelpError`, unless it is ``invoke_without_command``.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, Lazy], **kwargs: Any) -> None:
        if not kwargs.get("invoke_without_command"):
            # Click would tell "nothing at all" and "options only" apart.
            kwargs |= {"invoke_without_command": True, "callback": _want_a_command, "subcommand_metavar": "COMMAND [ARGS]..."}
        super().__init__(*args, **kwargs)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        lazy = self._lazy.get(cmd_name)
        if lazy is None:
            return None
        module, _, attribute = lazy.where.partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{lazy.where} is not a command")
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self._lazy and not name.startswith("-"):
            from kumoss_console.config.nearest import did_you_mean

            hint = did_you_mean(name, list(self._lazy))
            ctx.fail(f"No such command {name!r}{': ' + hint if hint else ''}")
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.text) for name, lazy in self._lazy.items()])
        SharedCommand.format_options(self, ctx, formatter)


pass_session = click.make_pass_decorator(Session)
