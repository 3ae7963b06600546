"""Pairs judged in both orders: position bias, and accuracy under named rules.

Verdicts come by the answers' own names ("A", "B" or "tie"), already mapped back from the slots in
which they were shown. None is no verdict: it is never a tie, never agrees with another missing
verdict, and is wrong under every rule. (The LLMBar authors' script counts two unreadable verdicts as
agreeing: once in the files we compared with, PaLM2/CoT on Natural; here it does not.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from judging.statistics.intervals import CONFIDENCE, wilson_interval
from judging.statistics.rates import proportion
from judging.statistics.values import Estimate, Figure, Undefined

A: Final = "A"
B: Final = "B"
TIE: Final = "tie"
WINNERS: Final = (A, B, TIE, None)
"""The order of the rows and columns of `SwapSummary.table`."""

NO_PAIRS = "no data: there are no pairs"
NO_BOTH_ORDERS = "no data: no pair has a verdict in both orders"
NO_GOLD = "no data: no pair has a known better answer"


class PairKind(StrEnum):
    """What the two verdicts on one pair say about position."""

    CONSISTENT = "consistent"
    """The same answer won both times, or it was a tie both times."""
    FIRST_BIASED = "first-biased"
    """The answer shown first won both times."""
    SECOND_BIASED = "second-biased"
    """The answer shown second won both times."""
    HALF = "half-consistent"
    """One tie and one winner."""
    NO_VERDICT = "no verdict"
    """At least one order has none."""


@dataclass(frozen=True)
class PairVerdict:
    """One pair's verdicts in both orders, and what is known of the pair."""

    first: str | None
    """Winner when A was shown first (order AB)."""
    second: str | None
    """Winner when B was shown first (order BA)."""
    gold: str | None = None
    """The better answer; None: not known."""
    longer: str | None = None
    """Which answer is longer; None: neither."""

    def __post_init__(self) -> None:
        for word in (self.first, self.second, self.gold):
            if word not in WINNERS:
                raise ValueError(f"the winner of a pair is A, B, tie or None, not {word!r}")
        if self.longer not in (A, B, None):
            raise ValueError(f"the longer answer is A, B or None, not {self.longer!r}")

    @property
    def usable(self) -> bool:
        """Whether there is a verdict in both orders."""
        return self.first is not None and self.second is not None

    @property
    def kind(self) -> PairKind:
        """What the two verdicts say about position."""
        if not self.usable:
            return PairKind.NO_VERDICT
        if self.first == self.second:
            return PairKind.CONSISTENT
        if TIE in (self.first, self.second):
            return PairKind.HALF
        return PairKind.FIRST_BIASED if self.first == A else PairKind.SECOND_BIASED

    @property
    def mt_bench(self) -> str | None:
        """The winner by MT-bench's rule: named in both orders, else a tie; None without both verdicts."""
        if not self.usable:
            return None
        return self.first if self.first == self.second else TIE


def _right_ab(row: PairVerdict) -> float:
    return row.first == row.gold


def _right_ba(row: PairVerdict) -> float:
    return row.second == row.gold


def _right_both(row: PairVerdict) -> float:
    return row.first == row.gold == row.second


def _right_mt_bench(row: PairVerdict) -> float:
    return row.mt_bench == row.gold


def _right_tie_half(row: PairVerdict) -> float:
    return 0.5 if row.mt_bench == TIE != row.gold else _right_mt_bench(row)


ACCURACY_RULES: Final[dict[str, Callable[[PairVerdict], float]]] = {
    "AB": _right_ab,
    "BA": _right_ba,
    "both": _right_both,
    "mt_bench": _right_mt_bench,
    "tie_half": _right_tie_half,
}
"""Points for a pair whose gold is known, by rule: single order AB; single order BA; both orders right; the
MT-bench winner right (so two opposite verdicts are right where gold is a tie); the same, but a tie where
gold names a winner counts half."""


@dataclass(frozen=True)
class SwapSummary:
    """A pairwise judge over both orders. The five counts add up to `pairs`."""

    pairs: int
    consistent: int
    first_biased: int
    second_biased: int
    half: int
    no_verdict: int
    agreement: Figure
    """Consistent pairs among those with both verdicts."""
    agreement_strict: Figure
    """Consistent pairs among all: a missing verdict agrees with nothing. As LLMBar's positional agreement."""
    a_wins: int
    """Pairs that A won in both orders."""
    b_wins: int
    ties: int
    """Pairs called a tie in both orders."""
    average_accuracy: Figure
    """Right verdicts over both orders, of twice the pairs with gold; no verdict is wrong."""
    accuracy: dict[str, Figure]
    """Against gold, under each of `ACCURACY_RULES`."""
    prefers_longer: Figure
    """Of the verdicts naming a winner where lengths differ, the share for the longer answer."""
    gold_prefers_longer: Figure
    """The same of gold: what a judge without a taste for length would come near."""
    table: tuple[tuple[int, ...], ...]
    """Pairs by winner in order AB (rows) and order BA (columns), both in the order of `WINNERS`."""


