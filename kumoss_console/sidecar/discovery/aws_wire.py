"""Between botocore and its parser: a field of another type than the service's own description is one that is not there.

botocore would fail in the middle of it with whatever error Python has for that, would read a page of HTML as an answer without
any fields, and would parse a timestamp for each tag that nobody looks at.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kumoss_console.sidecar.discovery.failure import DiscoveryError

if TYPE_CHECKING:
    from botocore.model import OperationModel


def fit_answers(client: Any, source: str) -> None:
    """From now on ``client``, of a service that speaks JSON, hears only what fits. ``source`` is its name in messages."""

    def before_parse(operation_model: OperationModel, response_dict: dict[str, Any], **_: object) -> None:
        if response_dict["status_code"] >= 300:
            return
        document = _decoded(response_dict["body"])
        if not isinstance(document, dict):
            raise DiscoveryError(f"{source} {operation_model.name} failed: the answer is not a JSON object")
        response_dict["body"] = json.dumps(fitted(document, operation_model.output_shape)).encode()

    client.meta.events.register(f"before-parse.{client.meta.service_model.service_id.hyphenize()}", before_parse)


def fitted(value: Any, shape: Any) -> Any:
    """``value`` as far as it has the form that ``shape``, of botocore's model, describes; ``None`` where it has none of it.

    Only texts, lists and objects fit: no rule looks at anything else.
    """
    if getattr(shape, "is_document_type", False):
        return value
    if shape.type_name == "structure" and isinstance(value, dict):
        fits = ((name, fitted(value.get(name), member)) for name, member in shape.members.items())
        return {name: fit for name, fit in fits if fit is not None}
    if shape.type_name == "list" and isinstance(value, list):
        return [fit for item in value if (fit := fitted(item, shape.member)) is not None]
    return value if shape.type_name == "string" and isinstance(value, str) else None


def _decoded(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
