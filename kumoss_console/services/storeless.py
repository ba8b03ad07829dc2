"""Why a context has no store to read."""

from __future__ import annotations

from kumoss_console.errors import ConfigError
from kumoss_console.model.context import Context


def no_store(context: Context) -> ConfigError:
    """Why this context has no store to read, and what to do about it: its configuration says so, no store was asked."""
    if not context.storage.managed:
        return ConfigError(
            "Managed state is off: there is no state bucket to read",
            detail="storage.terraform_state_bucket is blank, so the core writes no override.",
            hint="Look in the store that the repository's backend block or the sidecar's IAC_BACKEND_CONFIG names.",
            code="store.managed_off",
        )
    return ConfigError(
        f"This console cannot read a store of provider {context.storage.provider.name} yet",
        hint="Use the provider's own tools for the objects; keys, overrides and jobs work here as ever.",
        code="store.unsupported_provider",
    )
