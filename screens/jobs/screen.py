"""Jobs: what is it really doing?"""

from __future__ import annotations

from screens.base import ViewScreen


class JobsScreen(ViewScreen):
    view = "jobs"
