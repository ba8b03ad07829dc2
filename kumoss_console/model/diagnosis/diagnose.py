"""From two streams and the rules to findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kumoss_console.model.contract import JobKind
from kumoss_console.model.diagnosis.attributes import attributes_of
from kumoss_console.model.diagnosis.authored import printed_errors
from kumoss_console.model.diagnosis.blocks import Block, blocks_of
from kumoss_console.model.diagnosis.evidence import quoted, told
from kumoss_console.model.diagnosis.pattern import Hit
from kumoss_console.model.diagnosis.rule import Role, Rule, Rules
from kumoss_console.model.diagnosis.wording import worded
from kumoss_console.model.finding import Finding, Severity

_MOST_FINDINGS = 50
_MOST_UNRECOGNISED = 5
_RANK = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed(Finding):
    """A finding with its parts: ``message`` is ``title`` and ``cause`` in one. All texts are printable and redacted.

    ``evidence`` are the lines that were matched, as they stood in the output but for control sequences and frames, up to four
    of them; empty where the exit code alone said it. ``line`` is the 1-based line of ``stream`` at which they begin, 0 for
    none.
    """

    family: str
    title: str
    cause: str
    evidence: str = ""
    stream: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """``findings``: errors first, the most specific first. ``text_lines`` counts the lines of both streams.

    ``unknown``: something failed, or may have, and nothing is known about it. ``unrecognised`` are the first lines of errors
    that no rule knows, printable, at most five: a text can be known in part. ``marked``: an engine called something
    in it an error.
    """

    findings: tuple[Diagnosed, ...]
    text_lines: int
    unknown: bool
    unrecognised: tuple[str, ...] = ()
    marked: bool = False

    @property
    def tells_of_an_error(self) -> bool:
        """Whether the text holds an error, known or not, or means one."""
        return self.marked or any(finding.severity is Severity.ERROR for finding in self.findings)


@dataclass(frozen=True, slots=True)
class _Match:
    rule: Rule
    hit: Hit
    block: Block
    order: int


def diagnose(stdout: str, stderr: str, *, rules: Rules, kind: JobKind | None = None, exit_code: int | None = None) -> Diagnosis:
    """What is known about the output of a command, or of any text (as ``stderr``).

    ``exit_code`` is ``None`` where nobody knows how it ended. After a success only errors and warnings that an engine marked
    as such are looked at, and its narration by the rules made for it. Time and memory are bounded: see
    :mod:`kumoss_console.model.diagnosis.window`.
    """
    printed = printed_errors(stdout, stderr)
    blocks = (*blocks_of(stderr, "stderr", printed), *blocks_of(stdout, "stdout", printed))
    applicable = [rule for rule in rules.rules if rule.applies(kind, exit_code)]
    everything = "\n".join(block.flat for block in blocks)
    candidates = [rule for rule in applicable if not rule.by_exit_code and rule.may_match(everything)]
    marked = any(block.kind == "error" for block in blocks)
    told_loosely = exit_code != 0 and not marked
    findings: list[tuple[Rule, Diagnosed, int]] = []
    unrecognised: list[str] = []
    for order, block in enumerate(blocks):
        rules_here = candidates if block.kind != "loose" or told_loosely else [rule for rule in candidates if rule.narration]
        matches = tuple(_kept(_matches(block, rules_here, order)))
        findings += [(match.rule, _finding(match), order) for match in matches]
        if block.kind == "error" and not matches:
            unrecognised.append(told(block.lines[0].text))
    for rule in applicable:
        if rule.by_exit_code and exit_code is not None and rule.exit_codes:
            findings.append((rule, _by_exit_code(rule, exit_code), len(blocks)))
    ordered = tuple(_ordered(_without_covered(findings)))
    return Diagnosis(
        findings=ordered[:_MOST_FINDINGS],
        text_lines=_count_lines(stdout) + _count_lines(stderr),
        unknown=not ordered and exit_code != 0,
        unrecognised=tuple(dict.fromkeys(unrecognised))[:_MOST_UNRECOGNISED],
        marked=marked,
    )


def _matches(block: Block, rules: Sequence[Rule], order: int) -> Iterator[_Match]:
    for rule in rules:
        if rule.may_match(block.flat) and (hit := rule.search(block.flat)):
            yield _Match(rule, hit, block, order)


def _kept(matches: Iterator[_Match]) -> Iterator[_Match]:
    """Those of one block that are worth telling beside each other."""
    found = tuple(matches)
    for match in found:
        others = [other.rule for other in found if other is not match]
        if any(other.covers(match.rule) for other in others):
            continue
        knows_more = (other.role is not Role.OUTCOME and other.weight > match.rule.weight for other in others)
        if match.rule.role is Role.FALLBACK and any(knows_more):
            continue
        yield match


def _without_covered(findings: Sequence[tuple[Rule, Diagnosed, int]]) -> Iterator[tuple[Rule, Diagnosed, int]]:
    """Summaries go where their reason stands in another error (engines print ``Error:`` inside of errors, too), and outcomes
    where another one that names them says more."""
    all_rules = {rule.id: rule for rule, _, _ in findings}
    for found in findings:
        rule = found[0]
        others = [other for other in all_rules.values() if other is not rule]
        summarised = rule.role is Role.FALLBACK and any(other.covers(rule) for other in others)
        outdone = rule.role is Role.OUTCOME and any(rule.id in other.supersedes for other in others)
        if not summarised and not outdone:
            yield found


def _finding(match: _Match) -> Diagnosed:
    rule, block = match.rule, match.block
    found = {name: told(value.rstrip(",.;") or value) for name, value in _attributes(match).items()}
    evidence, line = quoted(block, match.hit.spans)
    made = _made(rule, found)
    demoted = Severity.WARNING if block.kind == "warning" and rule.severity is Severity.ERROR else rule.severity
    return replace(made, severity=demoted, evidence=evidence, stream=block.stream, line=line)


def _attributes(match: _Match) -> dict[str, str]:
    return {**attributes_of(match.block.flat, match.hit.end), **dict(match.hit.attributes)}


def _by_exit_code(rule: Rule, exit_code: int) -> Diagnosed:
    return _made(rule, {"exit_code": str(exit_code), "signal": str(-exit_code)})


def _made(rule: Rule, attributes: dict[str, str]) -> Diagnosed:
    title, cause, remedy = (worded(text, attributes) for text in (rule.title, rule.cause, rule.remedy))
    subject = next((attributes[name] for name in rule.subject if attributes.get(name)), rule.label or rule.family)
    return Diagnosed(
        code=rule.id,
        severity=rule.severity,
        subject=subject,
        message=f"{title}: {cause}" if cause else title,
        remedy=remedy,
        family=rule.family,
        title=title,
        cause=cause,
    )


def _ordered(findings: Iterable[tuple[Rule, Diagnosed, int]]) -> Iterator[Diagnosed]:
    """Errors first, the most specific first, each thing once."""
    ranked = sorted(findings, key=lambda found: (_RANK[found[1].severity], -found[0].weight, found[2]))
    named = {finding.code for rule, finding, _ in ranked if finding.subject != (rule.label or rule.family)}
    seen: set[tuple[str, str]] = set()
    for rule, finding, _ in ranked:
        if finding.subject == (rule.label or rule.family) and finding.code in named:
            # The same thing is told with its name elsewhere.
            continue
        if (finding.code, finding.subject) not in seen:
            seen.add((finding.code, finding.subject))
            yield finding


def _count_lines(text: str) -> int:
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)
