"""What a 200 has to be: the document that was asked for.

botocore takes what it finds by name and calls the rest absent, so an empty body, a web page, or the plain listing of a store that
does not know the question read as "nothing is configured". The root of a document says what it is; nobody else looks at it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from botocore.parsers import ResponseParserError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_ROOTS = {
    "GetBucketVersioning": "VersioningConfiguration",
    "ListObjectVersions": "ListVersionsResult",
    "GetBucketEncryption": "ServerSideEncryptionConfiguration",
    "GetBucketLifecycleConfiguration": "LifecycleConfiguration",
    "GetPublicAccessBlock": "PublicAccessBlockConfiguration",
    "GetBucketPolicyStatus": "PolicyStatus",
    "GetBucketAcl": "AccessControlPolicy",
}
"""By the API reference of S3. ``ListBucketVersionsResult`` is the name that older stores have for a listing of versions."""
_ALSO = {"ListObjectVersions": frozenset({"ListBucketVersionsResult"})}


class NotTheDocument(ResponseParserError):
    """A 200 with something else in it. ``root`` is the document it is, empty for none."""

    def __init__(self, told: str, root: str) -> None:
        super().__init__(told)
        self.root = root


def refuse_other_documents(client: S3Client) -> None:
    """Let ``client`` raise :class:`NotTheDocument` for a 200 that is not the answer to its question."""
    for operation in _ROOTS:
        client.meta.events.register_first(f"before-parse.s3.{operation}", _look)


def _look(response_dict: dict[str, Any], **more: Any) -> None:
    if response_dict["status_code"] != 200:
        return
    operation = more["operation_model"].name
    wanted = _ROOTS[operation]
    body = response_dict["body"]
    root = _root(body)
    # An error that comes with a 200 is botocore's to tell.
    if root in {wanted, "Error", *_ALSO.get(operation, ())}:
        return
    kind = response_dict["headers"].get("content-type") or "no content type"
    what = root or ("an empty body" if not body.strip() else f"no XML of S3's ({kind})")
    raise NotTheDocument(f"{operation}: 200 with {what} instead of {wanted}", root)


def _root(body: bytes) -> str:
    """The name of the document, without its namespace; empty where it is none that an S3 store sends."""
    if b"<!DOCTYPE" in body[:1024] or b"<!ENTITY" in body[:1024]:
        return ""
    try:
        root = ElementTree.fromstring(body)  # noqa: S314 - one with a document type was left alone above
    except (ElementTree.ParseError, ValueError):
        return ""
    name = root.tag.rpartition("}")[2]
    return name if name.isascii() and name.isalnum() and name.lower() != "html" else ""
