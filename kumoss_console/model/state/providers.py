"""The provider configurations that the resources of a state name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kumoss_console.model.state.document import ProviderRow, ResourceRow

# ``module.a.provider["registry.terraform.io/hashicorp/aws"].west`` since 0.13, ``provider.aws.west`` before.
_WRITTEN = re.compile(r'(?:(?P<module>.+?)\.)?provider(?:\["(?P<source>[^"]+)"\]|\.(?P<old>[^.]+))(?:\.(?P<alias>.+))?\Z')


def providers_of(resources: Sequence[ResourceRow]) -> tuple[ProviderRow, ...]:
    """Those used most first. A resource that names none is not in here: a finding tells of it."""
    counted: dict[str, list[int]] = {}
    for row in resources:
        if row.provider:
            counts = counted.setdefault(row.provider, [0, 0])
            counts[0] += 1
            counts[1] += len(row.instances)
    rows = [_row(written, number, objects) for written, (number, objects) in counted.items()]
    return tuple(sorted(rows, key=lambda row: (-row.objects, row.written)))


def _row(written: str, resources: int, objects: int) -> ProviderRow:
    found = _WRITTEN.match(written)
    source = (found["source"] or found["old"]) if found else written
    alias = (found["alias"] or "") if found else ""
    return ProviderRow(source=source, alias=alias, written=written, resources=resources, objects=objects)
