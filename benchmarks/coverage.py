"""Print how often the intervals hold the truth they promise to hold.

    python -m benchmarks.coverage [--seed N] [--repeats N] [--monte-carlo] [--quick]

First the corrected pass rate over the whole grid of judges, pass rates, labelled and unlabelled rows
(labelled half passes, half fails), through the same function that makes the product's interval; a
simulated project counts whether or not the product would have refused its estimate. Then the
prediction-powered rate, Wilson's interval (exactly, not simulated), and the figures of a table.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

import numpy as np

from judging.statistics.agreement import kappa_of_table
from judging.statistics.calibration import Calibration, Share, youden_index
from judging.statistics.correction import closed_form_interval, jeffreys_interval
from judging.statistics.counts import Counts
from judging.statistics.intervals import Interval, wilson_interval
from judging.statistics.prediction import prediction_powered
from judging.statistics.twobytwo import balanced_accuracy, f1, mcc
from judging.statistics.values import Estimate, Figure

JUDGES = ((0.7, 0.7), (0.85, 0.85), (0.92, 0.88), (0.98, 0.98), (0.97, 0.56))
PASS_RATES = (0.2, 0.5, 0.85, 0.95)
LABELLED = (20, 50, 100, 500)
UNLABELLED = (50, 500, 5000)
BAR = 0.925

Method = Callable[[Calibration, Share, int], Interval]


@dataclass(frozen=True)
class World:
    """One cell of the grid: what is true."""

    tpr: float
    tnr: float
    rate: float
    labelled: int
    unlabelled: int

    def __str__(self) -> str:
        return (
            f"TPR {self.tpr:.2f} TNR {self.tnr:.2f} rate {self.rate:.2f} "
            f"labelled {self.labelled:>3} unlabelled {self.unlabelled:>4}"
        )


@dataclass(frozen=True)
class Cell:
    """What came of one cell."""

    world: World
    covered: float
    width: float
    refused: float
    covered_if_given: float | None
    """Among the repetitions whose estimate would not have been refused; None without any."""


def worlds() -> Iterator[World]:
    """Go through the grid."""
    for tpr, tnr in JUDGES:
        for rate in PASS_RATES:
            for labelled in LABELLED:
                for unlabelled in UNLABELLED:
                    yield World(tpr, tnr, rate, labelled, unlabelled)


def simulate(world: World, random: np.random.Generator, repeats: int, method: Method) -> Cell:
    """Draw projects of a world and see how often the interval holds its true rate."""
    half = world.labelled // 2
    passed = world.rate * world.tpr + (1 - world.rate) * (1 - world.tnr)
    draws = zip(
        random.binomial(half, world.tpr, repeats).tolist(),
        random.binomial(half, world.tnr, repeats).tolist(),
        random.binomial(world.unlabelled, passed, repeats).tolist(),
        strict=True,
    )
    held, widths, given = [], [], []
    for seed, (passes, fails, seen) in enumerate(draws):
        calibration = Calibration(Share(passes, half), Share(fails, half))
        interval = method(calibration, Share(seen, world.unlabelled), seed)
        held.append(interval.low - 1e-12 <= world.rate <= interval.high + 1e-12)
        widths.append(interval.high - interval.low)
        youden = youden_index(calibration)
        given.append(isinstance(youden, Estimate) and youden.low is not None and youden.low > 0)
    kept = [hit for hit, ok in zip(held, given, strict=True) if ok]
    return Cell(
        world,
        sum(held) / repeats,
        math.fsum(widths) / repeats,
        1 - len(kept) / repeats,
        sum(kept) / len(kept) if kept else None,
    )


def print_grid(name: str, cells: list[Cell]) -> None:
    """Print one method's table: a row for each judge, rate and labelled; a column for each unlabelled."""
    print(f"\n{name}\ncovered % / mean width / refused %, by unlabelled rows")
    print(f"{'TPR  TNR  rate  labelled':<26}" + "".join(f"{n:>20}" for n in UNLABELLED))
    for start in range(0, len(cells), len(UNLABELLED)):
        row = cells[start : start + len(UNLABELLED)]
        world = row[0].world
        head = f"{world.tpr:.2f} {world.tnr:.2f} {world.rate:.2f}  {world.labelled:>8}"
        body = "".join(f"{100 * c.covered:>8.1f} {c.width:.3f} {100 * c.refused:5.1f}" for c in row)
        print(f"{head:<26}{body}")
    covered = sorted(cells, key=lambda cell: cell.covered)
    given = [cell.covered_if_given for cell in cells if cell.covered_if_given is not None]
    width = math.fsum(cell.width for cell in cells) / len(cells)
    print(
        f"{len(cells)} cells: lowest {100 * covered[0].covered:.1f} %, median "
        f"{100 * median(cell.covered for cell in cells):.1f} %, under {100 * BAR:.1f} %: "
        f"{sum(cell.covered < BAR for cell in cells)}, mean width {width:.3f}; "
        f"among estimates not refused: lowest {100 * min(given):.1f} %, median {100 * median(given):.1f} %"
    )
    for cell in covered[:5]:
        print(f"  lowest: {cell.world}: {100 * cell.covered:.1f} %")


