"""Agreement between raters over named classes: two raters, a fixed number, or any number with gaps."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from judging.statistics.intervals import CONFIDENCE, normal_interval
from judging.statistics.rates import proportion
from judging.statistics.values import Estimate, Figure, Undefined

NO_COMMON_ROWS = "no data: no row has a word from both"
ONE_CLASS = "undefined: both used one and the same class only, so chance alone explains full agreement"


def percent_agreement(pairs: Iterable[tuple[str, str]], *, confidence: float = CONFIDENCE) -> Figure:
    """Give the share of rows on which two raters used the same word."""
    rows = list(pairs)
    return proportion(
        sum(1 for a, b in rows if a == b), len(rows), empty=NO_COMMON_ROWS, confidence=confidence
    )


def cohen_kappa(pairs: Iterable[tuple[str, str]], *, confidence: float = CONFIDENCE) -> Figure:
    """Give Cohen's kappa of two raters over any named classes; see `kappa_of_table`."""
    seen = Counter(pairs)
    classes = sorted({word for pair in seen for word in pair})
    return kappa_of_table([[seen[a, b] for b in classes] for a in classes], confidence=confidence)


def kappa_of_table(table: Sequence[Sequence[int]], *, confidence: float = CONFIDENCE) -> Figure:
    """Give Cohen's kappa of a square table (rows: one rater, columns: the other).

    Computed in whole numbers until the one division, so that no agreement beyond chance is 0.0
    and not 1e-17. Undefined when both raters used one and the same class only (0/0).

    The interval is the large-sample one of the same table with two rows spread evenly over its
    cells: the plain one has width 0 at full agreement, however few the rows.

    Source: J. Cohen, Educ. Psychol. Meas. 20 (1960) 37-46; standard error: J. L. Fleiss, J. Cohen
    and B. S. Everitt, Psychol. Bull. 72 (1969) 323-327.
    """
    n = sum(map(sum, table))
    if n == 0:
        return Undefined(NO_COMMON_ROWS)
    agreed = sum(table[i][i] for i in range(len(table)))
    columns = [sum(column) for column in zip(*table, strict=True)]
    by_chance = sum(sum(row) * column for row, column in zip(table, columns, strict=True))
    if by_chance == n * n:
        return Undefined(ONE_CLASS)
    value = (n * agreed - by_chance) / (n * n - by_chance)
    share = 2 / len(table) ** 2
    smoothed = _kappa_moments([[count + share for count in row] for row in table])
    interval = normal_interval(
        smoothed.value, smoothed.deviation, low=-1.0, high=1.0, confidence=confidence
    ).holding(value)
    return Estimate(
        value, interval.low, interval.high, n=n, method=f"large-sample {confidence:.0%}, two rows added"
    )


@dataclass(frozen=True)
class _Moments:
    value: float
    deviation: float


