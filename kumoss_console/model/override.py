"""The backend override that the core writes into a workspace before ``init``, byte for byte.

The core puts its values between quotes as they are. A value that would end the string, open a template or be read back as
another text is refused here, by name: the core would write a broken file, or one that means something else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kumoss_console.errors import InputError
from kumoss_console.model.finding import Finding
from kumoss_console.model.override_doubts import doubts_of_override
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import MASK, Secret, printable

_FILENAME = re.compile(r"[A-Za-z0-9._-]{1,128}_override\.tf")
_S3_FLAGS = (
    "use_path_style",
    "skip_credentials_validation",
    "skip_region_validation",
    "skip_requesting_account_id",
    "skip_metadata_api_check",
    "skip_s3_checksum",
    "use_lockfile",
)
_Value = str | Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """The override file: its name, its whole text as a secret, the text with every secret value masked, and what is doubtful.

    ``type`` and ``values`` are what it is to mean: text, secrets, ``True`` and one map of texts.
    """

    filename: str
    type: str
    values: Mapping[str, object]
    content: Secret
    masked: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attribute:
    """``name = value`` with the setting that the value comes from, as an operator knows it."""

    name: str
    value: _Value
    setting: str


def render(
    storage: StorageSettings, credentials: StorageCredentials, object_key: str, filename: str = "backend_override.tf"
) -> Override:
    """The override for ``object_key``. Raises :class:`InputError` naming the setting that cannot be written.

    The core writes one only where ``storage.managed``; asked otherwise, there is nothing to render.
    """
    if not storage.managed:
        raise InputError(
            "storage.terraform_state_bucket is blank: managed state is off and the core writes no override",
            hint="Set storage.terraform_state_bucket to turn managed state on.",
            code="override.not_managed",
        )
    if not _FILENAME.fullmatch(filename):
        raise InputError(
            f"paths.backend_override_filename is not the name of an override file: {printable(filename)!r}",
            hint="Use 1 to 128 letters, digits, dots, underscores and hyphens, then _override.tf.",
            code="override.bad_filename",
        )
    kind, groups = _azurerm(storage, credentials, object_key) if _is_azure(storage) else _s3(storage, credentials, object_key)
    for attribute in (attribute for group in groups for attribute in group if isinstance(attribute, _Attribute)):
        _refuse_unsafe(attribute)
    return Override(
        filename=filename,
        type=kind,
        values=_values(groups),
        content=Secret(_file(kind, groups, _revealed)),
        masked=_file(kind, groups, _masked),
        findings=tuple(doubts_of_override(storage, credentials, filename)),
    )


_Group = tuple["_Attribute | str", ...]
"""Lines that stand together: attributes, whose ``=`` are aligned, or literal lines."""


def _is_azure(storage: StorageSettings) -> bool:
    return storage.provider is StorageProvider.STORAGE_ACCOUNT


def _s3(storage: StorageSettings, credentials: StorageCredentials, object_key: str) -> tuple[str, list[_Group]]:
    groups: list[_Group] = [
        (
            _Attribute(name="bucket", value=storage.terraform_state_bucket, setting="storage.terraform_state_bucket"),
            _Attribute(name="key", value=object_key, setting="the state key"),
            _Attribute(name="region", value=storage.region, setting="storage.region"),
        )
    ]
    if credentials.access_key and credentials.secret_key:
        access, secret = storage.access_key_env, storage.secret_key_env
        groups.append(
            (
                _Attribute(
                    name="access_key", value=credentials.access_key, setting=f"the variable {access} (storage.access_key_env)"
                ),
                _Attribute(
                    name="secret_key", value=credentials.secret_key, setting=f"the variable {secret} (storage.secret_key_env)"
                ),
            )
        )
    if storage.provider is StorageProvider.S3:
        return "s3", [*groups, ("use_lockfile = true",)]
    endpoint = _Attribute(name="  s3", value=storage.endpoint_url, setting="storage.endpoint_url")
    widest = max(map(len, _S3_FLAGS))
    flags = tuple(f"{flag:<{widest}} = true" for flag in _S3_FLAGS)
    return "s3", [*groups, ("endpoints = {", endpoint, "}"), flags]


def _azurerm(storage: StorageSettings, credentials: StorageCredentials, object_key: str) -> tuple[str, list[_Group]]:
    if storage.account_name is None:
        raise InputError(
            "storage.endpoint_url must be an account blob endpoint",
            hint="Write it as https://ACCOUNT.blob.core.windows.net.",
            code="override.no_account",
        )
    if not credentials.account_key:
        raise InputError(
            f"storage.provider STORAGE_ACCOUNT requires env var {printable(storage.account_key_env)}.",
            detail="The core does not start without it, so it would write no override.",
            hint=f"Set {printable(storage.account_key_env)} to a key of the storage account.",
            code="override.no_account_key",
        )
    bucket = _Attribute(name="container_name", value=storage.terraform_state_bucket, setting="storage.terraform_state_bucket")
    setting = f"the variable {storage.account_key_env} (storage.account_key_env)"
    return "azurerm", [
        (
            _Attribute(name="storage_account_name", value=storage.account_name, setting="storage.endpoint_url"),
            bucket,
            _Attribute(name="key", value=object_key, setting="the state key"),
            _Attribute(name="access_key", value=credentials.account_key, setting=setting),
        )
    ]


def _file(kind: str, groups: list[_Group], text_of: Callable[[_Value], str]) -> str:
    body = "\n\n".join("\n".join(f"    {line}" for line in _lines(group, text_of)) for group in groups)
    return f'terraform {{\n  backend "{kind}" {{\n{body}\n  }}\n}}\n'


def _values(groups: list[_Group]) -> dict[str, object]:
    """The groups as an engine should read them back; what is indented is a member of the map above."""
    values: dict[str, object] = {}
    for line in (line for group in groups for line in group):
        if isinstance(line, _Attribute):
            member = line.name != line.name.strip()
            values["endpoints" if member else line.name] = {line.name.strip(): line.value} if member else line.value
        elif line.endswith("= true"):
            values[line.split()[0]] = True
    return values


def _lines(group: _Group, text_of: Callable[[_Value], str]) -> Iterator[str]:
    widest = max((len(line.name) for line in group if isinstance(line, _Attribute)), default=0)
    for line in group:
        yield line if isinstance(line, str) else f'{line.name:<{widest}} = "{text_of(line.value)}"'


def _revealed(value: _Value) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _masked(value: _Value) -> str:
    """Secrets, and the userinfo of an endpoint, are masked; all else is as it is written."""
    return MASK if isinstance(value, Secret) else re.sub(r"\A([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@", rf"\1{MASK}@", value)


def _refuse_unsafe(attribute: _Attribute) -> None:
    text = _revealed(attribute.value)
    reason = next((reason for reason, present in _dangers(text) if present), None)
    if reason is not None:
        secret = isinstance(attribute.value, Secret)
        raise InputError(
            f"{printable(attribute.setting)} holds {reason}, which would break or change the override",
            detail="" if secret else f"the value is {printable(_masked(text))}",
            hint="The core writes values between quotes as they are. Use a value without it.",
            code="override.unsafe_value",
        )


def _dangers(text: str) -> Iterator[tuple[str, bool]]:
    yield "a quote", '"' in text
    yield "a backslash", "\\" in text
    yield "a line break", "\n" in text or "\r" in text
    yield "a control character", any(unicodedata.category(char) == "Cc" for char in text)
    yield "${", "${" in text
    yield "%{", "%{" in text
    yield "bytes that are not UTF-8", any(unicodedata.category(char) == "Cs" for char in text)
    # The engines read strings in this form: the key in use would differ from the key in the file.
    yield "a character in decomposed form", not unicodedata.is_normalized("NFC", text)
