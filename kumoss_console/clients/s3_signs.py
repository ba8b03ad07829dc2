"""What tells an S3 store from whatever else answers 200 on its port, and credentials from what cannot be sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kumoss_console.clients.s3_errors import Target, bad_answer
from kumoss_console.errors import InputError
from kumoss_console.model.storage import StorageCredentials, StorageSettings

_OBJECT = (("ETag", "ETag"), ("LastModified", "Last-Modified"), ("ContentLength", "Content-Length"))
"""What every store sends with an object, by the SDK's name and by that of the header."""


def must_be_a_listing(answer: Mapping[str, Any], target: Target) -> None:
    """Raise :class:`~kumoss_console.errors.BadAnswer` for an answer to a listing that is none.

    An empty body parses as an answer without members: it must not pass for an empty bucket.
    """
    if not isinstance(answer.get("IsTruncated"), bool):
        raise bad_answer(target, "the answer to a listing is not a listing")
    for item in answer.get("Contents", ()):
        if "Key" not in item or item.get("Size", -1) < 0:
            raise bad_answer(target, "the listing has an object without a key or a size")


def must_be_an_object(answer: Mapping[str, Any], target: Target) -> None:
    """Raise :class:`~kumoss_console.errors.BadAnswer` for a 200 that is not an object's: a web page, an API, a proxy.

    A file of a web server may have an ETag and a date as well; an HTML page without a single header of S3's own is one.
    """
    missing = [header for name, header in _OBJECT if answer.get(name) is None]
    headers = answer["ResponseMetadata"]["HTTPHeaders"]
    kind = answer.get("ContentType") or "no content type"
    if missing:
        raise bad_answer(target, f"200 ({kind}) without {' and '.join(missing)}, which come with every object")
    if answer["ContentLength"] < 0:
        raise bad_answer(target, f"a Content-Length of {answer['ContentLength']}")
    if kind.startswith("text/html") and not any(name.startswith("x-amz-") for name in headers):
        raise bad_answer(target, f"200 ({kind}) without any header of S3: a web page")


def refuse_unusable(storage: StorageSettings, credentials: StorageCredentials) -> None:
    """Raise :class:`~kumoss_console.errors.InputError` for keys that no request can carry, before one is made."""
    if not credentials.static_keys:
        return
    for variable, key in (
        (storage.access_key_env, credentials.access_key),
        (storage.secret_key_env, credentials.secret_key),
    ):
        text = key.reveal() if key is not None else ""
        if any(not char.isprintable() for char in text) or not text.isascii():
            raise InputError(
                f"The key in {variable} holds a line feed or another character that no key has",
                hint=f"Set {variable} again without it; a file that ends in a line feed, read with $(cat FILE), leaves it out.",
                code="store.credentials",
            )
