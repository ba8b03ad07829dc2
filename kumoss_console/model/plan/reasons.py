"""Why an engine does what it plans, in words. Codes of ``action_reason`` from the engines' JSON output format."""

from __future__ import annotations

from collections.abc import Mapping

_WORDS: Mapping[str, str] = {
    "replace_because_tainted": "it is tainted: a former apply left it damaged",
    "replace_because_cannot_update": "an attribute cannot be changed in place",
    "replace_by_request": "the replacement was asked for with -replace",
    "replace_by_triggers": "something in its replace_triggered_by changes",
    "delete_because_no_resource_config": "it is not in the configuration any more",
    "delete_because_no_module": "its module is not in the configuration any more",
    "delete_because_wrong_repetition": "count or for_each was added or taken away",
    "delete_because_count_index": "its index is out of range for count",
    "delete_because_each_key": "its key is not in for_each any more",
    "delete_because_no_move_target": "it was moved to an address that is not in the configuration",
    "read_because_config_unknown": "its configuration refers to values not known yet",
    "read_because_dependency_pending": "something it depends on changes first",
    "read_because_check_nested": "it belongs to a check and is read again with each apply",
    "instance_count_unknown": "how many instances there will be is not known yet",
    "resource_config_unknown": "its configuration is not known yet",
    "provider_config_unknown": "the configuration of its provider is not known yet",
    "absent_prereq": "something it needs does not exist yet",
    "deferred_prereq": "something it needs is put off as well",
}


def reason_words(code: str) -> str:
    """The reason in words; a code that is not known here is shown as it is. Empty for none."""
    return _WORDS.get(code, code.replace("_", " "))
