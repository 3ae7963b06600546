"""Rates on a key's path must not wait for numpy, scipy or anything heavier."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from judging.statistics import advice, agreement, binary, calibration, classes, correction, counts
from judging.statistics import intervals, pairwise, planning, prediction, rates, twobytwo, values, voting

figures = binary.binary_readings(counts.Counts(31, 1, 7, 9))
advice.advise(figures)
cal = calibration.Calibration.of(figures.counts)
correction.corrected_pass_rate(cal, calibration.Share(80, 100))
prediction.prediction_powered(figures.counts, calibration.Share(80, 100))
twobytwo.mcnemar_exact(3, 9)
pairwise.swap_summary([pairwise.PairVerdict("A", "B", gold="A")])
planning.labels_for_target(0.95, 0.9)
heavy = {"numpy", "scipy", "sklearn", "statsmodels", "textual", "rich", "anthropic", "tinydb", "store"}
found = sorted(heavy & {name.partition(".")[0] for name in sys.modules})
sys.exit(f"imported {found}" if found else 0)
"""


def test_everyday_figures_import_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
