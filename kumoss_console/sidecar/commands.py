"""The engine's command lines, exactly. A workspace path, a plan name or a target is data, whatever it looks like.

Plan files are anchored as ``./NAME``: ``-destroy`` is a name that the contract accepts, and ``apply -auto-approve -destroy``
would take the whole configuration down.
"""

from __future__ import annotations

from collections.abc import Mapping

from kumoss_console.model.contract import (
    ApplyRequest,
    CloudProvider,
    ImportRequest,
    InitRequest,
    PlanRequest,
    ShowRequest,
    StateResourceIdsRequest,
    SubmitRequest,
    ValidateRequest,
)

SCOPE_VARIABLE: Mapping[CloudProvider, str] = {
    CloudProvider.AZURE: "ARM_SUBSCRIPTION_ID",
    CloudProvider.GCP: "GOOGLE_PROJECT",
}
"""Where a provider reads its scope from. The others run on the credentials they find."""


def scope_overlay(provider: CloudProvider, scope_id: str) -> dict[str, str]:
    """What a scoped command adds to the environment of its child."""
    variable = SCOPE_VARIABLE.get(provider)
    return {variable: scope_id} if variable else {}


def arguments(request: SubmitRequest, backend_config: str | None = None) -> tuple[str, ...]:
    """The engine's arguments for ``request``. ``backend_config`` is the file that init binds on top, where there is one."""
    match request:
        case InitRequest():
            bound = (f"-backend-config={backend_config}",) if backend_config else ()
            return ("init", "-no-color", "-input=false", "-reconfigure", *bound)
        case ValidateRequest():
            return ("validate", "-no-color")
        case PlanRequest():
            targets = (part for target in request.targets for part in ("-target", target))
            return ("plan", "-no-color", "-input=false", "-out", _anchored(request.plan_file), *targets)
        case ShowRequest():
            return ("show", "-json", "-no-color", _anchored(request.plan_file))
        case ApplyRequest():
            return ("apply", "-no-color", "-input=false", "-auto-approve", _anchored(request.plan_file))
        case ImportRequest():
            # Options end at the address: a resource id may begin with "-", an address may not, see unpassable().
            return ("import", "-no-color", "-input=false", request.address, request.resource_id)
        case StateResourceIdsRequest():
            return ("state", "pull")
    raise TypeError(f"the engine has no command for {request.kind}")


def unpassable(request: SubmitRequest) -> str | None:
    """Why the engine must not be started with ``request``'s values, which the contract accepts; ``None`` where it may."""
    if isinstance(request, ImportRequest) and request.address.startswith("-"):
        return "the address begins with '-': the engine would take it for an option, and no resource address begins so"
    for name in request.__struct_fields__:
        value = getattr(request, name)
        if any("\0" in text for text in (value if isinstance(value, tuple) else (value,))):
            return f"{name} holds a NUL character, which no argument or environment variable of a process can carry"
    return None


def _anchored(plan_file: str) -> str:
    return f"./{plan_file}"
