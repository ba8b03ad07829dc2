"""What the backend view says, made from a preview and the context's settings. Pure."""

from __future__ import annotations

from kumoss_console.model.context import Context
from kumoss_console.model.storage import Ownership, StorageProvider
from kumoss_console.services.backend.override import OverridePreview
from kumoss_console.services.backend.proof import WorkspaceProof
from screens.addresses import host_of
from screens.findings import finding_facts
from screens.widgets.cells import Cell, Tone
from screens.widgets.facts import Fact, fact

INVITATION = (
    fact("e", "type repository, scope and path; the override is rendered while you type"),
    fact("p", "pick a project that the configuration names"),
)
NO_PROJECT = "without a project there is no key, and without a key no override"
REFUSED = "no override: see above"
_DIFF: dict[str, Tone] = {"+": "good", "-": "bad"}
_ON_DISK = {
    "absent": Cell("no file yet", "dim"),
    "same": Cell("✓ the same, byte for byte", "good"),
    "differs": Cell("! differs, secrets masked on both sides below", "warn"),
    "unreadable": Cell("? could not be read", "warn"),
}
NOT_MANAGED = "Nothing is written: managed state is off."


def ownership_facts(owner: Ownership, context: Context) -> tuple[Fact, ...]:
    """Who decides where state goes, and how sure that is."""
    sure = Cell("certain", "good") if owner.certain else Cell("not certain", "warn")
    storage = context.storage
    at = "AWS " + storage.region if storage.provider is StorageProvider.S3 else host_of(storage.endpoint_url)
    where = f"{storage.provider.name} {storage.terraform_state_bucket} @ {at}" if storage.managed else "managed state is off"
    return (
        fact("Ownership", Cell(owner.model, "bad" if owner.model == "mixed" else "accent"), ", ", sure, f": {owner.explanation}"),
        fact("Core keeps", where),
        fact("Sidecar", *_sidecar(context.backend_config)),
    )


def _sidecar(backend_config: str | None) -> tuple[Cell, ...]:
    if backend_config is None:
        return (Cell("IAC_BACKEND_CONFIG is not known here", "warn"),)
    if not backend_config.strip():
        return (Cell("IAC_BACKEND_CONFIG is unset"),)
    return (Cell("IAC_BACKEND_CONFIG is "), Cell(backend_config, "accent"))


def file_facts(preview: OverridePreview, context: Context) -> tuple[Fact, ...]:
    """Which file, and where the core puts it."""
    if preview.content is None:
        return (fact("File", Cell("none", "warn"), ": storage.terraform_state_bucket is blank, so the core writes nothing"),)
    module = f" {preview.key.path}" if preview.key.path not in {"", "."} else ""
    below = f" below {context.workspaces_root}" if context.workspaces_root else ""
    return (
        fact(
            "File",
            Cell(preview.filename, "accent"),
            f" in the root module's folder{module}{below}, written over before each init",
        ),
        fact("Object key", preview.object_key),
        fact("Credentials", context.credentials.source),
    )


def proof_facts(found: WorkspaceProof) -> tuple[Fact, ...]:
    """Whether it reads back and wins in the folder, what the repository loses, and the diff against the file on disk."""
    proof = found.proof
    last = "sorts last" if proof.sorts_last else "does not sort last"
    order = " < ".join(proof.override_files) or "no override file is read"
    erased = ", ".join(f"{shadow.name} ({shadow.origin.at})" for shadow in proof.erased)
    replaced = ", ".join(f"{shadow.name} ({shadow.origin.at})" for shadow in proof.replaced)
    facts = [
        fact(
            "Folder",
            Cell(str(found.folder), "accent"),
            f"  {found.engine.label}{f' ({found.engine.note})' if found.engine.note else ''}",
        ),
        fact("Reads back", Cell("✓ the same values", "good") if proof.reads_back else Cell(", ".join(proof.misread), "bad")),
        fact("Wins", Cell("✓ " if proof.wins else "✗ ", "good" if proof.wins else "bad"), f"{last}: {order}"),
        fact("Erases", Cell(erased, "warn") if erased else Cell("nothing", "dim")),
        fact("Replaces", replaced or Cell("nothing", "dim")),
        fact("On disk", _ON_DISK[proof.disk.status]),
        *finding_facts(found.findings),
    ]
    if proof.disk.status == "differs":
        facts += [fact("", Cell(line, _DIFF.get(line[:1], "dim"))) for line in proof.disk.diff.splitlines()]
    return tuple(facts)


def title(preview: OverridePreview | None, *, revealed_for: int | None) -> str:
    """The frame's title: the file, and whether its secrets can be read. ``revealed_for`` in seconds."""
    if preview is None or preview.content is None:
        return "override"
    if revealed_for is not None:
        return f"{preview.filename} · REVEALED, masked again in {revealed_for} s"
    return f"{preview.filename} · secrets masked, x reveals" if preview.hides else f"{preview.filename} · holds no secret"


def empty_words(preview: OverridePreview | None, *, asked: bool) -> str:
    """Why no file is shown."""
    if preview is not None:
        return NOT_MANAGED
    return REFUSED if asked else NO_PROJECT
