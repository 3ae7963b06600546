"""The two named readings of a pass/fail judge's figures, computed once, here.

No verdict (abstained, refused, cut off, unparseable, contradictory, failed) is neither a pass nor a
fail, so every figure exists twice:

- `strict`, the headline and the gate: a row without a verdict stays in every denominator and counts
  against the judge. TPR = TP / (TP + FN + NP), TNR = TN / (TN + FP + NF), accuracy = (TP + TN) / all
  rows. Kappa, F1 and MCC need a word from the judge for each row: there a missing verdict counts as
  the wrong one (NP as a fail, NF as a pass). That also yields the two rates and the accuracy above.
- `answered`: rows with a verdict only; to be shown with `coverage`, never without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from judging.statistics.agreement import kappa_of_table
from judging.statistics.counts import Counts
from judging.statistics.intervals import CONFIDENCE
from judging.statistics.rates import proportion
from judging.statistics.twobytwo import balanced_accuracy, f1, mcc, true_negative_rate, true_positive_rate
from judging.statistics.values import Figure

ReadingName = Literal["strict", "answered"]


@dataclass(frozen=True)
class Reading:
    """Every figure of one reading; "pass" is the positive class."""

    name: ReadingName
    tpr: Figure
    """Of what people passed, the share the judge passed."""
    tnr: Figure
    """Of what people failed, the share the judge failed: caught."""
    accuracy: Figure
    """Share of rows judged as the person did; never to be shown alone."""
    kappa: Figure
    """Cohen's kappa: agreement beyond chance."""
    f1: Figure
    """F1 of "pass"."""
    mcc: Figure
    """Matthews' correlation coefficient."""
    balanced_accuracy: Figure
    """Mean of TPR and TNR."""


@dataclass(frozen=True)
class BinaryFigures:
    """A pass/fail judge measured against a person."""

    counts: Counts
    strict: Reading
    answered: Reading
    coverage: Figure
    """Share of rows with a verdict."""
    always_pass_accuracy: Figure
    """Accuracy of the judge that always says "pass": the bar beside `accuracy`."""


def binary_readings(counts: Counts, *, confidence: float = CONFIDENCE) -> BinaryFigures:
    """Compute both readings of a judge's counts."""
    return BinaryFigures(
        counts=counts,
        strict=_reading("strict", counts.against_judge(), confidence),
        answered=_reading("answered", counts.answered_only(), confidence),
        coverage=proportion(counts.answered, counts.total, confidence=confidence),
        always_pass_accuracy=proportion(counts.passes, counts.total, confidence=confidence),
    )


def _reading(name: ReadingName, table: Counts, confidence: float) -> Reading:
    return Reading(
        name=name,
        tpr=true_positive_rate(table, confidence=confidence),
        tnr=true_negative_rate(table, confidence=confidence),
        accuracy=proportion(table.right, table.total, confidence=confidence),
        kappa=kappa_of_table([[table.tp, table.fn], [table.fp, table.tn]], confidence=confidence),
        f1=f1(table, confidence=confidence),
        mcc=mcc(table, confidence=confidence),
        balanced_accuracy=balanced_accuracy(table, confidence=confidence),
    )
