"""How far the jobs of each configured context reach into this one's store. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kumoss_console.model.context import Context
from kumoss_console.model.lock.holder import Reach, Reaches
from kumoss_console.model.storage import StorageProvider, StorageSettings


def reaches(own: Context, contexts: Iterable[Context]) -> Reaches:
    """By the name of the context; of ``own`` itself, too."""
    others = {
        context.name: Reach(here=_service(context) == _service(own), elsewhere=_elsewhere(context.storage, own.storage))
        for context in contexts
    }
    return others | {own.name: Reach(here=True)}


def _service(context: Context) -> str:
    return context.iac.endpoint.rstrip("/").lower()


def _elsewhere(other: StorageSettings, own: StorageSettings) -> bool:
    """Whether the core surely keeps the states of ``other`` in another store.

    Two names of one bucket at two endpoints may be one store: a proxy, a forwarded port, a name of its own within a cluster.
    Where managed state is off, the repository says where its state goes.
    """
    if not (other.managed and own.managed):
        return False
    if other.terraform_state_bucket != own.terraform_state_bucket:
        return True
    azure = StorageProvider.STORAGE_ACCOUNT
    if (other.provider is azure) is not (own.provider is azure):
        return True
    accounts = {other.account_name, own.account_name}
    return own.provider is azure and None not in accounts and len(accounts) > 1
