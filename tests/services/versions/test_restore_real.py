"""The commands that a restore prints, run line by line as they are printed, on a real store with a real engine."""

from __future__ import annotations

import json
from pathlib import Path

from kumoss_console.sidecar.engine import Engine
from tests.fakes.dynamodb import FakeTable, serving
from tests.services.versions.commands import Desk
from tests.stack import RealStore

OLD, NEW = {"first", "second"}, {"first", "third"}
NOT_A_STATE = b"<html>Sign in</html>"


def desk_of(store: RealStore, engine: Engine, folder: Path, *, table: str = "") -> Desk:
    store.client.put_bucket_versioning(Bucket=store.bucket, VersioningConfiguration={"Status": "Enabled"})
    desk = Desk(store, engine, folder, table)
    desk.apply(*sorted(OLD))
    return desk


def restored(desk: Desk, version: str) -> tuple[str, set[str]]:
    """What is there after every printed line was run, in a script that ends at the first that fails."""
    plan = desk.plan(version)
    desk.run("\n".join(plan["commands"]))
    assert {path.name for path in desk.workspace.glob("*.tfstate")} == set()
    return desk.state()


def test_the_printed_commands_bring_the_old_objects_back_from_whatever_lies_under_the_key(
    real_store: RealStore, engine: Engine, tmp_path: Path
) -> None:
    desk = desk_of(real_store, engine, tmp_path)
    lineage, _ = desk.state()
    desk.apply(*sorted(NEW))

    assert restored(desk, "previous") == (lineage, OLD), "from a state that lives"

    desk.delete()
    anew, objects = restored(desk, "previous")
    assert objects == OLD, "onto a key that was deleted"

    desk.put(NOT_A_STATE)
    _, objects = restored(desk, "previous")
    assert objects == OLD, "over an object that no engine reads"

    desk.put(b"")
    _, objects = restored(desk, "previous")
    assert objects == OLD, "over an object that was emptied"

    other = {**json.loads(desk.active()), "lineage": lineage, "serial": 7, "resources": []}
    desk.put(json.dumps(other).encode())
    assert anew != lineage
    assert restored(desk, "previous") == (lineage, OLD), "over the state of another lineage"


def test_a_damaged_object_that_was_written_again_since_the_plan_is_not_removed(
    real_store: RealStore, engine: Engine, tmp_path: Path
) -> None:
    desk = desk_of(real_store, engine, tmp_path)
    whole = desk.active()
    desk.put(NOT_A_STATE)
    prepare, *rest = desk.plan("previous")["commands"]
    desk.run(prepare)
    # Another run mends the state at this very moment.
    desk.put(whole)

    done = desk.tried("\n".join(rest))

    assert done.returncode != 0
    assert "412" in done.stderr or "PreconditionFailed" in done.stderr
    assert desk.active() == whole
    assert list(desk.workspace.glob("restored-*.tfstate"))


def test_a_lock_table_that_has_the_digest_of_what_was_removed_does_not_block_the_printed_commands(
    real_store: RealStore, engine: Engine, tmp_path: Path
) -> None:
    with serving(FakeTable()) as table:
        desk = desk_of(real_store, engine, tmp_path, table=table.url)
        desk.put(NOT_A_STATE)

        assert "restore.digest" in [finding["code"] for finding in desk.plan("previous")["findings"]]
        assert restored(desk, "previous")[1] == OLD
        assert [name for name in table.rows if name.endswith("-md5")], "the push writes the digest of what it pushed"
