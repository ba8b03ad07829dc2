"""One page of a listing through boto3, its keys read by a parser of our own.

botocore reads a page of 1,000 keys in 30 ms, three times over: for an error in it, as XML, and as the shape of the operation.
ElementTree, which is C, needs 4 ms for the same. So the keys are taken from the body before botocore sees it, and what it sees
is the same answer without them. A body that is not the listing we know is left to botocore, which says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus
from xml.etree import ElementTree

from kumoss_console.clients.s3_errors import Target, bad_answer
from kumoss_console.clients.s3_signs import must_be_a_listing
from kumoss_console.ports.objects import ListingPage, ObjectInfo

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_ROOT = "ListBucketResult"
_TAKEN = "KumossConsoleObjects"
"""Where the objects stand in botocore's answer, beside the members of the operation; a text says what is wrong with them."""


def read_keys_ourselves(client: S3Client) -> None:
    """Let :func:`listing_page` find the objects of a page already read."""
    from botocore import handlers

    # botocore looks for an error in every 200, which means to parse it: a page is looked at after its keys were taken, or not at
    # all. It has no public name for that; where it is called otherwise one day, the look is made twice, as before.
    look = getattr(handlers, "_handle_200_error", None)
    if look is not None:
        client.meta.events.unregister("before-parse.s3.*", look)

    def read(response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **more: Any) -> None:
        is_page = more["operation_model"].name == "ListObjectsV2"
        if not (is_page and _take_keys(response_dict, customized_response_dict)) and look is not None:
            look(response_dict=response_dict, customized_response_dict=customized_response_dict, **more)

    client.meta.events.register_first("before-parse.s3.*", read)


def listing_page(client: S3Client, target: Target, prefix: str, cursor: str | None, after: str, limit: int) -> ListingPage:
    """The page from ``cursor``, else of the keys behind ``after``; :class:`~kumoss_console.errors.BadAnswer` where it is none."""
    more: dict[str, Any] = {} if cursor is None else {"ContinuationToken": cursor}
    if after and cursor is None:
        more["StartAfter"] = after
    answer: Mapping[str, Any] = client.list_objects_v2(Bucket=target.bucket, Prefix=prefix, MaxKeys=limit, **more)
    must_be_a_listing(answer, target)
    following = answer.get("NextContinuationToken")
    if answer["IsTruncated"] and not following:
        raise bad_answer(target, "the listing says that there is more, and not where it goes on")
    objects: tuple[ObjectInfo, ...] | str | None = answer.get(_TAKEN)
    if isinstance(objects, str):
        raise bad_answer(target, objects)
    return ListingPage(
        objects=tuple(_parsed(answer)) if objects is None else objects, cursor=following if answer["IsTruncated"] else None
    )


def _parsed(answer: Mapping[str, Any]) -> Iterator[ObjectInfo]:
    """What botocore made of a body that we left to it."""
    for item in answer.get("Contents", ()):
        yield ObjectInfo(key=item["Key"], size=item["Size"], modified=item.get("LastModified"), etag=item.get("ETag"))


def _take_keys(response_dict: dict[str, Any], customized_response_dict: dict[str, Any]) -> bool:
    """Take the objects out of a page; false where the body is not one."""
    if response_dict["status_code"] != 200:
        return False
    # A document type can define entities that grow without end; no listing has one.
    if b"<!DOCTYPE" in (body := response_dict["body"]) or b"\0" in body[:64]:
        return False
    try:
        root = ElementTree.fromstring(body)  # noqa: S314 - one with a document type was left alone above
    except (ElementTree.ParseError, ValueError):
        return False
    space = root.tag.removesuffix(_ROOT)
    if not root.tag.endswith(_ROOT) or (space and not space.endswith("}")):
        return False
    try:
        taken: object = tuple(_objects(root, space, encoded=root.findtext(f"{space}EncodingType") == "url"))
    except (ValueError, KeyError):
        # botocore decodes the keys of such a page as if they were there, and falls over (KeyError seen in botocore 1.44).
        taken = "the listing has an object without a key, a size or a time that can be"
    root[:] = [child for child in root if child.tag != f"{space}Contents"]
    customized_response_dict[_TAKEN] = taken
    response_dict["body"] = ElementTree.tostring(root)
    return True


def _objects(root: ElementTree.Element, space: str, *, encoded: bool) -> Iterator[ObjectInfo]:
    """Raises :class:`KeyError` or :class:`ValueError` for an object that cannot be."""
    for item in root.iterfind(f"{space}Contents"):
        found = {child.tag: child.text or "" for child in item}
        key, modified = found[f"{space}Key"], found.get(f"{space}LastModified")
        size = int(found[f"{space}Size"])
        if size < 0:
            raise ValueError(size)
        yield ObjectInfo(
            key=_decoded(key) if encoded else key,
            size=size,
            modified=_moment(modified) if modified else None,
            etag=found.get(f"{space}ETag"),
        )


def _decoded(key: str) -> str:
    # The slash is in every key, and most have nothing else to decode.
    key = key.replace("%2F", "/")
    return unquote_plus(key) if "%" in key or "+" in key else key


def _moment(text: str) -> datetime:
    parsed = datetime.fromisoformat(text)
    return parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)
