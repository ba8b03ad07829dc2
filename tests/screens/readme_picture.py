"""The picture in the README: ``python -m tests.screens.readme_picture FILE`` writes the Jobs view as an SVG.

It is one of :mod:`tests.screens.pictures`, made to stand alone: it asks nobody for a font, and keeps its blanks in every
program that shows it.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from tests.screens.pictures import populate, quiet, run_jobs
from tests.screens.world import LARGE, World

_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_FONTS = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'


def alone(svg: str) -> str:
    """``svg`` without what it would fetch; runs of blanks are kept, and lines take the width they have in a terminal."""
    svg = _FONT_FACE.sub("", svg).replace("Fira Code, monospace", _FONTS)
    return svg.replace("<text ", '<text xml:space="preserve" ')


async def jobs_view() -> str:
    """The Jobs view with a failure under the cursor and what it means."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        populate(world)
        await run_jobs(world)
        async with world.console(size=LARGE, view="jobs") as pilot:
            await quiet(pilot)
            return alone(pilot.app.export_screenshot(title="kumoss-console"))


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m tests.screens.readme_picture FILE", file=sys.stderr)  # noqa: T201 - a tool of its own
        return 2
    Path(arguments[0]).write_text(asyncio.run(jobs_view()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
