"""Overview: is anything wrong?"""

from __future__ import annotations

from screens.base import ViewScreen


class OverviewScreen(ViewScreen):
    view = "overview"
