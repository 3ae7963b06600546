"""Figures read as what they are: rounded as said, never better than they are, undefined by its reason."""

from __future__ import annotations

import subprocess
import sys

import pytest

from judging.statistics.rates import proportion
from judging.statistics.values import Estimate, Undefined
from judging.statistics.wording import per_cent
from tui.figures import figure_text, number_text, rate_text, rate_words, reach

CAUGHT = proportion(9, 16)
KAPPA = Estimate(0.5862, 0.3312, 0.8412, n=48)


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (0.5625, "56"),
        (0.96875, "97"),
        (0.6667, "67"),
        (0.897, "89.7"),
        (0.8999, "89.9"),
        (0.796, "79.6"),
        (0.9, "90"),
        (0.904, "90"),
        (0.996, "99.6"),
        (0.9999, "99.9"),
        (1.0, "100"),
        (0.0, "0"),
        (0.004, "0.4"),
        (0.0001, "0.1"),
    ],
)
def test_a_rate_is_rounded_but_never_onto_a_bar_it_missed(rate: float, said: str) -> None:
    assert per_cent(rate) == said


def test_a_share_is_written_with_its_interval() -> None:
    assert figure_text(CAUGHT, ascii_only=False) == "56 % [33–77]"
    assert rate_text(Estimate(0.5)) == "50 %"


def test_a_coefficient_is_no_per_cent() -> None:
    assert figure_text(KAPPA, ascii_only=False) == "0.59 [0.33–0.84]"
    assert number_text(Estimate(-0.1)) == "-0.10"
    assert number_text(Estimate(-0.2, -0.45, 0.16)) == "-0.20 [-0.45 to 0.16]"


def test_points_with_halves_can_be_written_as_a_share() -> None:
    halves = Estimate(0.955, 0.89, 0.98, n=100)
    assert rate_text(halves, ascii_only=False) == "96 % [89–98]"


def test_an_ascii_terminal_gets_ascii_alone() -> None:
    texts = [figure_text(CAUGHT, ascii_only=True), figure_text(KAPPA, ascii_only=True)]
    texts += [reach(Estimate(value), ascii_only=True).text for value in (0.5, 0.85, 0.95)]
    assert all(text.isascii() for text in texts)


def test_what_cannot_be_known_is_its_reason() -> None:
    nothing = Undefined("no data: no row was failed")
    assert figure_text(nothing) == rate_text(nothing) == number_text(nothing) == nothing.reason
    assert rate_words("caught", nothing, "fails") == "caught: no data: no row was failed"
    assert reach(nothing).text == ""


def test_the_counts_are_said_in_words() -> None:
    assert rate_words("caught", CAUGHT, "fails") == "caught 9 of 16 fails"


@pytest.mark.parametrize(
    ("value", "said", "style"),
    [
        (0.79, "✗ below 80", "$error"),
        (0.8, "? short of 90", "$warning"),
        (0.8999, "? short of 90", "$warning"),
        (0.9, "✓ reaches 90", "$success"),
    ],
)
def test_how_a_rate_stands_has_mark_word_and_colour(value: float, said: str, style: str) -> None:
    shown = reach(Estimate(value), ascii_only=False)
    assert (shown.text, shown.style) == (said, style)


def test_nothing_heavy_is_loaded_for_figures_or_for_measuring() -> None:
    heavy = ("textual", "rich", "numpy", "scipy", "sklearn", "anthropic", "pydantic")
    code = (
        "import sys, tui.figures, tui.session.metrics, tui.session.reviewing\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
