"""The files of one restore, named after it, and the check of what is in the prepared one.

What an earlier plan left behind has another name, or does not pass the check: no line goes on from it.
"""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass

from kumoss_console.model.statediff.restore import member_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """``mark`` tells the restore of one version of one key from all others; ``serial`` and ``lineage`` are of what is pushed."""

    mark: str
    serial: int
    lineage: str

    @property
    def prepared(self) -> str:
        """What is to be pushed."""
        return f"restored-{self.mark}.tfstate"

    @property
    def pushed(self) -> str:
        """The same once it was: pasted again, no line goes on from it."""
        return f"pushed-{self.mark}.tfstate"

    @property
    def backup(self) -> str:
        return f"before-restore-{self.mark}.tfstate"

    @property
    def damaged(self) -> str:
        """A copy of a damaged object that has no version of its own."""
        return f"damaged-object-{self.mark}"

    def ready(self) -> str:
        """A condition for a shell: whether the right document was prepared. It says so where it was not. ``grep`` is everywhere,
        which a tool for digests is not."""
        lines = (member_line("serial", self.serial), member_line("lineage", self.lineage))
        has = " && ".join(f"grep -qxF {shlex.quote(line)} {self.prepared}" for line in lines)
        say = shlex.quote(f"Nothing was done: {self.prepared} is not what this plan prepares.")
        return f"{{ {has} || {{ echo {say} >&2; false; }}; }}"


def files_of(*where: str, content: str, serial: int, lineage: str) -> Files:
    """``where`` are the names of the context, of the key and of the version; ``content`` is what would be pushed."""
    mark = hashlib.sha256("\0".join((*where, content)).encode(errors="surrogatepass")).hexdigest()
    return Files(mark=mark[:12], serial=serial, lineage=lineage)
