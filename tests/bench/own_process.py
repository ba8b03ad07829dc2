"""A server of the benches in a process of its own, so that its work is not measured as that of whoever is measured."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def own_process(module: str, *arguments: str) -> AsyncIterator[int]:
    """The port that ``python -m module`` prints first, until the block ends."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", module, *arguments, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield int(await process.stdout.readline())
    finally:
        process.kill()
        await process.wait()
