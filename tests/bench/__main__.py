"""``make bench``: every module here that has an ``async def main() -> list[tuple[str, str]]``, its figures side by side.

Names of modules given as arguments measure those alone.
"""

from __future__ import annotations

import asyncio
import pkgutil
import sys
from importlib import import_module
from pathlib import Path


def modules(names: list[str]) -> list[str]:
    found = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]) if module.name != "__main__")
    return [name for name in found if not names or name in names]


def run(names: list[str]) -> int:
    rows: list[tuple[str, str, str]] = []
    for name in modules(names):
        main = getattr(import_module(f"tests.bench.{name}"), "main", None)
        if main is None or not getattr(import_module(f"tests.bench.{name}"), "MEASURES", True):
            continue
        rows += [(name, what, figure) for what, figure in asyncio.run(main())]
    width = max((len(what) for _, what, _ in rows), default=0)
    for name, what, figure in rows:
        print(f"{name:12} {what:{width}}  {figure}")  # noqa: T201 - figures are for whoever asked for them
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
