"""What a store really does: aspects with their evidence, and what follows from them for states and locks."""

from kumoss_console.model.endpoint.aspect import Aspect, AspectName, Doubt, Standing
from kumoss_console.model.endpoint.judge import judge
from kumoss_console.model.endpoint.lifecycle import LifecycleRule

__all__ = ["Aspect", "AspectName", "Doubt", "LifecycleRule", "Standing", "judge"]
