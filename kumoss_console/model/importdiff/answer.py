"""What a listing answered: a JSON array of identifiers, or why that is none."""

from __future__ import annotations

import msgspec

from kumoss_console.errors import BadAnswer
from kumoss_console.model.state.repair import without_lone_surrogates


def identifiers(stdout: str, *, what: str) -> tuple[str, ...]:
    """The identifiers, each once, in the order of the answer. ``what`` names the listing in a refusal.

    Raises :class:`~kumoss_console.errors.BadAnswer` for what is no JSON array of texts, such as an output that was cut.
    """
    raw = stdout.encode("utf-8", "surrogatepass")
    try:
        found = msgspec.json.decode(raw, type=list[str])
    except (msgspec.MsgspecError, RecursionError) as error:
        try:
            found = msgspec.json.decode(without_lone_surrogates(raw), type=list[str])
        except (msgspec.MsgspecError, RecursionError):
            cut = not stdout.rstrip().endswith("]")
            raise BadAnswer(
                f"{what} is no list of identifiers" + (": it was cut short" if cut and stdout.strip() else ""),
                detail=str(error),
                hint="the contract wants a JSON array of texts; look at the job's output",
                code="discover.bad_listing",
            ) from None
    return tuple(dict.fromkeys(one for one in found if one))
