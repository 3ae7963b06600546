"""A judge that names classes, against a person: precision, recall and F1 of each, and their means."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from judging.statistics.counts import Counts
from judging.statistics.intervals import CONFIDENCE
from judging.statistics.rates import NO_ROWS, mean_of_rates, proportion
from judging.statistics.twobytwo import f1
from judging.statistics.values import Estimate, Figure, Undefined


@dataclass(frozen=True)
class ClassFigures:
    """How well one class is found."""

    name: str
    precision: Figure
    """Of the rows the judge gave this class, the share the person gave it too."""
    recall: Figure
    """Of the rows the person gave this class, the share the judge gave it too."""
    f1: Figure


@dataclass(frozen=True)
class ClassReport:
    """All classes that either side used, sorted by name, and their unweighted means."""

    classes: tuple[ClassFigures, ...]
    accuracy: Figure
    macro_precision: Figure
    macro_recall: Figure
    macro_f1: Figure
    no_verdict: int
    """Rows without a class from the judge: wrong for accuracy and recall, never a class."""


def class_report(pairs: Iterable[tuple[str, str | None]], *, confidence: float = CONFIDENCE) -> ClassReport:
    """Compare (person, judge) pairs class by class; None from the judge is no verdict.

    A class the judge never gave has no precision and one the person never gave no recall; the
    mean over classes is then undefined too, where common tools put 0 and warn.
    """
    seen = Counter(pairs)
    person: Counter[str] = Counter()
    judge: Counter[str] = Counter()
    for (word, said), count in seen.items():
        person[word] += count
        if said is not None:
            judge[said] += count
    classes = tuple(
        _class_figures(name, seen[name, name], judge[name], person[name], confidence)
        for name in sorted(person | judge)
    )
    right = sum(count for (word, said), count in seen.items() if word == said)
    return ClassReport(
        classes=classes,
        accuracy=proportion(right, seen.total(), confidence=confidence),
        macro_precision=_mean([one.precision for one in classes]),
        macro_recall=_mean([one.recall for one in classes]),
        macro_f1=_mean_f1([one.f1 for one in classes]),
        no_verdict=seen.total() - judge.total(),
    )


def _class_figures(name: str, both: int, judge: int, person: int, confidence: float) -> ClassFigures:
    return ClassFigures(
        name=name,
        precision=proportion(
            both, judge, empty=f"no data: the judge never said {name!r}", confidence=confidence
        ),
        recall=proportion(
            both, person, empty=f"no data: the person never said {name!r}", confidence=confidence
        ),
        f1=f1(Counts(tp=both, fn=person - both, fp=judge - both), confidence=confidence),
    )


def _mean(rates: list[Figure]) -> Figure:
    return mean_of_rates(rates) if rates else Undefined(NO_ROWS)


def _mean_f1(figures: list[Figure]) -> Figure:
    """Average F1 without an interval: the classes share rows, so their errors hang together."""
    values = [figure.value for figure in figures if isinstance(figure, Estimate)]
    if not values:
        return Undefined(NO_ROWS)
    return Estimate(math.fsum(values) / len(values), method="mean over classes, no interval")
