"""What the clone around a workspace says of the project it is taken for, before they are said to agree."""

from __future__ import annotations

from dataclasses import replace

from kumoss_console.model.trace.conflict import Cause
from kumoss_console.model.trace.copied import held_by_copy
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.nobodys import nobodys_key, unowned_key
from kumoss_console.model.trace.ownproject import reasons
from kumoss_console.model.trace.place import Place, parted
from kumoss_console.model.trace.settled import Ruling
from kumoss_console.model.trace.suspects import Identity
from kumoss_console.model.trace.wording import capital, listed


def placed(evidence: Evidence, ruling: Ruling) -> Ruling:
    """``ruling``, unless the folder is not that of the project whose key it rests on."""
    if not evidence.storage.managed:
        return ruling
    if (elsewhere := _given_elsewhere(evidence, ruling)) is not None:
        return elsewhere
    if ruling.place is None or (ruling.cause is not None and ruling.cause.code != "left_behind"):
        return ruling
    named = evidence.written is not None or evidence.engine.status == "bound"
    if not named:
        return ruling
    if (cause := held_by_copy(evidence, ruling.place)) is not None:
        return replace(ruling, verdict="disagree", cause=cause, summary=_summary(cause))
    return _of_nobody(evidence, ruling, ruling.place) if ruling.verdict == "agree" else ruling


def _of_nobody(evidence: Evidence, ruling: Ruling, place: Place) -> Ruling:
    """They agree, and on the key of nobody known: unknown where it could have been known, and said where it could not."""
    if (cause := nobodys_key(evidence, place)) is not None:
        return replace(ruling, verdict="unknown", cause=cause, summary=f"Not known: {cause.fact}. {capital(cause.remedy)}")
    if unowned_key(evidence, place):
        said = "Whose key that is is not known here, and so not whether the core writes it once more."
        return replace(ruling, summary=f"{ruling.summary} {said}")
    return ruling


def _given_elsewhere(evidence: Evidence, ruling: Ruling) -> Ruling | None:
    """The project that was given is not the one that this folder of its clone is: nothing is bound or written yet, or the
    override is the folder's own."""
    project, around = evidence.project, evidence.around
    if project is not None and not evidence.project_from and (own := _overrides_own(evidence, project)) is not None:
        return _foreign(ruling, project, own)
    if project is None or evidence.project_from or evidence.written is not None or evidence.engine.status != "unbound":
        return None
    why = disproof(evidence, project)
    if not why:
        return None
    cause = Cause(
        code="other_project",
        fact=f"nothing is bound yet, and the folder is not that of the project that was given ({project.words}): {listed(why)}",
        wrong="the project that was given, if this workspace was meant",
        remedy="Give the workspace's own repository, scope and path, or the folder of that project, before anything is "
        "initialised here.",
    )
    if around is not None and project.repo not in around.repos and not around.lies_at(project.path):
        # Perhaps the folder lies in a repository that has nothing to do with it.
        return replace(ruling, verdict="unknown", cause=cause, summary=f"Not known: {cause.fact}. {cause.remedy}")
    return replace(ruling, verdict="disagree", cause=cause, summary=_summary(cause))


def _overrides_own(evidence: Evidence, project: Identity) -> Identity | None:
    """The project that the core wrote the override for, where folder and clone are that one's and not the given one's.

    Where the engine is bound to it as well, or to nothing, :mod:`~kumoss_console.model.trace.ownproject` tells it.
    """
    around, written, bound = evidence.around, evidence.written, evidence.engine.place
    if around is None or written is None or written.place is None or around.fits(project):
        return None
    own = evidence.identities.get((written.place.key or "").partition("/")[0])
    if own is None or own.project_id == project.project_id or not around.fits(own):
        return None
    return own if bound is not None and parted(written.place, bound) else None


def _foreign(ruling: Ruling, project: Identity, own: Identity) -> Ruling:
    cause = Cause(
        code="other_project",
        fact=f"the folder and the override in it are those of {own.words}, and another project was given ({project.words})",
        wrong="the project that was given, if this workspace was meant",
        remedy="Trace the workspace alone: it says what is bound there, and whether that is right.",
    )
    return replace(ruling, verdict="disagree", cause=cause, summary=_summary(cause))


def disproof(evidence: Evidence, project: Identity) -> tuple[str, ...]:
    """What the clone around the folder and its last init say against ``project``; empty where nothing does."""
    around, init = evidence.around, evidence.engine.init
    if around is not None and not around.repos:
        return ()  # a repository without a remote is nobody's clone
    if init is not None and init.good is False:
        evidence = replace(evidence, engine=replace(evidence.engine, init=None))  # it may have failed for that very scope
    return tuple(reasons(evidence, None, project))


def _summary(cause: Cause) -> str:
    return f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}"
