"""Contexts to choose from, with what tells one world from another before it is entered. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context
from screens.addresses import host_of

_UNKNOWN = "config.unknown_context"


def options(contexts: Sequence[Context], *, current: str, read_only: bool) -> list[tuple[str, str]]:
    """A label and what it stands for, for each. ``read_only``: the whole console was opened so."""
    return [(f"{'●' if context.name == current else ' '} {context.name}", _about(context, read_only)) for context in contexts]


def _about(context: Context, read_only: bool) -> str:
    storage = context.storage
    store = host_of(storage.endpoint_url) or f"AWS {storage.region}"
    where = f"{storage.provider.name} {storage.terraform_state_bucket} @ {store}" if storage.managed else "no managed state"
    marks = ("READ-ONLY",) if read_only or context.read_only else ()
    return " · ".join((where, f"sidecar {host_of(context.iac.endpoint)}", *marks))


def refusal(error: ConsoleError) -> str:
    """Why a context cannot be entered, for one line. The names there are help here; the option of the command line does not."""
    return f"{error.title}. {error.detail if error.code == _UNKNOWN else error.hint}"
