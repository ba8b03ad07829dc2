"""A held state lock, whoever keeps it: an object beside the state, a lease on it, a row in a table, or an engine's words."""

from kumoss_console.model.lock.document import LOCK_SUFFIX, Lock, LockDocument, LockMechanism, moment
from kumoss_console.model.lock.parse import lock_from_metadata, parse_lock, parse_lock_object, recognise_lock
from kumoss_console.model.lock.removal import Removal, RemovalOutcome

__all__ = [
    "LOCK_SUFFIX",
    "Lock",
    "LockDocument",
    "LockMechanism",
    "Removal",
    "RemovalOutcome",
    "lock_from_metadata",
    "moment",
    "parse_lock",
    "parse_lock_object",
    "recognise_lock",
]