def _kappa_moments(table: Sequence[Sequence[float]]) -> _Moments:
    """Give kappa and its large-sample standard error for a table without empty cells."""
    n = math.fsum(map(math.fsum, table))
    size = range(len(table))
    shares = [[count / n for count in row] for row in table]
    rows = [math.fsum(row) for row in shares]
    columns = [math.fsum(column) for column in zip(*shares, strict=True)]
    observed = math.fsum(shares[i][i] for i in size)
    chance = math.fsum(rows[i] * columns[i] for i in size)
    kappa = (observed - chance) / (1 - chance)
    agreeing = math.fsum(shares[i][i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in size)
    differing = (1 - kappa) ** 2 * math.fsum(
        shares[i][j] * (columns[i] + rows[j]) ** 2 for i in size for j in size if i != j
    )
    variance = (agreeing + differing - (kappa - chance * (1 - kappa)) ** 2) / (1 - chance) ** 2 / n
    return _Moments(kappa, math.sqrt(max(0.0, variance)))


def krippendorff_alpha(units: Iterable[Sequence[str | None]], *, confidence: float = CONFIDENCE) -> Figure:
    """Give Krippendorff's alpha for named classes; None marks what a rater did not rate.

    Rows with fewer than two words say nothing about agreement and are left out. `n` is the number
    of rows that count.

    Args:
        units: One sequence per row, holding every rater's word or None.
        confidence: Of the interval (jackknife over rows).

    Source: K. Krippendorff, Content Analysis, 4th ed. (2018), chapter 12.
    """
    rated = [Counter(word for word in unit if word is not None) for unit in units]
    tally = _Tally.of([words for words in rated if words.total() >= 2])
    if not tally.rows:
        return Undefined("no data: no row was rated by two people")
    return _with_interval(tally, lambda n: n * (n - 1), confidence)


def fleiss_kappa(units: Iterable[Sequence[str]], *, confidence: float = CONFIDENCE) -> Figure:
    """Give Fleiss' kappa of raters who all rated every row; `n` is the number of rows.

    Undefined where rows have different numbers of words (use `krippendorff_alpha`).

    Source: J. L. Fleiss, Psychol. Bull. 76 (1971) 378-382.
    """
    rated = [Counter(unit) for unit in units]
    if not rated:
        return Undefined("no data: no row was rated")
    if len({words.total() for words in rated}) > 1:
        return Undefined("undefined: Fleiss' kappa needs the same number of labels on every row")
    if rated[0].total() < 2:
        return Undefined("no data: no row was rated by two people")
    return _with_interval(_Tally.of(rated), lambda n: n * n, confidence)


@dataclass(frozen=True)
class _Sums:
    """What alpha and Fleiss' kappa are made of."""

    words: int
    squares: int
    """Sum of the squared class totals."""
    disagreement: float

    def beyond_chance(self, pairs: Callable[[int], int]) -> float | None:
        """Give 1 - observed / expected disagreement; None where only one class is left."""
        if self.words**2 == self.squares:
            return None
        expected = (self.words**2 - self.squares) / pairs(self.words)
        return 1 - self.disagreement / self.words / expected


@dataclass(frozen=True)
class _Tally:
    """Rows of at least two words each, with their sums."""

    rows: Sequence[Counter[str]]
    classes: Counter[str]
    sums: _Sums

    @classmethod
    def of(cls, rows: Sequence[Counter[str]]) -> _Tally:
        classes: Counter[str] = Counter()
        for row in rows:
            classes.update(row)
        squares = sum(count * count for count in classes.values())
        return cls(rows, classes, _Sums(classes.total(), squares, math.fsum(map(_disagreement, rows))))

    def without(self, row: Counter[str]) -> _Sums:
        """Give the sums without one of the rows, in time that does not grow with the rows."""
        lost = sum((2 * self.classes[word] - count) * count for word, count in row.items())
        return _Sums(
            words=self.sums.words - row.total(),
            squares=self.sums.squares - lost,
            disagreement=self.sums.disagreement - _disagreement(row),
        )


def _disagreement(row: Counter[str]) -> float:
    """Give one row's differing ordered pairs, shared out so that each of its words weighs 1."""
    words = row.total()
    return sum(count * (words - count) for count in row.values()) / (words - 1)


def _with_interval(tally: _Tally, pairs: Callable[[int], int], confidence: float) -> Figure:
    """Give 1 - observed / expected disagreement, with a jackknife interval over rows.

    Args:
        tally: The rows.
        pairs: How many ordered pairs of words chance draws from n words: n (n - 1) without, n n
            with putting back. It is all in which alpha and Fleiss' kappa differ.
        confidence: Of the interval.
    """
    value = tally.sums.beyond_chance(pairs)
    if value is None:
        return Undefined("undefined: everybody used one and the same class only")
    n = len(tally.rows)
    left_out = [tally.without(row).beyond_chance(pairs) for row in tally.rows]
    known = [figure for figure in left_out if figure is not None]
    # Full agreement would give an interval of width 0, which promises what nobody knows.
    if len(known) < n or n < 2 or tally.sums.disagreement == 0:
        return Estimate(value, n=n, method="no interval: too little disagreement to tell from these rows")
    mean = math.fsum(known) / n
    deviation = math.sqrt((n - 1) / n * math.fsum((figure - mean) ** 2 for figure in known))
    interval = normal_interval(value, deviation, low=-1.0, high=1.0, confidence=confidence)
    return Estimate(value, interval.low, interval.high, n=n, method=f"jackknife over rows {confidence:.0%}")
