"""What ``make bench`` measures."""

from __future__ import annotations

from importlib import import_module
from inspect import iscoroutinefunction

import pytest

from tests.bench.__main__ import modules


@pytest.mark.parametrize("name", ["jobs", "listing", "output", "plan", "sidecar", "state", "table"])
def test_make_bench_measures_it(name: str) -> None:
    assert modules([name]) == [name]
    assert iscoroutinefunction(import_module(f"tests.bench.{name}").main)
