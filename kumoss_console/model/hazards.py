"""Requests that the contract accepts and an engine misreads."""

from __future__ import annotations

from kumoss_console.model.contract import SubmitRequest


def hazard(request: SubmitRequest) -> str | None:
    """Why ``request`` must not be sent, ``None`` for a harmless one.

    A service that does not anchor file names hands ``-destroy`` to the engine as an option: an apply of that plan file destroys
    everything the workspace manages, and succeeds. An import address that begins so is read as an option too.
    """
    plan_file = getattr(request, "plan_file", "")
    if plan_file.startswith("-"):
        return f"an engine may read the plan file {plan_file} as an option; as one, -destroy destroys everything"
    address = getattr(request, "address", "")
    if address.startswith("-"):
        return f"an engine may read the address {address[:40]} as an option"
    return None
