"""Why a context has no store to read."""

from __future__ import annotations

from kumoss_console.errors import ConfigError
from kumoss_console.model.context import Context


def no_store(context: Context) -> ConfigError:
    """Why this context has no store to read, and what to do about it: its configuration says so, no store was asked."""
    return ConfigError(
        "Managed state is off: there is no state bucket to read",
        detail=f"storage.terraform_state_bucket of context {context.name} is blank, so the core writes no override.",
        hint="Look in the store that the repository's backend block or the sidecar's IAC_BACKEND_CONFIG names.",
        code="store.managed_off",
    )
