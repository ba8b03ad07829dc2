"""Every command of every view, whether that view was opened yet or not, and why a typed word does nothing here.

The modules of commands are small; they are imported when a word is not known here, so that a start does not pay for them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from screens.commands import APPLICATION, EVERYWHERE, QUIT, Command, by_word
from screens.views import VIEW_COMMANDS, VIEWS, view_named

ALIKE = 0.75
"""How alike a suggestion is at least: ``submit`` and ``quit`` are 0.6, ``bukcet`` and ``bucket`` 0.83."""


def homes() -> Iterator[tuple[str, tuple[Command, ...]]]:
    """Where a command can be used, in words, and the commands there."""
    from screens.backend.commands import COMMANDS as BACKEND
    from screens.bucket.commands import COMMANDS as BUCKET
    from screens.chain.commands import COMMANDS as CHAIN
    from screens.discovery.commands import COMMANDS as DISCOVERY
    from screens.discovery.commands import WORKSHEET_COMMANDS as WORKSHEET
    from screens.endpoint.commands import COMMANDS as ENDPOINT
    from screens.jobs.commands import COMMANDS as JOBS
    from screens.jobs.commands import OUTPUT_COMMANDS as OUTPUT
    from screens.key.commands import COMMANDS as KEY
    from screens.locks.commands import COMMANDS as LOCKS
    from screens.plan.commands import COMMANDS as PLAN
    from screens.scan.commands import COMMANDS as SCAN
    from screens.state.commands import COMMANDS as STATE
    from screens.statedetail.commands import COMMANDS as STATE_DETAIL
    from screens.statedetail.commands import RAW_COMMANDS as RAW
    from screens.versions.commands import COMMANDS as VERSIONS
    from screens.versions.commands import DIFF_COMMANDS as DIFFERENCE

    of_views = {"jobs": JOBS, "state": STATE, "key": KEY, "backend": BACKEND, "bucket": BUCKET, "discovery": DISCOVERY}
    for view in VIEWS:
        if view.name in of_views:
            yield f"the {view.title} view ({view.number})", of_views[view.name]
    yield "the output of a job", OUTPUT
    yield "the locks (L)", LOCKS
    yield "a plan that is open", PLAN
    yield "a state that is open", STATE_DETAIL
    yield "a state's document as it is (v)", RAW
    yield "the versions of a state (H)", VERSIONS
    yield "the difference of two states", DIFFERENCE
    yield "what the store does (E)", ENDPOINT
    yield "a scan of the bucket", SCAN
    yield "a chain that is open", CHAIN
    yield "an import worksheet that is open", WORKSHEET


def unusable(word: str, *, view: str, here: Iterable[Command], read_only: bool) -> str:
    """Why ``word`` does nothing in ``view`` now. ``here`` are the commands of that view, whether they can be used now or not."""
    places = tuple(homes())
    found = by_word(here).get(word)
    elsewhere = [(place, commands) for place, commands in places if word in by_word(commands)]
    known = found or (by_word(elsewhere[0][1])[word] if elsewhere else None)
    if known is not None and known.changes and read_only:
        return f":{word} changes something: not in read-only mode"
    if found is not None:
        return f":{word} ({_lowered(found.title)}) has nothing to work on now"
    if elsewhere:
        return f":{word} works in {' and '.join(place for place, _ in elsewhere)}, not here"
    every = by_word((*EVERYWHERE, *APPLICATION, QUIT, *VIEW_COMMANDS, *(one for _, commands in places for one in commands)))
    usable = [name for name, command in every.items() if not (command.changes and read_only)]
    nearest = difflib.get_close_matches(word, usable, n=1, cutoff=ALIKE)
    named = view_named(view)
    hint = f"did you mean :{nearest[0]}?" if nearest else f"? lists the commands of {named.title if named else 'this view'}"
    return f"there is no command {word!r}: {hint}"


def _lowered(title: str) -> str:
    return title[:1].lower() + title[1:].rstrip("…")
