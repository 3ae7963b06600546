"""The pass rate that a judge's verdicts on unlabelled rows imply, corrected for the judge's errors.

The share of "pass" verdicts is not the share of good rows: a judge with TPR and TNR passes
TPR * rate + (1 - TNR) * (1 - rate) of them. Rogan and Gladen turn that round. The interval carries the
noise of both the labelled and the unlabelled rows; `benchmarks/coverage.py` prints how often each
interval here holds the true rate.

All of it assumes that the labelled rows are a random sample within passes and within fails of rows
like the unlabelled ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from judging.statistics.calibration import Calibration, Share, youden_index
from judging.statistics.intervals import CONFIDENCE, Interval, normal_quantile
from judging.statistics.rates import proportion
from judging.statistics.values import Estimate, Figure, Undefined


class IntervalMethod(StrEnum):
    """How the corrected rate's interval is made."""

    CLOSED_FORM = "closed form of Lee et al. on smoothed counts"
    """Needs no seed and held its promise with the wider margin in the simulation, hence the default."""
    MONTE_CARLO = "Jeffreys-Beta Monte Carlo"
    """A little narrower; its lowest coverage in the simulation is nearer the bar."""


@dataclass(frozen=True)
class CorrectedRate:
    """A pass rate corrected for the judge's errors, or the reason there is none."""

    observed: Figure
    """The judge's own pass rate on the unlabelled rows."""
    estimate: Figure
    """The corrected rate within 0..1, with its interval; undefined where it is refused."""
    raw: float | None
    """Before clipping to 0..1; None where refused."""
    clipped: bool
    note: str
    """What a reader must be told beside the estimate; empty where nothing."""
    youden: Figure
    """TPR + TNR - 1: how far the judge is from guessing, with the interval that decides on a refusal."""


def corrected_pass_rate(
    calibration: Calibration,
    observed: Share,
    *,
    confidence: float = CONFIDENCE,
    method: IntervalMethod = IntervalMethod.CLOSED_FORM,
    seed: int = 0,
) -> CorrectedRate:
    """Correct an observed pass rate for the judge's errors (Rogan-Gladen).

    Args:
        calibration: The judge's errors on labelled rows.
        observed: The judge's passes among the unlabelled rows, counted with the same treatment of
            missing verdicts as the calibration.
        confidence: Of the interval.
        method: Of the interval.
        seed: For Monte Carlo draws.

    Source: W. J. Rogan and B. Gladen, Am. J. Epidemiol. 107 (1978) 71-76.
    """
    seen = proportion(observed.k, observed.n, empty="no data: no unlabelled verdicts", confidence=confidence)
    youden = youden_index(calibration)
    refusal = _refusal(calibration, youden)
    if isinstance(seen, Undefined) or refusal:
        reason = refusal or "no data: there are no unlabelled verdicts"
        return CorrectedRate(seen, Undefined(reason), None, False, "", youden)
    tpr, tnr = calibration.passes.value, calibration.fails.value
    raw = (observed.value + tnr - 1) / (tpr + tnr - 1)
    value = min(1.0, max(0.0, raw))
    if method is IntervalMethod.MONTE_CARLO:
        interval = jeffreys_interval(calibration, observed, confidence=confidence, seed=seed)
        name = f"{method} {confidence:.0%}, seed {seed}"
    else:
        interval = closed_form_interval(calibration, observed, confidence=confidence)
        name = f"{method} {confidence:.0%}"
    held = interval.holding(value)
    estimate = Estimate(value, held.low, held.high, n=observed.n, method=f"Rogan-Gladen; {name}")
    return CorrectedRate(seen, estimate, raw, value != raw, _note(raw), youden)


def _refusal(calibration: Calibration, youden: Figure) -> str:
    """Say why there can be no estimate; empty where there can."""
    if isinstance(youden, Undefined):
        return f"not available: the judge's errors are unknown ({youden.reason})"
    tpr, tnr = calibration.passes.value, calibration.fails.value
    rates = f"TPR {tpr:.2f} + TNR {tnr:.2f} = {tpr + tnr:.2f}"
    if youden.value <= 0:
        hint = "; the labels may be inverted" if youden.value <= -0.5 else ""
        return f"not available: {rates} must be above 1, or the judge is no better than guessing{hint}"
    if youden.low is None or youden.low <= 0:
        return (
            f"not available: {rates} is not clearly above 1 (on {calibration.passes.n} passes and "
            f"{calibration.fails.n} fails it may be {1 + (youden.low or 0.0):.2f}): the judge may be guessing"
        )
    return ""


