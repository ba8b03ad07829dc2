"""Keys of states as people type them for a command, and what a key that is not there means for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kumoss_console.cli.session import Session
from kumoss_console.errors import ConsoleError, NotFound
from kumoss_console.model.objectkey import state_key

T = TypeVar("T")


def exact_key(session: Session, asked: str) -> str:
    """The object key: ``asked`` itself, or the state of the project whose id it is. Raises ``InputError`` for no key."""
    return state_key(asked, session.services.context.storage.terraform_state_filename)


def missing_is_news(ask: Callable[[], T]) -> T:
    """``ask``, with exit code 1 for an object that is not there: the store could be reached, and has answered."""
    try:
        return ask()
    except NotFound as error:
        raise ConsoleError(error.title, detail=error.detail, hint=error.hint, code=error.code) from None
