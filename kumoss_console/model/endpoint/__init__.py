"""What a store really does: aspects with their evidence, and what follows from them for states and locks."""

from kumoss_console.model.endpoint.aspect import Aspect, AspectName, Doubt, LifecycleRule, Standing
from kumoss_console.model.endpoint.judge import judge

__all__ = ["Aspect", "AspectName", "Doubt", "LifecycleRule", "Standing", "judge"]
