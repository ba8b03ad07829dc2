"""What names and functions mean where an expression stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kumoss_console.model.hcl.nodes import Node

if TYPE_CHECKING:
    from kumoss_console.model.hcl.evaluate import Evaluator


class Scope(Protocol):
    """What references and functions mean. Both return :data:`FAILED` after they have noted a problem on the evaluator."""

    def reference(self, root: str, steps: tuple[str, ...], node: Node, evaluator: Evaluator) -> tuple[object, int]:
        """The value of ``root`` and how many of the attribute names after it are used up by it."""

    def call(self, name: str, arguments: list[object], node: Node, evaluator: Evaluator) -> object: ...


class NoScope:
    """Where the engine evaluates without any context: constants only."""

    def reference(self, root: str, steps: tuple[str, ...], node: Node, evaluator: Evaluator) -> tuple[object, int]:
        path = ".".join((root, *steps))
        return evaluator.fail("Variables not allowed", f"Variables may not be used here: {path}.", node.line), len(steps)

    def call(self, name: str, arguments: list[object], node: Node, evaluator: Evaluator) -> object:
        return evaluator.fail("Function calls not allowed", f"Functions may not be called here: {name}().", node.line)
