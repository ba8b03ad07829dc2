"""The order of judgement, and jobs to their end: see :mod:`tests.conformance.checks`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conformance.checks import ANYWHERE, IN_A_WORKSPACE
from tests.conformance.service import Service

pytestmark = [pytest.mark.stack, pytest.mark.xdist_group("conformance")]


@pytest.mark.parametrize("check", ANYWHERE, ids=lambda check: check.__name__)
def test_requests(check: Callable[[Service], None], contract_service: Service) -> None:
    check(contract_service)


@pytest.mark.parametrize("check", IN_A_WORKSPACE, ids=lambda check: check.__name__)
@pytest.mark.timeout(3000)
@pytest.mark.usefixtures("workspace")
def test_jobs(check: Callable[[Service], None], contract_service: Service) -> None:
    check(contract_service)
