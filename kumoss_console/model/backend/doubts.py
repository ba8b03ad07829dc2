"""Doubts about a backend for reasons beyond its files: the sidecar's own setting, default keys, a store out of reach."""

from __future__ import annotations

from collections.abc import Iterator

from kumoss_console.model.backend.result import EffectiveBackend
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.storage import Ownership, StorageProvider
from kumoss_console.text import Secret, printable

BUNDLED_KEY = "rustfsadmin"
"""The bundled store's default for both keys, which the core writes down where its variables are absent."""


def setting_unknown(ownership: Ownership) -> Iterator[Finding]:
    """The model rests on a setting of the sidecar that this console was not told."""
    if ownership.certain:
        return
    yield Finding(
        code="backend.sidecar_setting_unknown",
        severity=Severity.INFO,
        subject="IAC_BACKEND_CONFIG",
        message=f"whether the sidecar has it is not known here: {ownership.model} is the model only if it is not set there",
        remedy="State sidecar.backend_config in this context, empty for none, or give the file with --backend-config.",
    )


def bundled_keys(effective: EffectiveBackend, provider: StorageProvider) -> Iterator[Finding]:
    """Default keys of the bundled store in an override for another provider. The value is compared, and never shown."""
    if provider is not StorageProvider.S3:
        return
    binding = effective.bound or effective.written
    values = [(item.name, item.value, item.origin) for item in (binding.attributes if binding else ())]
    shadows = [shadow for item in (binding.attributes if binding else ()) for shadow in item.shadows]
    values += [(shadow.name, shadow.value, shadow.origin) for shadow in (*shadows, *effective.erased)]
    for name, value, origin in values:
        if origin.layer == "override" and isinstance(value, Secret) and value.reveal() == BUNDLED_KEY:
            yield Finding(
                code="backend.bundled_store_keys",
                severity=Severity.WARNING,
                subject=printable(f"{name} ({origin.at})"),
                message="is the default key of the bundled store, which no other store accepts; the provider here is s3",
                remedy="Set the variables that hold the core's keys, or leave both blank for the sidecar's own identity; "
                "then let the core write the file again.",
            )


def endpoint_unreachable_finding(endpoint: str, reason: str) -> Finding:
    """A store that this console tried and did not reach. ``reason`` is why, in a few words; empty where nobody knows."""
    why = f" ({printable(reason)})" if reason else ""
    return Finding(
        code="backend.endpoint_unreachable",
        severity=Severity.INFO,
        subject=printable(endpoint),
        message=f"does not answer this console{why}; whether the sidecar reaches it is another question",
        remedy="Look at the store from the sidecar's network; to see states here, give this console an endpoint it reaches.",
    )
