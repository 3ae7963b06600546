"""Ablation of a pipeline: what each step adds to accuracy over the same rows, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from judging.statistics.frontier import Frontier, frontier
from judging.statistics.intervals import CONFIDENCE, Interval
from judging.statistics.rates import proportion
from judging.statistics.twobytwo import mcnemar_exact
from judging.statistics.values import Figure

RESAMPLES: Final = 10_000
"""Resamples behind a bootstrap interval."""
FEW_ROWS: Final = 10
"""Cells with fewer rows are marked."""
NO_FIELD: Final = "(none)"
"""Category of rows that do not have the field."""


@dataclass(frozen=True)
class Step:
    """One configuration of a pipeline: which rows it got right, and what each row took."""

    name: str
    right: Mapping[str, bool]
    """By row id; a row without a readable verdict is wrong, not missing."""
    cost_usd: Mapping[str, float] = field(default_factory=dict)
    """US dollars by row id; a row that is not here has no known cost."""
    output_tokens: Mapping[str, int] = field(default_factory=dict)
    input_tokens: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Delta:
    """What one step gets right more often than another, over the same rows."""

    before: str
    after: str
    value: float
    """Share of rows, -1 to 1."""
    low: float
    high: float
    p_value: float
    """Exact McNemar, two-sided."""
    rescued: tuple[str, ...]
    """Rows only the later step got right."""
    lost: tuple[str, ...]
    """Rows only the earlier step got right."""
    method: str


@dataclass(frozen=True)
class StepResult:
    """One step over the rows that all steps have."""

    name: str
    right: int
    rows: int
    accuracy: Figure
    """With Wilson's interval."""
    delta: Delta | None
    """To the step before; None for the first."""
    cost_usd: float | None
    """Over all compared rows; None where any row's is unknown."""
    output_tokens: int | None
    input_tokens: int | None
    missing: int
    """Rows that another step has and this one has not."""

    def per_row(self, amount: float | None) -> float | None:
        """Divide an amount by the compared rows; unknown stays unknown."""
        return None if amount is None else amount / self.rows


@dataclass(frozen=True)
class Ablation:
    """Steps of a pipeline over the rows that all of them have."""

    rows: tuple[str, ...]
    left_out: int
    """Rows that some step has and another has not."""
    steps: tuple[StepResult, ...]
    total: Delta | None
    """From the first step to the last; None with a single step."""
    adds_up: bool
    """Whether every identity of `identities_hold` does."""
    frontier: Frontier


@dataclass(frozen=True)
class CategoryRow:
    """The steps' accuracies in one category."""

    category: str
    rows: int
    accuracies: tuple[Figure, ...]
    """In the order of the steps."""
    few: bool
    """Fewer than `FEW_ROWS` rows: not much can be said."""


