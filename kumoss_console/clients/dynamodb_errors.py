"""What a DynamoDB table, or the way to it, answered: as errors an operator can act on.

locks.table_missing   no such table in that region
locks.access_denied   known, and not allowed
locks.credentials     keys that AWS does not take, or that have expired
locks.throttled       slow down
locks.fault           any other refusal
store.unreachable     nobody answered; as for the store
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from kumoss_console.clients.s3_errors import Target
from kumoss_console.clients.s3_errors import translated as translated_on_the_way
from kumoss_console.errors import AccessDenied, ConsoleError, ServiceError, Unreachable
from kumoss_console.text import Secret, printable, redact

_LONGEST = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTarget:
    """Which table was asked. ``where`` is for people, and printable."""

    table: str
    where: str
    secrets: tuple[Secret, ...] = ()

    def silent(self, seconds: float) -> ConsoleError:
        """No answer within our patience."""
        return Unreachable(
            f"{self.where} does not come to an end",
            detail=f"gave up after {seconds:.0f} s",
            hint="it is overloaded, or a network swallows the packets; storage.read_timeout sets the patience",
            code="store.unreachable",
        )


_Rule = tuple[type[ServiceError], str, str, str]
_KEYS: _Rule = (
    AccessDenied,
    "locks.credentials",
    "{where} does not take our credentials",
    "check the keys of the storage section: the table is asked with the same ones as the bucket",
)
_SLOW: _Rule = (ServiceError, "locks.throttled", "the lock table {table} asks us to slow down", "wait a moment, then try again")
_OTHER: _Rule = (ServiceError, "locks.fault", "the lock table {table} could not be asked", "try again")
_RULES: Mapping[str, _Rule] = {
    "ResourceNotFoundException": (
        ServiceError,
        "locks.table_missing",
        "there is no lock table {table} in {where}",
        "compare locks.dynamodb_table and storage.region with the dynamodb_table of the backend block",
    ),
    "AccessDeniedException": (
        AccessDenied,
        "locks.access_denied",
        "{where} refused us access to the lock table {table}",
        "grant these credentials dynamodb:GetItem and dynamodb:Scan on it; unlocking needs dynamodb:DeleteItem",
    ),
    **dict.fromkeys(
        (
            "UnrecognizedClientException",
            "InvalidSignatureException",
            "ExpiredTokenException",
            "MissingAuthenticationTokenException",
        ),
        _KEYS,
    ),
    **dict.fromkeys(("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"), _SLOW),
}


@contextmanager
def translated(target: TableTarget) -> Iterator[None]:
    """Raise what boto3 and botocore raise within as a :class:`~kumoss_console.errors.ServiceError`."""
    from botocore.exceptions import ClientError

    with translated_on_the_way(Target(where=target.where, bucket=target.table, secrets=target.secrets)):
        try:
            yield
        except ClientError as error:
            said = error.response.get("Error", {})
            code = str(said.get("Code", ""))
            kind, ours, title, hint = _RULES.get(code, _OTHER)
            detail = printable(redact(f"{code}: {said.get('Message', '')}", target.secrets))[:_LONGEST]
            shown = title.format(table=printable(target.table), where=target.where)
            raise kind(shown, detail=detail, hint=hint, code=ours) from error
