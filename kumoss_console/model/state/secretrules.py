"""What is a secret though nobody marked it: by its name, by the type it belongs to, by the name beside it, by its look.

Rules are data. They serve every surface alike: veiled values, outputs, differences of states and of plans. A rule hides a value,
never a name; what an identifier looks like (an access key's id, an ARN of a secret) is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from kumoss_console.model.state.secretnames import is_worth_hiding, reads_like_a_secret
from kumoss_console.text import MASK

_VALUE = ("value",)
_DATA = ("data", "data_json", "binary_data", "string_data")
_BY_TYPE: Mapping[str, tuple[str, ...]] = {
    "random_password": ("result", "bcrypt_hash"),
    "aws_ssm_parameter": _VALUE,
    "aws_secretsmanager_secret_version": ("secret_string", "secret_binary"),
    "azuread_application_password": _VALUE,
    "azuread_service_principal_password": _VALUE,
    "azurerm_key_vault_secret": _VALUE,
    "google_secret_manager_secret_version": ("secret_data",),
    "helm_release": ("set_sensitive",),
    "local_sensitive_file": ("content", "content_base64"),
    "random_bytes": ("base64", "hex"),
    "aws_api_gateway_api_key": _VALUE,
    **dict.fromkeys(("aws_appsync_api_key", "datadog_api_key", "datadog_application_key", "newrelic_api_access_key"), ("key",)),
    **dict.fromkeys(("vault_approle_auth_backend_role_secret_id", "vault_approle_auth_backend_login"), ("secret_id",)),
    **dict.fromkeys(("kubernetes_secret", "kubernetes_secret_v1", "kubernetes_secret_v1_data"), _DATA),
    **dict.fromkeys(("vault_generic_secret", "vault_kv_secret", "vault_kv_secret_v2"), _DATA),
    **dict.fromkeys(("github_actions_secret", "github_actions_organization_secret"), ("plaintext_value", "encrypted_value")),
    **dict.fromkeys(("gitlab_project_variable", "gitlab_group_variable", "gitlab_instance_variable"), _VALUE),
}
"""Attributes of a type, of resources and data sources alike, that hold a secret whatever their name."""
_BY_TYPE_IF: Mapping[str, tuple[str, str, object]] = {
    "aws_ssm_parameter": ("insecure_value", "type", "SecureString"),
    "tfe_variable": ("value", "sensitive", True),
}
"""An attribute that does where another attribute has that value."""

_VALUES = ("value", "Value", "VALUE")
_NAMES = ("name", "key", "Name", "Key", "NAME", "KEY", "variable")
_FLAT_VALUE = ".value"
_NONE: frozenset[str] = frozenset()
_NOWHERE: frozenset[int] = frozenset()
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")

_TOKEN = re.compile(
    r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"  # JSON web tokens
    r"|\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bgl(?:pat|ptt|rt|dt|soat)-[\w-]{16,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|\bnpm_[A-Za-z0-9]{30,}"
    r"|\bAIza[\w-]{35}|\bya29\.[\w-]{20,}|\bhv[bs]\.[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bAGE-SECRET-KEY-1[0-9A-Z]{20,}"
    # Addresses of chat rooms: whoever has one may write there.
    r"|(?<=://hooks\.slack\.com/)\S+|(?<=\.webhook\.office\.com/)\S+|(?<=://discord\.com/api/webhooks/)\S+"
    r"|(?<=://discordapp\.com/api/webhooks/)\S+"
)
_SHORTEST_TOKEN = 18
# With a colon only as YAML and prose have it: "secret:" is a part of ARNs.
_ASSIGNED = re.compile(
    r"(?i)((?:pass(?:word|wd|phrase|code)?|pwd|psk|secret|token|credentials?|pre_?shared_?key"
    r"|(?:api|private|access|account|client|shared(?:_?access)?|encryption|signing|unseal|master|license|auth)[_-]?key"
    r"|shared_?access_?signature)[\"']?(?:\s*=\s*|:\s+))(\"[^\"]+\"|'[^']+'|[^\s\"',;&]+(?:&[^\s\"',;]*)*)"
)

# What clients of databases and of addresses take on their command line, and any option that is named like a secret.
_OPTIONS = re.compile(
    r"(?i)(\b(?:mysql|mariadb)[\w-]*\b[^\n|;&]*?\s-p)([^\s\"']\S*)"
    r"|(\bcurl\b[^\n|;]*?\s(?:-u|--user)[\s=]*[\"']?[^\s:\"']+:)([^\s\"']+)"
    r"|(\s--?[\w-]*(?:password|passwd|passphrase|secret|token|api-?key)\s+[\"']?)(?!-)([^\s\"']+)"
)


def hidden_of_type(type_: str, attributes: Any) -> tuple[str, ...]:
    """Names of the attributes that hold a secret in every object of ``type_``, or in one with these ``attributes``."""
    always = _BY_TYPE.get(type_, ())
    if type_ in _BY_TYPE_IF and isinstance(attributes, dict):
        name, other, wanted = _BY_TYPE_IF[type_]
        if attributes.get(other) == wanted:
            return (*always, name)
    return always


def depends_on_values(type_: str) -> bool:
    """Whether :func:`hidden_of_type` asks for the attributes of such an object."""
    return type_ in _BY_TYPE_IF


def hidden_of_pair(pair: Mapping[str, Any]) -> str:
    """The member that holds the value of a pair whose name reads like a secret; empty where there is none.

    ``{"name": "DB_PASSWORD", "value": "…"}`` and the like: environments of containers, settings of charts, parameters.
    """
    for value in _VALUES:
        if value in pair:
            for name in _NAMES:
                if _names_one(pair.get(name), pair[value]):
                    return value
    return ""


def hidden_of_pairs(members: Mapping[str, Any]) -> frozenset[str]:
    """As :func:`hidden_of_pair`, and the pairs of a flat map: ``env.0.name`` and ``env.0.value``, as old formats have them."""
    one = hidden_of_pair(members)
    found = {one} if one else set()
    for key in members:
        if key.endswith(_FLAT_VALUE):
            stem = key.removesuffix(_FLAT_VALUE)
            if any(_names_one(members.get(f"{stem}.{name}"), members[key]) for name in ("name", "key")):
                found.add(key)
    return frozenset(found) if found else _NONE


def hidden_of_list(items: Sequence[Any]) -> frozenset[int]:
    """Places of the values that follow an option which is named like a secret: ``["--password", "…"]``."""
    found = [
        at + 1
        for at, (option, value) in enumerate(pairwise(items))
        if isinstance(option, str)
        and isinstance(value, str)
        and _OPTION.fullmatch(option) is not None
        and not value.startswith("-")
        and _names_one(option.lstrip("-"), value)
    ]
    return frozenset(found) if found else _NOWHERE


def _names_one(name: Any, value: Any) -> bool:
    return isinstance(name, str) and reads_like_a_secret(name) and is_worth_hiding(value)


def without_tokens(text: str) -> str:
    """``text`` without what has the form of a token, and without what is assigned to the name of a secret in it."""
    if may_be_a_token(text):
        text = _TOKEN.sub(MASK, text)
    if "=" in text or ": " in text or ":\n" in text or ":\t" in text:
        text = _ASSIGNED.sub(rf"\g<1>{MASK}", text)
    if _has_options(text):
        text = _OPTIONS.sub(lambda found: f"{found[1] or found[3] or found[5]}{MASK}", text)
    return text


def _has_options(text: str) -> bool:
    return " -" in text and (" --" in text or "curl" in text or "mysql" in text or "mariadb" in text)


def may_be_a_token(text: str) -> bool:
    """Whether ``text`` needs :func:`without_tokens` although nothing is assigned in it."""
    # Asked of every text of a state: looking for what each kind has in it takes a tenth of trying the pattern.
    return _has_options(text) or (
        len(text) >= _SHORTEST_TOKEN
        and (
            "eyJ" in text
            or ("gh" in text and "_" in text)
            or "_live_" in text
            or "_test_" in text
            or "_pat_" in text
            or ("gl" in text and "-" in text)
            or "xox" in text
            or "npm_" in text
            or "AIza" in text
            or "ya29." in text
            or "hvs." in text
            or "hvb." in text
            or "SG." in text
            or "AGE-" in text
            or "hooks" in text
            or ".webhook." in text
        )
    )