def ablation(
    steps: Sequence[Step], *, seed: int = 0, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> Ablation:
    """Compare steps over the rows that all of them have, each with the step before it.

    Args:
        steps: In the order of the pipeline, each under a name of its own.
        seed: Of the bootstrap.
        resamples: How often the rows are drawn anew.
        confidence: Of all intervals.

    Raises:
        ValueError: No steps, a name twice, or no row that all steps have.
    """
    names = [step.name for step in steps]
    if not steps or len(set(names)) < len(names):
        raise ValueError(f"an ablation takes steps with different names, not {names}")
    rows = common_rows(steps)
    if not rows:
        raise ValueError("the steps have no row in common")
    everywhere = set().union(*(step.right for step in steps))
    deltas = [
        paired_delta(*pair, rows, seed=seed, resamples=resamples, confidence=confidence)
        for pair in pairwise(steps)
    ]
    results = tuple(
        _result(step, rows, delta, len(everywhere) - len(step.right), confidence)
        for step, delta in zip(steps, [None, *deltas], strict=True)
    )
    total = (
        paired_delta(steps[0], steps[-1], rows, seed=seed, resamples=resamples, confidence=confidence)
        if deltas
        else None
    )
    return Ablation(
        rows=rows,
        left_out=len(everywhere) - len(rows),
        steps=results,
        total=total,
        adds_up=identities_hold([one.right for one in results], deltas, total),
        frontier=_frontier(results, len(rows)),
    )


def common_rows(steps: Sequence[Step]) -> tuple[str, ...]:
    """Give the rows that all steps have, in the order of the first."""
    return tuple(row for row in steps[0].right if all(row in step.right for step in steps[1:]))


def _result(
    step: Step, rows: Sequence[str], delta: Delta | None, missing: int, confidence: float
) -> StepResult:
    right = sum(step.right[row] for row in rows)
    costs = [step.cost_usd.get(row) for row in rows]
    known = [cost for cost in costs if cost is not None]
    return StepResult(
        name=step.name,
        right=right,
        rows=len(rows),
        accuracy=proportion(right, len(rows), confidence=confidence),
        delta=delta,
        cost_usd=sum(known) if len(known) == len(rows) else None,
        output_tokens=_tokens(step.output_tokens, rows),
        input_tokens=_tokens(step.input_tokens, rows),
        missing=missing,
    )


def _tokens(spent: Mapping[str, int], rows: Sequence[str]) -> int | None:
    return sum(spent[row] for row in rows) if all(row in spent for row in rows) else None


def paired_delta(
    before: Step,
    after: Step,
    rows: Sequence[str],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Delta:
    """Compare two steps row by row.

    Args:
        before: The earlier step.
        after: The later one.
        rows: At least one; both steps have all of them.
        seed: Of the bootstrap.
        resamples: How often the rows are drawn anew.
        confidence: Of the interval.
    """
    rescued = tuple(row for row in rows if after.right[row] and not before.right[row])
    lost = tuple(row for row in rows if before.right[row] and not after.right[row])
    value = (len(rescued) - len(lost)) / len(rows)
    interval = paired_interval(
        len(rescued), len(lost), len(rows), seed=seed, resamples=resamples, confidence=confidence
    )
    return Delta(
        before=before.name,
        after=after.name,
        value=value,
        low=interval.low,
        high=interval.high,
        p_value=mcnemar_exact(len(lost), len(rescued)).p_value,
        rescued=rescued,
        lost=lost,
        method=f"bootstrap {confidence:.0%} over rows, seed {seed}",
    )


def paired_interval(
    rescued: int,
    lost: int,
    n: int,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Give the percentile bootstrap interval of (rescued - lost) / n over rows.

    A row counts +1, 0 or -1, so drawing n rows anew is one multinomial draw of three counts. Half a row
    is added to `rescued` and to `lost`: without it, two steps that never differed on a few rows would
    have an interval of width 0.

    Source: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
    """
    import numpy as np  # a tenth of a second to import: only when asked for

    gains, losses = rescued + 0.5, lost + 0.5
    chances = np.array([gains, losses, n + 1 - gains - losses]) / (n + 1)
    drawn = np.random.default_rng(seed).multinomial(n, chances, size=resamples)
    tail = (1 - confidence) / 2
    low, high = np.quantile((drawn[:, 0] - drawn[:, 1]) / n, [tail, 1 - tail])
    return Interval(float(low), float(high)).holding((rescued - lost) / n)


def identities_hold(right: Sequence[int], deltas: Sequence[Delta], total: Delta | None) -> bool:
    """Say whether the deltas add up, in whole rows, so that no rounding can hide a gap.

    Each delta has to be the rows only its later step got right less those only its earlier one did,
    and also the difference of the two steps' rows right; the total has to be the sum of the deltas.

    Args:
        right: Rows right by step.
        deltas: One between each two neighbours.
        total: From the first to the last step.
    """
    gains = [len(delta.rescued) - len(delta.lost) for delta in deltas]
    if gains != [after - before for before, after in pairwise(right)]:
        return False
    return total is None or len(total.rescued) - len(total.lost) == sum(gains) == right[-1] - right[0]


def _frontier(results: Sequence[StepResult], rows: int) -> Frontier:
    amounts = {
        "US dollars per row": [one.per_row(one.cost_usd) for one in results],
        "output tokens per row": [one.per_row(one.output_tokens) for one in results],
    }
    return frontier([one.name for one in results], [one.right / rows for one in results], amounts)


def by_category(
    steps: Sequence[Step], categories: Mapping[str, str], *, confidence: float = CONFIDENCE
) -> tuple[CategoryRow, ...]:
    """Give the steps' accuracies by category, over the rows that all steps have; largest first.

    Args:
        steps: As for `ablation`.
        categories: By row id; rows that are not here fall under `NO_FIELD`.
        confidence: Of the intervals.
    """
    rows = common_rows(steps)
    sizes = Counter(categories.get(row, NO_FIELD) for row in rows)
    hits = [Counter(categories.get(row, NO_FIELD) for row in rows if step.right[row]) for step in steps]
    return tuple(
        CategoryRow(
            category=category,
            rows=size,
            accuracies=tuple(proportion(hit[category], size, confidence=confidence) for hit in hits),
            few=size < FEW_ROWS,
        )
        for category, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    )
