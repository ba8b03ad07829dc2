"""What an engine's or a store's text means: from rules that are data, to findings with their evidence.

:func:`diagnose` is the whole of it. Rules come from :func:`kumoss_console.config.rulebook.load_rules`.
"""

from kumoss_console.model.diagnosis.diagnose import Diagnosed, Diagnosis, diagnose
from kumoss_console.model.diagnosis.rule import Role, Rule, Rules

__all__ = ["Diagnosed", "Diagnosis", "Role", "Rule", "Rules", "diagnose"]
