"""Whether a name reads like that of a secret, and whether a value under such a name is one.

Names are taken apart into words first (``primarySharedKey``, ``DB_PASSWORD``, ``tunnel1_preshared_key``). What they end with may
say that they tell *about* a secret: how long one is, where it lies, when it ends. Where a name may be either it is masked, which
harms nobody. Source: attributes of the providers for AWS, Azure, Google, OCI, Kubernetes, Vault, Okta and the like.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[^a-z0-9]+")
_NUMBERED = re.compile(r"_?[0-9]+_\Z")

# All of these look at words that are joined and enclosed by underscores.
_JOINED = "private|priv|access|account|api|secret|shared|instrumentation"
_OF_WHAT = (
    "private|priv|access|account|api|app|application|storage|shared|secret|client|server|tls|ssl|ca|cert|certificate"
    "|encryption|encrypt|encrypted|decryption|cipher|crypto|signing|sign|signature|unseal|recovery|master|license|licence"
    "|instrumentation|integration|ingest|ingestion|insights|function|extension|extension_config|subscription|admin|query"
    "|auth|authentication|authorization|service|session|hmac|aes|fernet|symmetric|registration|activation|enrollment|join"
    "|write|raw|product|customer|consumer|gossip"
)
_SECRET = re.compile(
    r"passwor[dt](?!less)|kennwort|passwd|pass_?phrase|pass_?code|_(?!by|com|tres|sur|under|over)[a-z0-9]*pass_\Z|_pass_?keys?_"
    r"|_[a-z0-9]*pwd?_\Z|_[a-z0-9]*pwd_|_[a-z0-9]*psk_|pre_?shared"
    r"|_[a-z0-9]*secrets?_|_secret(?:key|string|text|value|data|binary|access)"
    r"|_[a-z0-9]*tokens?_|credential|_creds?_|_bearer_\Z|_pat_\Z|_jwt_\Z|_otp_\Z"
    rf"|_(?:[a-z0-9]*(?:{_JOINED})|{_OF_WHAT})_?keys?_|_(?:primary|secondary)_?(?:[a-z0-9]+_){{0,3}}keys?_|key_material"
    r"|conn(?:ection)?_?str(?:ing)?s?_|_[a-z0-9]*dsn_|kube_?(?:admin_?)?config|docker_?cfg|docker_?config_?json"
    r"|_sas_|_http_auth_\Z|shared_?access_?signature|\A_private_\Z"
    r"|user_?data_|custom_data_|protected_settings_|secure_json_data|sensitive_(?:content|value|headers?|vars)_"
    r"|customer_gateway_configuration|jaas_config|htpasswd|_netrc_|keytab|activation_code|_(?:recovery|backup)_codes?_"
    r"|_private_?pem_|_(?:ssh|rsa|dsa|ecdsa|ed25519|tls|ssl|pem|key)_private_\Z|_basic_auth_\Z|_hmac_\Z|_gossip_encrypt(?:ion)?_\Z"
    r"|_key_?file_json_|_sas_?ur[il]s?_|_snmp_(?:[a-z0-9]+_)?communit(?:y|ies)_|_(?:slack|teams|discord|chat)_?hooks?_"
    r"|base_?32_string_seed|qr_code_png|seed_phrase|mnemonic|erlang_cookie|webhook"
)
_ABOUT_ONE = re.compile(
    r"_(?:arns?|ids?|names?|length|ttl|polic(?:y|ies)|versions?|enabled|disabled|types?|algorithms?|alg|format|mode|status|state"
    r"|count|size|period|days|hours|minutes|seconds|timeout|expiry|expiration|expires|expired|lifetime|lifespan|duration|validity"
    r"|units?|age|at|on|date|time|timestamp|created|updated|rotated|rotation|interval|strategy|source|scopes?|issuer|audiences?"
    r"|cidrs|uses|paths?|refs?|reference|selector|required|allowed|permissions?|prevention|providers?|stores?|manager|engine|mount"
    r"|fingerprint|thumbprint|columns?|region|description|kind|class)_\Z"
    r"|_(?:min|max|minimum|maximum)_|_(?:tokens?|secrets?|credentials?)_(?:ur[il]s?|endpoints?)_\Z"
    r"|\A_(?:image_pull_secrets?|master_user_secret|http_tokens)_\Z"
)
_REFERENCE = re.compile(
    r"arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:[0-9]*:[^\s]+"
    r"|/subscriptions/[0-9a-fA-F-]{36}/[^\s?]+"
    r"|https://[\w-]+\.(?:vault\.azure\.(?:net|cn)|vault\.usgovcloudapi\.net|managedhsm\.azure\.net)/[a-z]+/[\w-]+(?:/[0-9a-f]{32})?/?"
    r"|(?:https://www\.googleapis\.com/compute/\w+/|https://cloudkms\.googleapis\.com/\w+/)?projects/[\w:.-]+/"
    r"(?:secrets/[\w-]+(?:/versions/\w+)?|locations/[\w-]+/(?:keyRings|secrets)/[\w/-]+)"
    r"|ocid1\.[a-z0-9_-]+\.[a-z0-9-]*\.[a-z0-9-]*\.[a-z0-9]+"
    r"|@Microsoft\.KeyVault\([^)\s]+\)"
)
_HEADER = "authorization"
_BARE = re.compile(r"(?=.*[0-9])(?=.*[a-z])[A-Za-z0-9._~+/=-]{12,}")
_NO_SECRETS = frozenset(
    {"true", "false", "none", "null", "enabled", "disabled", "required", "optional", "seconds", "minutes", "hours", "days"}
)


@lru_cache(maxsize=8192)
def reads_like_a_secret(name: str) -> bool:
    """Whether what has this name is masked although nobody marked it, where :func:`is_worth_hiding` says so of the value."""
    words = _words(name)
    return _SECRET.search(words) is not None and _ABOUT_ONE.search(words) is None


@lru_cache(maxsize=8192)
def tells_about_a_secret(name: str) -> bool:
    """Whether what has this name says something about a secret or another thing: an identifier, a length, a state."""
    return _ABOUT_ONE.search(_words(name)) is not None


def is_worth_hiding(value: Any) -> bool:
    """Whether a value can be a secret: it is there, is no switch or unit, and does not say where a secret lies."""
    if isinstance(value, str):
        return value != "" and value.lower() not in _NO_SECRETS and _REFERENCE.fullmatch(value) is None
    return not isinstance(value, bool) and value not in (None, [], {})


def hides(name: str, value: Any) -> bool:
    """Whether ``value`` is masked for its ``name``; of blocks, only what :func:`shown_in_a_block` does not show."""
    if reads_like_a_secret(name):
        return is_worth_hiding(value)
    # Methods of an interface have "NONE" and "AWS_IAM" under this name, headers of a request a secret.
    return name.lower() == _HEADER and isinstance(value, str) and _BARE.fullmatch(value) is not None and is_worth_hiding(value)


def is_blocks(value: Any) -> bool:
    """Whether this is a list of objects, whose members have names that a provider gave."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def shown_in_a_block(name: str, value: Any) -> bool:
    """Whether a member of a block that is named like a secret tells about it, and is not the secret itself."""
    return tells_about_a_secret(name) or not is_worth_hiding(value)


def hidden_on(path: Sequence[object]) -> bool:
    """Whether a value at a path is masked for the names on its way."""
    for at, step in enumerate(path):
        if isinstance(step, str) and reads_like_a_secret(step):
            block = path[at + 1 : at + 2]
            inside = next((name for name in path[at + 2 :] if isinstance(name, str)), "")
            if not (block and isinstance(block[0], int) and inside and tells_about_a_secret(inside)):
                return True
    return False


def _words(name: str) -> str:
    words = "_" + _BETWEEN.sub("_", _BOUNDARY.sub("_", name).lower()).strip("_") + "_"
    return _NUMBERED.sub("_", words)