def print_correction(seed: int, repeats: int, *, monte_carlo: bool) -> None:
    """Print the corrected pass rate's tables."""
    methods: dict[str, Method] = {
        "Corrected pass rate, closed form (the product's default)": lambda calibration, seen, _: (
            closed_form_interval(calibration, seen)
        )
    }
    if monte_carlo:
        methods["Corrected pass rate, Jeffreys-Beta Monte Carlo, 2,000 draws"] = (
            lambda calibration, seen, draw: jeffreys_interval(calibration, seen, draws=2_000, seed=draw)
        )
    for name, method in methods.items():
        random = np.random.default_rng(seed)
        print_grid(name, [simulate(world, random, repeats, method) for world in worlds()])


def print_prediction(seed: int, repeats: int) -> None:
    """Print the prediction-powered rate's coverage, its labelled rows in their natural mix."""
    random = np.random.default_rng(seed)
    results = []
    for world in worlds():
        shares = _shares(world.tpr, world.tnr, world.rate)
        tables = random.multinomial(world.labelled, shares, repeats).tolist()
        seen = random.binomial(world.unlabelled, shares[0] + shares[2], repeats).tolist()
        figures = [
            prediction_powered(Counts(*table), Share(k, world.unlabelled))
            for table, k in zip(tables, seen, strict=True)
        ]
        results.append((_held(figures, world.rate), _width(figures), str(world)))
    _print_summary("Prediction-powered rate (labelled rows a random sample)", results)


def print_wilson() -> None:
    """Print Wilson's coverage, summed over all outcomes rather than simulated."""
    results = []
    for n in (10, 20, 50, 100, 500):
        intervals = [wilson_interval(k / n, n) for k in range(n + 1)]
        for percent in range(1, 100):
            rate = percent / 100
            chances = [math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)]
            held = [c for c, i in zip(chances, intervals, strict=True) if i.low <= rate <= i.high]
            width = math.fsum(c * (i.high - i.low) for c, i in zip(chances, intervals, strict=True))
            results.append((math.fsum(held), width, f"n {n} rate {rate:.2f}"))
    _print_summary("Wilson (exact, rates 0.01 to 0.99, n 10 to 500)", results)


def print_table_figures(seed: int, repeats: int) -> None:
    """Print the coverage of kappa, MCC, F1 and balanced accuracy."""
    measures: dict[str, Callable[[Counts], Figure]] = {
        "Cohen's kappa": lambda c: kappa_of_table([[c.tp, c.fn], [c.fp, c.tn]]),
        "MCC": mcc,
        "F1": f1,
        "Balanced accuracy": balanced_accuracy,
    }
    for name, measure in measures.items():
        random = np.random.default_rng(seed)
        results = []
        for tpr, tnr in JUDGES:
            for rate in PASS_RATES:
                for n in LABELLED:
                    shares = _shares(tpr, tnr, rate)
                    # A million rows in the true proportions stand for the truth.
                    truth = measure(Counts(*(round(1_000_000 * share) for share in shares)))
                    assert isinstance(truth, Estimate)
                    figures = [
                        measure(Counts(*table)) for table in random.multinomial(n, shares, repeats).tolist()
                    ]
                    label = f"TPR {tpr} TNR {tnr} rate {rate} n {n}"
                    results.append((_held(figures, truth.value), _width(figures), label))
        _print_summary(f"{name} (rows a random sample; undefined ones left out)", results)


def _shares(tpr: float, tnr: float, rate: float) -> tuple[float, float, float, float]:
    """Give the shares of TP, FN, FP and TN."""
    return rate * tpr, rate * (1 - tpr), (1 - rate) * (1 - tnr), (1 - rate) * tnr


def _known(figures: list[Figure]) -> list[Interval]:
    return [
        Interval(figure.low, figure.high)
        for figure in figures
        if isinstance(figure, Estimate) and figure.low is not None and figure.high is not None
    ]


def _held(figures: list[Figure], truth: float) -> float:
    known = _known(figures)
    return sum(i.low - 1e-12 <= truth <= i.high + 1e-12 for i in known) / len(known)


def _width(figures: list[Figure]) -> float:
    known = _known(figures)
    return math.fsum(i.high - i.low for i in known) / len(known)


def _print_summary(name: str, results: list[tuple[float, float, str]]) -> None:
    covered = sorted(results)
    width = math.fsum(result[1] for result in results) / len(results)
    print(f"\n{name}")
    print(
        f"{len(results)} cells: lowest {100 * covered[0][0]:.1f} % ({covered[0][2]}), median "
        f"{100 * median(result[0] for result in results):.1f} %, under {100 * BAR:.1f} %: "
        f"{sum(result[0] < BAR for result in results)}, mean width {width:.3f}"
    )


def main() -> None:
    """Read the options and print every table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2_000, help="simulated projects a cell")
    parser.add_argument("--monte-carlo", action="store_true", help="the other method too (some minutes)")
    parser.add_argument("--quick", action="store_true", help="200 repeats")
    options = parser.parse_args()
    repeats = 200 if options.quick else options.repeats
    print(f"seed {options.seed}, {repeats} repeats a cell, intervals of 95 %")
    print_correction(options.seed, repeats, monte_carlo=options.monte_carlo)
    print_prediction(options.seed, repeats)
    print_wilson()
    print_table_figures(options.seed, repeats)


if __name__ == "__main__":
    main()
