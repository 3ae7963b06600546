"""A judge's verdicts against a person's, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

PASS = "pass"
FAIL = "fail"


@dataclass(frozen=True)
class Counts:
    """Six counts of rows that a person passed or failed; "pass" is the positive class."""

    tp: int = 0
    """Person pass, judge pass."""
    fn: int = 0
    """Person pass, judge fail."""
    fp: int = 0
    """Person fail, judge pass: waved through."""
    tn: int = 0
    """Person fail, judge fail: caught."""
    no_verdict_pass: int = 0
    """Person pass, judge gave no verdict."""
    no_verdict_fail: int = 0
    """Person fail, judge gave no verdict."""

    def __post_init__(self) -> None:
        if min(self.tp, self.fn, self.fp, self.tn, self.no_verdict_pass, self.no_verdict_fail) < 0:
            raise ValueError(f"counts cannot be negative: {self}")

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str | None]]) -> Counts:
        """Count (person, judge) pairs.

        A judge's word other than "pass" or "fail", and None, is no verdict: never guessed.

        Raises:
            ValueError: A person's word is neither "pass" nor "fail": such rows cannot be compared,
                and leaving them out here would change a denominator unseen.
        """
        seen = Counter((person, judge if judge in (PASS, FAIL) else None) for person, judge in pairs)
        for person, _ in seen:
            if person not in (PASS, FAIL):
                raise ValueError(f"a person's label must be pass or fail, not {person!r}")
        return cls(
            tp=seen[PASS, PASS],
            fn=seen[PASS, FAIL],
            fp=seen[FAIL, PASS],
            tn=seen[FAIL, FAIL],
            no_verdict_pass=seen[PASS, None],
            no_verdict_fail=seen[FAIL, None],
        )

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.tp + other.tp,
            self.fn + other.fn,
            self.fp + other.fp,
            self.tn + other.tn,
            self.no_verdict_pass + other.no_verdict_pass,
            self.no_verdict_fail + other.no_verdict_fail,
        )

    @property
    def passes(self) -> int:
        """Rows the person passed."""
        return self.tp + self.fn + self.no_verdict_pass

    @property
    def fails(self) -> int:
        """Rows the person failed."""
        return self.fp + self.tn + self.no_verdict_fail

    @property
    def total(self) -> int:
        """All rows."""
        return self.passes + self.fails

    @property
    def no_verdict(self) -> int:
        """Rows without a verdict."""
        return self.no_verdict_pass + self.no_verdict_fail

    @property
    def answered(self) -> int:
        """Rows with a verdict."""
        return self.total - self.no_verdict

    @property
    def judged_pass(self) -> int:
        """Rows the judge passed."""
        return self.tp + self.fp

    @property
    def judged_fail(self) -> int:
        """Rows the judge failed."""
        return self.fn + self.tn

    @property
    def right(self) -> int:
        """Rows on which judge and person agree."""
        return self.tp + self.tn

    def against_judge(self) -> Counts:
        """Count every missing verdict as the wrong one: the `strict` reading's table."""
        return Counts(self.tp, self.fn + self.no_verdict_pass, self.fp + self.no_verdict_fail, self.tn)

    def answered_only(self) -> Counts:
        """Leave rows without a verdict out: the `answered` reading's table."""
        return Counts(self.tp, self.fn, self.fp, self.tn)
