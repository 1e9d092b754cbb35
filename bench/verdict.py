"""A line of the table of targets: what was asked, what was measured, and whether that is enough."""

import operator
from collections.abc import Callable
from typing import NamedTuple

PASS, SHORT, NOT_MEASURED, REPORTED = "pass", "short", "not measured", "reported"

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "≤": operator.le,
    "<": operator.lt,
    "≥": operator.ge,
}


class Line(NamedTuple):
    """Words for a reader."""

    target: str
    case: str
    measured: str
    asked: str
    verdict: str


class Target(NamedTuple):
    """What is asked of a number, and how the number is written."""

    name: str
    comparison: str
    bound: float
    layout: str = "{:.3g}"

    def asked(self) -> str:
        return f"{self.comparison} {self.layout.format(self.bound)}"

    def missing(self, case: str = "", measured: str = "–") -> Line:
        """A line for what was not measured, or not as asked."""
        return Line(self.name, case, measured, self.asked(), NOT_MEASURED)

    def judge(self, value: float | None, case: str = "") -> Line:
        """The verdict on a number."""
        if value is None:
            return self.missing(case)
        enough = COMPARISONS[self.comparison](value, self.bound)
        shown = self.layout.format(value)
        return Line(self.name, case, shown, self.asked(), PASS if enough else SHORT)


def reported(name: str, value: float | None, layout: str) -> Line:
    """A number of which nothing is asked."""
    if value is None:
        return Line(name, "", "–", "–", NOT_MEASURED)
    return Line(name, "", layout.format(value), "–", REPORTED)
