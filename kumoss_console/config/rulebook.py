"""Loading diagnosis rules: those in the package, and what an operator added or changed in the configuration folder.

A rule of the operator's replaces the one with the same id. All faults of all files are reported at once, each with its file
and line. ``docs/diagnosis.md`` says how a rule is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kumoss_console.config.document import Unreadable, read_document
from kumoss_console.config.elements import Element
from kumoss_console.config.fields import Field, Section
from kumoss_console.config.nearest import did_you_mean
from kumoss_console.config.report import Problem, Report
from kumoss_console.config.rules import Choice, Flag, Nested, Number, Text
from kumoss_console.config.sections import read_section
from kumoss_console.config.xdg import config_dir
from kumoss_console.model.contract import JobKind
from kumoss_console.model.diagnosis.pattern import SHORTEST_NEEDLE, Pattern, fault
from kumoss_console.model.diagnosis.rule import Role, Rule, Rules
from kumoss_console.model.diagnosis.wording import demanded
from kumoss_console.model.finding import Severity
from kumoss_console.text import printable

PACKAGE_RULES = Path(__file__).parent.parent / "rules"
FOLDER = "rules"
"""Below the console's configuration folder."""

_ID = r"[a-z0-9_]+(\.[a-z0-9_]+)+"
_NAME = r"[a-z][a-z0-9_]{0,39}"
_SEVERITY = Choice(spellings={severity.value: severity for severity in Severity})
_ROLE = Choice(spellings={role.value: role for role in Role})
_PATTERNS = Nested(accepted="a list of patterns; a pattern is a text, or a list of texts that follow each other")
_STRINGS = Nested(accepted="a list of texts")

FILE = Section(
    path="",
    fields=(
        Field(name="family", rule=Text(accepted="a word in lower case", pattern=_NAME), doc="What its rules are about."),
        Field(name="label", rule=Text(at_most=80), doc="The subject of a finding where nothing better was found in the text."),
        Field(name="disable", rule=_STRINGS, doc="Ids of rules that are not wanted."),
        Field(name="rules", rule=Nested(accepted="a list of rules"), doc="The rules."),
    ),
)
RULE = Section(
    path="rules[]",
    fields=(
        Field(name="id", rule=Text(accepted="dotted words in lower case", pattern=_ID, at_most=80), doc="Stable name."),
        Field(name="severity", rule=_SEVERITY, doc="error, warning or info.", default="error"),
        Field(name="role", rule=_ROLE, doc="cause, outcome or fallback.", default="cause"),
        Field(
            name="weight",
            rule=Number(accepted="a whole number from 0 to 100", integer=True, low=0, high=100),
            doc="How specific it is: the highest is told first.",
            default="50 for a cause, 30 for an outcome, 10 for a fallback",
        ),
        Field(name="any", rule=_PATTERNS, doc="One of these is in the text."),
        Field(name="all", rule=_PATTERNS, doc="Each of these is in the text."),
        Field(name="unless", rule=_PATTERNS, doc="None of these is in the text."),
        Field(name="codes", rule=_STRINGS, doc="Error codes of an API, in whatever form a client prints them."),
        Field(
            name="named_codes", rule=_STRINGS, doc="Error codes that are ordinary words: only where the text calls them a code."
        ),
        Field(name="kinds", rule=_STRINGS, doc="Only for jobs of these kinds."),
        Field(name="exit_codes", rule=Nested(accepted="a list of whole numbers"), doc="Only for these exit codes."),
        Field(
            name="narration", rule=Flag(), doc="Also looks outside of errors, and at commands that succeeded.", default="false"
        ),
        Field(name="supersedes", rule=_STRINGS, doc="Ids, or globs of ids, that need not be told beside this one."),
        Field(name="subject", rule=_STRINGS, doc="Attributes; the first one found is the finding's subject."),
        Field(name="title", rule=Text(at_least=1, at_most=200), doc="What it means."),
        Field(name="cause", rule=Text(at_most=600), doc="The likely cause.", default="none"),
        Field(name="remedy", rule=Text(at_least=1, at_most=800), doc="What to do."),
    ),
)

_NEEDED = {"id": "dotted words in lower case", "title": "what it means", "remedy": "what to do"}


