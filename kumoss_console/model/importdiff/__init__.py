"""Identifiers in the cloud against identifiers in states: who manages what, what nobody manages, what is gone."""

from kumoss_console.model.importdiff.answer import identifiers
from kumoss_console.model.importdiff.compare import Listing, compare
from kumoss_console.model.importdiff.held import Managed, StateIds, from_listing
from kumoss_console.model.importdiff.index import Holder
from kumoss_console.model.importdiff.result import Comparison, Item, Status
from kumoss_console.model.importdiff.stateids import state_ids
from kumoss_console.model.importdiff.whose import Settled, settle

__all__ = [
    "Comparison",
    "Holder",
    "Item",
    "Listing",
    "Managed",
    "Settled",
    "StateIds",
    "Status",
    "compare",
    "from_listing",
    "identifiers",
    "settle",
    "state_ids",
]