def _note(raw: float) -> str:
    if raw < 0:
        return f"clipped from {raw:.4f} to 0: the judge passes fewer rows than its false passes alone explain"
    if raw > 1:
        return f"clipped from {raw:.4f} to 1: the judge passes more rows than its TPR allows"
    return ""


@dataclass(frozen=True)
class _Smoothed:
    """Shares pulled a little towards one half, with the row numbers that go with them."""

    observed: float
    n: float
    tpr: float
    passes: int
    tnr: float
    fails: int
    z: float

    @classmethod
    def of(cls, calibration: Calibration, observed: Share, confidence: float) -> _Smoothed:
        z = normal_quantile(confidence)
        passes, fails = calibration.passes.n + 2, calibration.fails.n + 2
        return cls(
            observed=(observed.k + z * z / 2) / (observed.n + z * z),
            n=observed.n + z * z,
            tpr=(calibration.passes.k + 1) / passes,
            passes=passes,
            tnr=(calibration.fails.k + 1) / fails,
            fails=fails,
            z=z,
        )

    @property
    def youden(self) -> float:
        return self.tpr + self.tnr - 1

    @property
    def rate(self) -> float:
        return min(1.0, max(0.0, (self.observed + self.tnr - 1) / self.youden))


def smoothed_rate(calibration: Calibration, observed: Share, *, confidence: float = CONFIDENCE) -> Figure:
    """Give the Rogan-Gladen rate of smoothed shares, the centre of the closed-form interval.

    The shares get z^2 rows (observed) and 2 rows (TPR and TNR), half right and half wrong.
    It is nearer to one half than the plain one and exists near TPR + TNR = 1, so it is no substitute
    for a refusal. Undefined where the smoothed TPR + TNR is not above 1.
    """
    smoothed = _Smoothed.of(calibration, observed, confidence)
    if smoothed.youden <= 0:
        return Undefined("not available: smoothed TPR + TNR is not above 1")
    return Estimate(smoothed.rate, n=observed.n, method="Rogan-Gladen of smoothed shares")


def closed_form_interval(
    calibration: Calibration, observed: Share, *, confidence: float = CONFIDENCE
) -> Interval:
    """Give the corrected rate's interval from smoothed shares; everything (0..1) where they tell nothing.

    A Wald interval around `smoothed_rate`, moved by a term that allows for its skew.

    Source: Lee et al., "How to correctly report LLM-as-a-judge evaluations" (2025).
    """
    s = _Smoothed.of(calibration, observed, confidence)
    if s.youden <= 0:
        return Interval(0.0, 1.0)
    theta = s.rate
    fails_noise = s.tnr * (1 - s.tnr) / s.fails
    passes_noise = s.tpr * (1 - s.tpr) / s.passes
    variance = s.observed * (1 - s.observed) / s.n + (1 - theta) ** 2 * fails_noise + theta**2 * passes_noise
    shift = 2 * s.z**2 * (theta * passes_noise - (1 - theta) * fails_noise)
    half = s.z * math.sqrt(variance) / s.youden
    low, high = theta + shift - half, theta + shift + half
    return Interval(min(1.0, max(0.0, low)), min(1.0, max(0.0, high)))


def jeffreys_interval(
    calibration: Calibration,
    observed: Share,
    *,
    confidence: float = CONFIDENCE,
    draws: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Give the corrected rate's interval from draws of TPR, TNR and the observed rate.

    Each is drawn from its Beta(k + 1/2, n - k + 1/2); draws in which the judge would be no better
    than guessing say nothing about the rate and are left out.
    """
    import numpy as np  # an eighth of a second to import: only when asked for

    random = np.random.default_rng(seed)
    tpr, tnr, seen = (
        random.beta(share.k + 0.5, share.n - share.k + 0.5, draws)
        for share in (calibration.passes, calibration.fails, observed)
    )
    youden = tpr + tnr - 1
    telling = youden > 0
    if not telling.any():
        return Interval(0.0, 1.0)
    rates = np.clip((seen[telling] + tnr[telling] - 1) / youden[telling], 0, 1)
    low, high = np.quantile(rates, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))
