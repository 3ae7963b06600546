"""What to make of a pass/fail judge's figures: one sentence and its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from judging.statistics.binary import BinaryFigures
from judging.statistics.counts import Counts
from judging.statistics.planning import LabelPlan, more_labels_needed
from judging.statistics.values import Estimate, Figure, Undefined
from judging.statistics.wording import per_cent

_INVERTED_KAPPA = -0.5
"""Disagreement this far beyond chance is hardly a judge's: the labels are likely swapped."""
_NEARLY_NONE = 0.1
"""A rate no higher than this, of a judge that says nearly always the same, checks nothing."""
_NEARLY_ALL = 0.8


class AdviceCode(StrEnum):
    """Which advice it is, for scripts."""

    NO_DATA = "no-data"
    ONE_CLASS = "one-class"
    NO_VERDICTS = "no-verdicts"
    INVERTED = "inverted"
    PASSES_EVERYTHING = "passes-everything"
    FAILS_EVERYTHING = "fails-everything"
    BOTH_LOW = "both-low"
    TOO_LENIENT = "too-lenient"
    TOO_STRICT = "too-strict"
    TOO_FEW_LABELS = "too-few-labels"
    GOOD_ENOUGH = "good-enough"


@dataclass(frozen=True)
class Advice:
    """What to do next about a judge."""

    text: str
    """One sentence."""
    reason: str
    """The figures it rests on."""
    code: AdviceCode


def advise(figures: BinaryFigures, *, target: float = 0.9, floor: float = 0.8) -> Advice:
    """Say in one sentence how good a judge is and what to do next.

    It speaks of the `strict` reading. The first that holds of: no data, labels of one class only, no
    verdicts, labels inverted, a judge that always says the same, rates short of the target (because
    of missing verdicts, or on both sides, or on one), too few labels to promise the target, good enough.

    Args:
        figures: Both readings.
        target: What both rates shall reach.
        floor: Below this a judge is not fit for use, and the sentence says so.
    """
    counts = figures.counts
    tpr, tnr = figures.strict.tpr, figures.strict.tnr
    reason = f"TPR {_rate_text(tpr)}; TNR {_rate_text(tnr)}"
    if counts.total == 0:
        return Advice("Nothing to compare yet: label some judged rows.", "no rows", AdviceCode.NO_DATA)
    if isinstance(tpr, Undefined) or isinstance(tnr, Undefined):
        have, lack = ("passes", "fails") if isinstance(tnr, Undefined) else ("fails", "passes")
        text = f"Only {have} are labelled: label {lack} too, or nobody can tell whether it checks anything."
        return Advice(text, reason, AdviceCode.ONE_CLASS)
    rates = _Rates(tpr, tnr, target, reason)
    return (
        _broken(figures, reason)
        or _short(figures, rates, floor=floor)
        or _uncertain(rates)
        or Advice(
            f"Good enough: both rates are at least {_percent(target)}, and so are the lower ends "
            "of their intervals.",
            reason,
            AdviceCode.GOOD_ENOUGH,
        )
    )


@dataclass(frozen=True)
class _Rates:
    """The two rates of the strict reading and what they shall reach."""

    tpr: Estimate
    tnr: Estimate
    target: float
    reason: str


def _broken(figures: BinaryFigures, reason: str) -> Advice | None:
    """Recognise a judge whose figures say that something is broken rather than inexact."""
    counts, answered = figures.counts, figures.answered
    if counts.answered == 0:
        text = f"No verdict on any of the {counts.total} rows: look at the errors first."
        return Advice(text, reason, AdviceCode.NO_VERDICTS)
    kappa = answered.kappa
    if isinstance(kappa, Estimate) and kappa.value <= _INVERTED_KAPPA:
        text = "The labels may be inverted: the judge says the opposite of the person more often than not."
        return Advice(text, f"kappa {kappa.value:.2f}; {reason}", AdviceCode.INVERTED)
    share = counts.judged_pass / counts.answered
    if share >= _NEARLY_ALL and _at_most(answered.tnr, _NEARLY_NONE):
        text = (
            f"It waves everything through: it passed {counts.judged_pass} of {counts.answered} rows and "
            f"caught {counts.tn} of {counts.fails} fails."
        )
        return Advice(text, _beside_always_pass(counts, reason), AdviceCode.PASSES_EVERYTHING)
    if 1 - share >= _NEARLY_ALL and _at_most(answered.tpr, _NEARLY_NONE):
        text = (
            f"It fails everything: it failed {counts.judged_fail} of {counts.answered} rows and "
            f"passed {counts.tp} of {counts.passes} passes."
        )
        return Advice(text, reason, AdviceCode.FAILS_EVERYTHING)
    return None