def swap_summary(rows: Iterable[PairVerdict], *, confidence: float = CONFIDENCE) -> SwapSummary:
    """Summarise pairs judged in both orders."""
    pairs = _tally(rows)
    gold = {row: count for row, count in pairs.items() if row.gold is not None}
    kinds: Counter[PairKind] = Counter()
    winners: Counter[str | None] = Counter()
    for row, count in pairs.items():
        kinds[row.kind] += count
        if row.kind is PairKind.CONSISTENT:
            winners[row.first] += count
    consistent, missing = kinds[PairKind.CONSISTENT], kinds[PairKind.NO_VERDICT]
    return SwapSummary(
        pairs=kinds.total(),
        consistent=consistent,
        first_biased=kinds[PairKind.FIRST_BIASED],
        second_biased=kinds[PairKind.SECOND_BIASED],
        half=kinds[PairKind.HALF],
        no_verdict=missing,
        agreement=proportion(
            consistent, kinds.total() - missing, empty=NO_BOTH_ORDERS, confidence=confidence
        ),
        agreement_strict=proportion(consistent, kinds.total(), empty=NO_PAIRS, confidence=confidence),
        a_wins=winners[A],
        b_wins=winners[B],
        ties=winners[TIE],
        average_accuracy=_average_accuracy(gold, confidence),
        accuracy={name: _points(gold, rule, confidence) for name, rule in ACCURACY_RULES.items()},
        prefers_longer=_judge_prefers_longer(pairs, confidence),
        gold_prefers_longer=_gold_prefers_longer(pairs, confidence),
        table=_table(pairs),
    )


_Tally = Mapping[PairVerdict, int]
"""How often each different pair came up: at most 192, so that a million pairs cost one pass."""


def _tally(rows: Iterable[PairVerdict]) -> _Tally:
    seen = Counter((row.first, row.second, row.gold, row.longer) for row in rows)
    return {PairVerdict(*words): count for words, count in seen.items()}


def _table(pairs: _Tally) -> tuple[tuple[int, ...], ...]:
    cells: Counter[tuple[str | None, str | None]] = Counter()
    for row, count in pairs.items():
        cells[row.first, row.second] += count
    return tuple(tuple(cells[first, second] for second in WINNERS) for first in WINNERS)


def _average_accuracy(gold: _Tally, confidence: float) -> Figure:
    right = sum(((row.first == row.gold) + (row.second == row.gold)) * n for row, n in gold.items())
    n = sum(gold.values())
    return _over_both_orders(right, 2 * n, pairs=n, empty=NO_GOLD, confidence=confidence)


def _over_both_orders(k: int, n: int, *, pairs: int, empty: str, confidence: float) -> Figure:
    """Give k of n verdicts, with an interval as if each pair had given one verdict.

    The two verdicts on a pair hang together; counted as two rows they would promise too much.
    """
    if n == 0:
        return Undefined(empty)
    interval = wilson_interval(k / n, pairs, confidence=confidence)
    return Estimate(k / n, interval.low, interval.high, k, n, f"Wilson {confidence:.0%} over {pairs} pairs")


def _points(gold: _Tally, rule: Callable[[PairVerdict], float], confidence: float) -> Figure:
    if not gold:
        return Undefined(NO_GOLD)
    n = sum(gold.values())
    points = sum(rule(row) * count for row, count in gold.items())
    halves = any(rule(row) == 0.5 for row in gold)
    interval = wilson_interval(points / n, n, confidence=confidence)
    return Estimate(
        points / n,
        interval.low,
        interval.high,
        None if halves else int(points),
        n,
        f"Wilson {confidence:.0%}",
    )


def _judge_prefers_longer(pairs: _Tally, confidence: float) -> Figure:
    longer = named = rows = 0
    for row, count in pairs.items():
        winners = [word for word in (row.first, row.second) if word in (A, B)]
        if row.longer is not None and winners:
            longer += winners.count(row.longer) * count
            named += len(winners) * count
            rows += count
    return _over_both_orders(
        longer,
        named,
        pairs=rows,
        empty="no data: no verdict names a winner between answers of different length",
        confidence=confidence,
    )


def _gold_prefers_longer(pairs: _Tally, confidence: float) -> Figure:
    known = {row: n for row, n in pairs.items() if row.longer is not None and row.gold in (A, B)}
    return proportion(
        sum(n for row, n in known.items() if row.gold == row.longer),
        sum(known.values()),
        empty="no data: no known better answer between answers of different length",
        confidence=confidence,
    )
