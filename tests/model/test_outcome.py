"""What an engine says of a command that did well, in its own line."""

from __future__ import annotations

import pytest

from kumoss_console.model.contract import JobKind
from kumoss_console.model.outcome import outcome_line

PLAN = """\
  # terraform_data.a will be created
  + resource "terraform_data" "a" {
      + input = <<-EOT
            Plan: 0 to add, 0 to change, 0 to destroy.
        EOT
    }

\x1b[1mPlan:\x1b[0m 5 to add, 0 to change, 2 to destroy.

Changes to Outputs:
  + said = <<-EOT
        Plan: 9 to add, 9 to change, 9 to destroy.
    EOT

Saved the plan to: session.plan
"""


@pytest.mark.parametrize(
    ("kind", "stdout", "line"),
    [
        (JobKind.PLAN, PLAN, "Plan: 5 to add, 0 to change, 2 to destroy."),
        (
            JobKind.PLAN,
            "\nNo changes. Your infrastructure matches the configuration.\n\nOpenTofu has compared …",
            "No changes. Your",
        ),
        (
            JobKind.APPLY,
            "a: Creating...\r\n\nApply complete! Resources: 1 added, 0 changed, 0 destroyed.\r\n",
            "Apply complete! Res",
        ),
        (JobKind.IMPORT, "Import successful!\n\nThe resources that were imported are shown above.", "Import successful!"),
        (
            JobKind.VALIDATE,
            "\x1b[32m\x1b[1mSuccess!\x1b[0m The configuration is valid.\n\x1b[0m",
            "Success! The configuration is valid.",
        ),
        (JobKind.PLAN, "You can apply this plan to save these new output values", ""),
        (JobKind.SHOW, PLAN, ""),
        (None, PLAN, ""),
        (JobKind.APPLY, PLAN, ""),
    ],
)
def test_the_line_at_the_margin_that_sums_up_what_was_done(kind: JobKind | None, stdout: str, line: str) -> None:
    found = outcome_line(kind, stdout)
    assert found.startswith(line)
    assert bool(found) is bool(line)
    assert found == found.strip()
