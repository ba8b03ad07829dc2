"""The views of the console. Adding one is an entry here and a module with its screen.

``screen`` imports the screen when the view is first opened, so that a start pays for one view only: up to half a second for the
largest, so it is called on a thread and the interface goes on meanwhile. Only what exists is listed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from screens.commands import Command, Group

if TYPE_CHECKING:
    from screens.base import ViewScreen


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """``name`` is the mode and what :meth:`ConsoleApp.open_view` takes; ``number`` is the key."""

    name: str
    number: str
    title: str
    purpose: str
    screen: Callable[[], type[ViewScreen]]

    def load(self) -> ViewScreen:
        """A new screen of this view."""
        return self.screen()()

    @property
    def command(self) -> Command:
        return Command(
            id=f"view.{self.name}",
            action=f"app.open_view({self.name!r})",
            title=f"Go to {self.title}",
            help=self.purpose,
            keys=(self.number,),
            words=(self.name,),
            group=Group.VIEWS,
        )


def _overview() -> type[ViewScreen]:
    from screens.overview.screen import OverviewScreen

    return OverviewScreen


def _jobs() -> type[ViewScreen]:
    from screens.jobs.screen import JobsScreen

    return JobsScreen


def _state() -> type[ViewScreen]:
    from screens.state.screen import StateScreen

    return StateScreen


def _key() -> type[ViewScreen]:
    from screens.key.screen import KeyScreen

    return KeyScreen


def _backend() -> type[ViewScreen]:
    from screens.backend.screen import BackendScreen

    return BackendScreen


def _bucket() -> type[ViewScreen]:
    from screens.bucket.screen import BucketScreen

    return BucketScreen


def _discovery() -> type[ViewScreen]:
    from screens.discovery.screen import DiscoveryScreen

    return DiscoveryScreen


VIEWS: tuple[View, ...] = (
    View(name="overview", number="1", title="Overview", purpose="Is anything wrong?", screen=_overview),
    View(name="jobs", number="2", title="Jobs", purpose="What is it really doing?", screen=_jobs),
    View(name="state", number="3", title="State", purpose="Which state is active, and why that one?", screen=_state),
    View(name="key", number="4", title="Key", purpose="Why this digest?", screen=_key),
    View(
        name="backend",
        number="5",
        title="Backend",
        purpose="Which value wins, and what would the core write?",
        screen=_backend,
    ),
    View(name="bucket", number="6", title="Bucket", purpose="Whose is it, and who holds it?", screen=_bucket),
    View(
        name="discovery",
        number="7",
        title="Discovery",
        purpose="What exists in the cloud beside what states manage?",
        screen=_discovery,
    ),
)
VIEW_COMMANDS: tuple[Command, ...] = tuple(view.command for view in VIEWS)


def view_named(name: str) -> View | None:
    return next((view for view in VIEWS if view.name == name), None)