def load_rules(environ: Mapping[str, str]) -> Rules:
    """All rules in force. Raises :class:`~kumoss_console.errors.ConfigError` that names file, line and key of what is wrong."""
    report = Report()
    book = _Book(report)
    for path in sorted(PACKAGE_RULES.glob("*.yaml")):
        book.read(path)
    for path in own_files(environ):
        book.read(path)
    report.raise_if_any()
    return book.rules()


def own_files(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """The operator's rule files, in the order of their names."""
    return tuple(sorted((config_dir(environ) / FOLDER).glob("*.yaml")))


@dataclass(slots=True)
class _Book:
    report: Report
    found: dict[str, Rule] = field(default_factory=dict)
    disabled: list[tuple[str, Element]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def rules(self) -> Rules:
        unwanted = {rule_id for rule_id, _ in self.disabled}
        return Rules(tuple(rule for rule in self.found.values() if rule.id not in unwanted), tuple(self.files))

    def read(self, path: Path) -> None:
        self.files.append(str(path))
        try:
            root = read_document(path)
        except Unreadable as error:
            self.report.add(error.problem)
            return
        if root is None:
            return
        self.report.meet(root.file)
        reading = read_section(root, FILE, self.report, ours=True)
        family, label = reading.values.get("family"), reading.values.get("label", "")
        rules = reading.elements.get("rules")
        if rules is not None and family is None and "family" not in reading.elements:
            self._problem(root, "family: a word that says what its rules are about", "has rules and no family")
        mine: dict[str, int] = {}
        for element in _items(rules, self.report):
            rule = self._rule(element, family or "", label)
            if rule is not None and rule.id in mine:
                found = f"the id {rule.id} is also on line {mine[rule.id]}"
                self._problem(element, "each id once in a file", found)
            elif rule is not None:
                mine[rule.id] = element.line
                self.found[rule.id] = rule
        self._switch_off(reading.elements.get("disable"))

    def _switch_off(self, element: Element | None) -> None:
        for item, text in self._strings(element):
            if text not in self.found:
                self.report.add(item.problem("the id of a rule", hint=did_you_mean(text, self.found)))
            else:
                self.disabled.append((text, item))

    def _rule(self, element: Element, family: str, label: str) -> Rule | None:
        before = len(self.report.problems)
        reading = read_section(element, RULE, self.report, ours=True)
        values, elements = reading.values, reading.elements
        for name, wanted in _NEEDED.items():
            if name not in elements:
                self._problem(element, f"{name}: {wanted}", f"has no {name}")
        role: Role = values.get("role", Role.CAUSE)
        rule = Rule(
            id=values.get("id", ""),
            family=family,
            severity=values.get("severity", Severity.ERROR),
            title=values.get("title", ""),
            cause=values.get("cause", ""),
            remedy=values.get("remedy", ""),
            any=(
                *self._patterns(elements.get("any")),
                *self._codes(elements.get("codes"), code_patterns),
                *self._codes(elements.get("named_codes"), named_code_patterns),
            ),
            every=self._patterns(elements.get("all")),
            unless=self._patterns(elements.get("unless")),
            kinds=self._kinds(elements.get("kinds")),
            exit_codes=self._numbers(elements.get("exit_codes")),
            role=role,
            weight=values.get("weight", role.weight),
            narration=values.get("narration", False),
            supersedes=tuple(text for _, text in self._strings(elements.get("supersedes"))),
            subject=tuple(text for _, text in self._strings(elements.get("subject"))),
            label=label,
        )
        if len(self.report.problems) == before:
            self._check(rule, element, elements)
        return rule if len(self.report.problems) == before else None

    def _check(self, rule: Rule, element: Element, elements: Mapping[str, Element]) -> None:
        """What can only be wrong with a rule whose parts are right."""
        if rule.by_exit_code and not rule.exit_codes:
            self._problem(element, "any, all, codes, named_codes or exit_codes", "has nothing to be recognised by")
            return
        certain = {"exit_code", "signal"} if rule.by_exit_code else _certain(rule)
        for name in ("title", "cause", "remedy"):
            text = getattr(rule, name)
            for missing in sorted(demanded(text) - certain):
                found = f"{{{missing}}} is not in every text that the rule recognises"
                self._problem(elements[name], f"{{{missing}|what to say without it}}", found)

    def _patterns(self, element: Element | None) -> tuple[Pattern, ...]:
        found = []
        for item in _items(element, self.report):
            steps = tuple(text for _, text in self._strings(item)) if item.kind == "list" else self._text(item)
            if not steps:
                continue
            pattern = Pattern(steps)
            reason = next((reason for step in steps if (reason := fault(step))), "")
            if reason:
                self._problem(item, "a regular expression of bounded length", f"cannot be used as a pattern: {reason}")
            elif not pattern.needles:
                accepted = f"a pattern with at least {SHORTEST_NEEDLE} plain characters in a row"
                self._problem(item, accepted, "has no plain words to be looked for")
            else:
                found.append(pattern)
        return tuple(found)

    def _codes(self, element: Element | None, patterns: Callable[[str], tuple[Pattern, ...]]) -> tuple[Pattern, ...]:
        return tuple(pattern for _, text in self._strings(element) for pattern in patterns(text))

    def _kinds(self, element: Element | None) -> frozenset[JobKind]:
        kinds = {kind.value: kind for kind in JobKind}
        found = set()
        for item, text in self._strings(element):
            if text in kinds:
                found.add(kinds[text])
            else:
                self.report.add(item.problem(", ".join(kinds), hint=did_you_mean(text, kinds)))
        return frozenset(found)

    def _numbers(self, element: Element | None) -> frozenset[int]:
        found = set()
        for item in _items(element, self.report):
            value = item.scalar() if item.kind == "scalar" else None
            if isinstance(value, int) and not isinstance(value, bool):
                found.add(value)
            else:
                self.report.add(item.problem("a whole number"))
        return frozenset(found)

    def _strings(self, element: Element | None) -> Iterator[tuple[Element, str]]:
        for item in _items(element, self.report):
            for text in self._text(item):
                yield item, text

    def _text(self, item: Element) -> tuple[str, ...]:
        value: Any = item.scalar() if item.kind == "scalar" else None
        if isinstance(value, str) and value:
            return (value,)
        hint = "put it in quotes to make it a text" if value is not None else ""
        self.report.add(item.problem("a text", hint=hint))
        return ()

    def _problem(self, element: Element, accepted: str, found: str) -> None:
        problem: Problem = element.problem(accepted, found=found)
        self.report.add(problem)


def _items(element: Element | None, report: Report) -> tuple[Element, ...]:
    if element is None:
        return ()
    if element.kind != "list":
        report.add(element.problem("a list"))
        return ()
    return element.items()


def _certain(rule: Rule) -> frozenset[str]:
    """Attributes that are there however the rule was recognised."""
    always = frozenset().union(*(pattern.groups for pattern in rule.every)) if rule.every else frozenset()
    either = frozenset.intersection(*(pattern.groups for pattern in rule.any)) if rule.any else frozenset()
    return always | either


def named_code_patterns(code: str) -> tuple[Pattern, ...]:
    """Patterns for an API's error code where a client calls it one: the SDKs of AWS (both), Azure and Python, XML and JSON."""
    escaped = re.escape(code)
    meaning = (("code", printable(code)),)
    called = "|".join(
        (
            r"api error ",
            r"[Cc]ode(?:=|: ?|\": ?)\"?",
            r"CODE: ",
            r"<Code>",
            r"(?<!\w)\(",
            r"#",
            r"with ",
            r"(?:RequestID|HostID): [^,]{0,200}, ",
        )
    )
    named = rf"(?:{called}){escaped}(?![\w-])"
    return (Pattern((named,), meaning), Pattern((rf"(?<![\w.-]){escaped}: ", r"status code: \d{3}"), meaning))


def code_patterns(code: str) -> tuple[Pattern, ...]:
    """Those, and the code as a word by itself before a message or at the end.

    A code in the middle of a sentence is a word about the error, not the error.
    """
    alone = rf"(?:^|[\s\"':,]){re.escape(code)}(?=[:,]|$)"
    return (*named_code_patterns(code), Pattern((alone,), (("code", printable(code)),)))
