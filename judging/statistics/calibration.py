"""What labelled rows say about a judge's errors, ready to correct its verdicts on unlabelled ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from judging.statistics.counts import Counts
from judging.statistics.intervals import square_and_add, wilson_interval
from judging.statistics.values import Estimate, Figure, Undefined


class MissingAs(StrEnum):
    """How rows without a verdict enter a correction; labelled and unlabelled rows alike."""

    NOT_PASSED = "no verdict counts as not passed"
    """Not among the passes, and still among the rows: "pass" against everything else."""
    LEFT_OUT = "rows without a verdict are left out"


@dataclass(frozen=True)
class Share:
    """k of n rows."""

    k: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.k <= self.n:
            raise ValueError(f"{self.k} of {self.n} is not a share")

    @property
    def value(self) -> float:
        """The share; needs rows."""
        return self.k / self.n


@dataclass(frozen=True)
class Calibration:
    """What labelled rows say about a judge's errors."""

    passes: Share
    """Of the person's passes, those the judge passed."""
    fails: Share
    """Of the person's fails, those the judge did not pass."""

    @classmethod
    def of(cls, counts: Counts, *, missing: MissingAs = MissingAs.NOT_PASSED) -> Calibration:
        """Take both shares from counts of labelled rows."""
        if missing is MissingAs.LEFT_OUT:
            return cls(Share(counts.tp, counts.tp + counts.fn), Share(counts.tn, counts.tn + counts.fp))
        return cls(Share(counts.tp, counts.passes), Share(counts.fails - counts.fp, counts.fails))


def youden_index(calibration: Calibration, *, confidence: float = 0.90) -> Figure:
    """Give TPR + TNR - 1 with its interval; undefined without passes or without fails.

    The default interval is the 90 % one, whose lower end is the one-sided 95 % bound: whether a judge
    is better than guessing is a question about one side only.
    """
    passes, fails = calibration.passes, calibration.fails
    if passes.n == 0 or fails.n == 0:
        return Undefined(f"no data: no labelled {'passes' if passes.n == 0 else 'fails'}")
    interval = square_and_add(
        [passes.value, fails.value],
        [wilson_interval(share.value, share.n, confidence=confidence) for share in (passes, fails)],
    )
    return Estimate(
        # In whole numbers, so that a guessing judge is at 0 and not at 1e-17.
        (passes.k * fails.n + fails.k * passes.n - passes.n * fails.n) / (passes.n * fails.n),
        interval.low - 1,
        interval.high - 1,
        n=passes.n + fails.n,
        method=f"square-and-add of Wilson {confidence:.0%}",
    )
