"""OpenTofu's early evaluation: what references mean in a backend block, before any state exists."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kumoss_console.model.backend.result import Via
from kumoss_console.model.backend.variables import Declarations, Given, value_of
from kumoss_console.model.hcl import Problem
from kumoss_console.model.hcl.evaluate import FAILED, Evaluator, Failed
from kumoss_console.model.hcl.functions import FunctionError, call
from kumoss_console.model.hcl.nodes import Node
from kumoss_console.model.hcl.types import Unresolved

_BARE = {"var", "local", "path", "terraform", "module", "data", "each", "count", "self"}


class StaticScope:
    """References of one evaluation. ``via`` collects what was used; ``sensitive`` whether any of it must stay secret.

    ``declarations`` and ``given`` are asked for when the first reference needs them: most workspaces have none.
    """

    def __init__(
        self,
        declarations: Callable[[], Declarations],
        given: Callable[[], Mapping[str, Given]],
        *,
        subject: str,
        selected: str,
    ) -> None:
        self.via: list[Via] = []
        self.sensitive = False
        self.ephemeral = False
        self._declarations = declarations
        self._given = given
        self._stack = [subject]
        self._selected = selected

    def reference(self, root: str, steps: tuple[str, ...], node: Node, evaluator: Evaluator) -> tuple[object, int]:
        if root in _BARE and not steps:
            detail = f'The "{root}" object cannot be accessed directly. Instead, access one of its attributes.'
            return evaluator.fail("Invalid reference", detail, node.line), 0
        if root == "var":
            return self._variable(steps[0], node, evaluator), 1
        if root == "local":
            return self._local(steps[0], node, evaluator), 1
        if root == "terraform":
            return self._terraform(steps[0], node, evaluator), 1
        if root == "path":
            return self._path(steps[0], node, evaluator), 1
        if root == "module":
            used = min(2, len(steps))
            path = ".".join(("module", *steps[:used]))
            detail = f"Unable to use {path} in static context, which is required by {self._stack[-1]}"
            return evaluator.fail("Module output not supported in static context", detail, node.line), len(steps)
        if not steps:
            detail = (
                "A reference to a resource type must be followed by at least one attribute access, specifying the resource name."
            )
            return evaluator.fail("Invalid reference", f"{detail} (${{{root}}})", node.line), 0
        path = ".".join((root, *steps[: 2 if root == "data" else 1]))
        detail = f"Unable to use {path} in static context, which is required by {self._stack[-1]}"
        return evaluator.fail("Dynamic value in static context", detail, node.line), len(steps)

    def call(self, name: str, arguments: list[object], node: Node, evaluator: Evaluator) -> object:
        if "::" in name and not name.startswith("core::"):
            detail = f"Unable to use {name} in static context, which is required by {self._stack[-1]}"
            return evaluator.fail("Provider function in static context", detail, node.line)
        if name == "sensitive":
            self.sensitive = True
            return arguments[0] if arguments else FAILED
        try:
            return call(name, arguments)
        except KeyError:
            return evaluator.fail("Call to unknown function", f'There is no function named "{name}".', node.line)
        except FunctionError as error:
            detail = f'Call to function "{name}" failed: {error}.'
            return evaluator.fail("Error in function call", detail, node.line)

    def _variable(self, name: str, node: Node, evaluator: Evaluator) -> object:
        variable = self._declarations().variables.get(name)
        if variable is None:
            return evaluator.fail("Undefined variable", f"Undefined variable var.{name}", node.line)
        value, via = value_of(variable, self._given().get(name))
        if value is FAILED:
            evaluator.problems.append(
                Problem(
                    summary="Variable not provided via -var, tfvars files, or env",
                    detail=f'The input variable "{name}" has no default and no value.',
                    file=variable.file,
                    line=variable.line,
                )
            )
            return self._unavailable(f"var.{name}", evaluator)
        self.via.append(via)
        self.sensitive = self.sensitive or variable.sensitive
        self.ephemeral = self.ephemeral or variable.ephemeral
        return value

    def _unavailable(self, subject: str, evaluator: Evaluator) -> Failed:
        return evaluator.fail(
            "Unable to compute static value", f"{self._stack[-1]} depends on {subject} which is not available", 0
        )

    def _local(self, name: str, node: Node, evaluator: Evaluator) -> object:
        attribute = self._declarations().locals.get(name)
        subject = f"local.{name}"
        if attribute is None:
            return evaluator.fail("Undefined local", f"Undefined local {subject}", node.line)
        if subject in self._stack:
            evaluator.problems.append(
                Problem(
                    summary="Circular reference",
                    detail=f"{subject} is self referential",
                    file=attribute.file,
                    line=attribute.line,
                )
            )
            return FAILED
        if len(self._stack) > 20:
            return Unresolved(reason="a chain of locals that is too long")
        self.via.append(Via(what=subject, file=attribute.file, line=attribute.line))
        self._stack.append(subject)
        inner = Evaluator(self, attribute.file, templates=True)
        value = inner.value(attribute.expression)
        self._stack.pop()
        evaluator.problems += inner.problems
        return self._unavailable(subject, evaluator) if value is FAILED else value

    def _terraform(self, name: str, node: Node, evaluator: Evaluator) -> object:
        if name != "workspace":
            detail = f'The "terraform" object does not have an attribute named "{name}".'
            return evaluator.fail('Invalid "terraform" attribute', detail, node.line)
        self.via.append(Via(what="terraform.workspace", file=f'workspace "{self._selected}"', line=None))
        return self._selected

    def _path(self, name: str, node: Node, evaluator: Evaluator) -> object:
        if name in {"module", "root"}:
            return "."
        if name == "cwd":
            return Unresolved(reason="path.cwd is the folder as the engine sees it")
        detail = f'The "path" object does not have an attribute named "{name}".'
        return evaluator.fail('Invalid "path" attribute', detail, node.line)
