"""The request of a recorded job, once more: what it was, and whether the first may still be at work."""

from __future__ import annotations

import msgspec

from kumoss_console.errors import InputError
from kumoss_console.model.contract import REQUEST_BY_KIND, SubmitRequest
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.text import MASK, printable


def recorded_request(job: Job) -> SubmitRequest:
    """As it was sent. Raises :class:`InputError` where that is not known: submitted elsewhere, or masked in an export."""
    if job.kind is None or not job.fields:
        raise InputError(
            "this job's request is not known: it was submitted elsewhere",
            hint="submit it with jobs submit, whose options say what is wanted",
            code="job.request_unknown",
        )
    if any(MASK in part for _, value in job.fields for part in ((value,) if isinstance(value, str) else value)):
        raise InputError(
            "this job's request came out of an export with a part of it masked",
            hint="submit it with jobs submit, whose options say what is wanted",
            code="job.request_masked",
        )
    try:
        return msgspec.convert(dict(job.fields), REQUEST_BY_KIND[job.kind])
    except msgspec.ValidationError as error:
        raise InputError(
            "this job's request is none that the contract accepts",
            detail=printable(str(error)),
            hint="submit it with jobs submit",
            code="job.out_of_bounds",
        ) from None


def may_be_running(job: Job) -> str:
    """A sentence where the first job may still be at work, empty where it has ended."""
    if job.job_id is None and job.service is ServicePlane.UNKNOWN:
        return "Its submission was never answered: the service may have taken it, and it may be running now."
    if job.service is ServicePlane.LOST:
        return "What became of it is not known: the service forgot it, and its command may have done part of its work."
    if not job.service.final:
        return "It has not ended as far as is known: the two would run one after the other."
    return ""
