"""Operators on values that are known, and of the type that the operator wants."""

from __future__ import annotations

from decimal import Decimal

from kumoss_console.model.hcl.numbers import CONTEXT, is_number, whole
from kumoss_console.model.hcl.types import Unresolved, kind_of

EQUALITY = frozenset({"==", "!="})
LOGIC = frozenset({"&&", "||"})


def equal(left: object, right: object) -> bool:
    if is_number(left) and is_number(right):
        return left == right
    return kind_of(left) == kind_of(right) and left == right


def arithmetic(operator: str, left: int | Decimal, right: int | Decimal) -> object:
    """A number, or a truth for a comparison; unresolved where the engine alone says what comes of it."""
    if operator in {"<", "<=", ">", ">="}:
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator]
    if operator in {"/", "%"} and right == 0:
        return Unresolved(reason="it divides by zero")
    a, b = Decimal(left), Decimal(right)
    if max(abs(a.adjusted()), abs(b.adjusted())) > CONTEXT.prec // 3:
        return Unresolved(reason="the numbers are too large")
    if operator == "+":
        return whole(CONTEXT.add(a, b))
    if operator == "-":
        return whole(CONTEXT.subtract(a, b))
    if operator == "*":
        return whole(CONTEXT.multiply(a, b))
    if operator == "%":
        return whole(CONTEXT.remainder(a, b))
    quotient = CONTEXT.divide(a, b)
    return whole(quotient) if CONTEXT.multiply(quotient, b) == a else Unresolved(reason="the fraction has no end")
