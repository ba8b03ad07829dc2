"""What can be asked for in discovery, and on its worksheet."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, DETAILS, FILTER, FULL_SCREEN, ONLY_WRONG, OPEN, REVERSE, SAVE, SORT, Command

RUN = Command(
    id="discovery.run",
    action="discover",
    title="Discover a scope…",
    help="Workspace, scope and provider; both listings run as jobs, which only read",
    keys=("R",),
    label="discover",
    words=("discover",),
    argument="WORKSPACE",
)
STOP = Command(
    id="discovery.stop",
    action="stop_discovery",
    title="Stop waiting for the listings",
    help="Their jobs go on; what was found before stays",
    keys=("X",),
    words=("stop",),
)
CHOOSE = replace(
    OPEN, title="Choose for the worksheet, or open who manages it", help="What no state manages can be chosen; as space does"
)
MARK = Command(id="discovery.mark", action="mark", title="Choose for the worksheet", keys=("space",), label="choose")
MARK_ALL = Command(
    id="discovery.mark_all",
    action="mark_all",
    title="Choose all that is listed",
    help="As far as no state manages it; again to choose none",
    keys=("a",),
)
HEAP = Command(
    id="discovery.heap",
    action="next_heap",
    title="Next heap",
    help="what needs a look, unmanaged, missing, ambiguous, elsewhere, here, all",
    keys=("t",),
    label="heap",
    words=("heap",),
)
SUPPRESSED = Command(
    id="discovery.suppressed", action="suppressed", title="List what is suppressed, or not", keys=("s",), words=("suppressed",)
)
WORKSHEET = Command(
    id="discovery.worksheet",
    action="worksheet",
    title="Import worksheet",
    help="What was chosen, else the selected line: address and import id side by side",
    keys=("w",),
    label="worksheet",
    words=("worksheet",),
)
FINDINGS = Command(
    id="discovery.findings",
    action="findings",
    title="Read the findings",
    help="What could not be looked at, what two states manage, and what to do",
    keys=("f",),
    words=("findings",),
)
JOB = Command(
    id="discovery.job",
    action="show_job",
    title="Show the listing's job",
    help="Among the jobs, with its whole output; the one that failed where one did",
    keys=("J",),
    words=("job",),
)
SHOW_DETAILS = replace(DETAILS, title="Read the details", help="The part below the list")
COMMANDS = (
    CHOOSE,
    RUN,
    MARK,
    HEAP,
    WORKSHEET,
    FILTER,
    ONLY_WRONG,
    MARK_ALL,
    SUPPRESSED,
    SORT,
    REVERSE,
    SHOW_DETAILS,
    FINDINGS,
    JOB,
    STOP,
    *COPIES,
    SAVE,
    FULL_SCREEN,
)

EDIT_ADDRESS = replace(OPEN, title="Write the address…", help="Where it goes in the configuration", label="address")
EDIT_ID = Command(
    id="worksheet.id",
    action="edit_id",
    title="Write the import id…",
    help="What the provider's documentation says that an import takes",
    keys=("e",),
    label="import id",
)
REMOVE = Command(
    id="worksheet.remove",
    action="remove_row",
    title="Take this line off the worksheet",
    keys=("delete", "backspace"),
)
SUBMIT = Command(
    id="worksheet.submit",
    action="submit_imports",
    title="Submit the imports…",
    help="Asks first; one job after the other, the first failure ends it",
    keys=("I",),
    label="import",
    words=("import",),
    changes=True,
)
END = Command(
    id="worksheet.end",
    action="end_imports",
    title="Send no further import",
    help="The one under way goes on, and is among the jobs",
    keys=("X",),
    words=("stop",),
)
EXPORT = replace(SAVE, title="Export import blocks to a file", label="export")
WORKSHEET_COMMANDS = (EDIT_ADDRESS, EDIT_ID, EXPORT, SUBMIT, REMOVE, END, *COPIES, FULL_SCREEN)