def _beside_always_pass(counts: Counts, reason: str) -> str:
    return (
        f"{reason}; right on {counts.right} of {counts.total} rows, where always saying pass is right on "
        f"{counts.passes}"
    )


def _short(figures: BinaryFigures, rates: _Rates, *, floor: float) -> Advice | None:
    """Say which rates miss the target, if any."""
    counts, tpr, tnr = figures.counts, rates.tpr, rates.tnr
    target, reason = rates.target, rates.reason
    low_tpr, low_tnr = tpr.value < target, tnr.value < target
    if not (low_tpr or low_tnr):
        return None
    if _at_least(figures.answered.tpr, target) and _at_least(figures.answered.tnr, target):
        text = (
            f"{counts.no_verdict} of {counts.total} rows have no verdict and count against it: find out why, "
            f"for both rates reach {_percent(target)} on the rows it answered."
        )
        return Advice(text, reason, AdviceCode.NO_VERDICTS)
    bar = _bar(min(tpr.value, tnr.value), target, floor)
    share_caught, share_passed = (_percent(rate.value, target, floor) for rate in (tnr, tpr))
    caught = f"it caught {tnr.k} of {tnr.n} fails ({share_caught}{_silent(counts.no_verdict_fail)})"
    passed = f"passed {tpr.k} of {tpr.n} passes ({share_passed}{_silent(counts.no_verdict_pass)})"
    if low_tpr and low_tnr:
        text = f"Both rates are low: {caught} and {passed}, {bar}; make the standard or its facts clearer."
        return Advice(text, reason, AdviceCode.BOTH_LOW)
    if low_tnr:
        text = f"Too lenient: {caught}, {bar}; read the {counts.fp} it waved through."
        return Advice(text, reason, AdviceCode.TOO_LENIENT)
    text = f"Too strict: it {passed}, {bar}; read the {counts.fn} it failed."
    return Advice(text, reason, AdviceCode.TOO_STRICT)


def _uncertain(rates: _Rates) -> Advice | None:
    """Say how many labels are missing where a rate reaches the target but its lower end does not."""
    have, more = [], []
    for rate, word in ((rates.tnr, "fails"), (rates.tpr, "passes")):
        if rate.k is None or rate.n is None or rate.low is None or rate.low >= rates.target:
            continue
        have.append(f"{rate.n} {word}")
        plan = more_labels_needed(rate.k, rate.n, rates.target)
        if isinstance(plan, LabelPlan):
            more.append(f"{plan.n - rate.n} more {word}")
    if not have:
        return None
    too_few = f"{' and '.join(have)} are too few to promise {_percent(rates.target)}"
    if len(more) == len(have):
        text = f"{too_few}: label {' and '.join(more)}."
    else:
        text = f"{too_few}, and at this rate no number of labels will do: improve the judge."
    return Advice(text, rates.reason, AdviceCode.TOO_FEW_LABELS)


def _at_most(figure: Figure, bar: float) -> bool:
    return isinstance(figure, Estimate) and figure.value <= bar


def _at_least(figure: Figure, bar: float) -> bool:
    return isinstance(figure, Estimate) and figure.value >= bar


def _bar(value: float, target: float, floor: float) -> str:
    if value < floor:
        return f"below the floor of {_percent(floor)}"
    return f"short of {_percent(target)}"


def _silent(rows: int) -> str:
    return f", {rows} without a verdict" if rows else ""


def _rate_text(figure: Figure) -> str:
    if isinstance(figure, Undefined):
        return figure.reason
    return f"{figure.k} of {figure.n}, interval {figure.low:.2f} to {figure.high:.2f}"


def _percent(value: float, *bars: float) -> str:
    return f"{per_cent(value, bars=bars)} %"
