"""Figures in words, for screens and the command line alike; what they are is `judging.statistics`' business.

Per cents are whole, but never rounded up to a bar that was not reached: see `judging.statistics.wording`.
"""

from __future__ import annotations

from dataclasses import dataclass

from judging.measuring import FLOOR, TARGET
from judging.statistics.values import Estimate, Figure, Undefined
from judging.statistics.wording import per_cent
from tui.theme import ASCII_ONLY, glyphs

__all__ = ["Reach", "figure_text", "number_text", "per_cent", "rate_text", "rate_words", "reach"]


def rate_text(figure: Figure, *, ascii_only: bool = ASCII_ONLY) -> str:
    """Write a share with its interval, "56 % [33–77]", or why there is none.

    Args:
        figure: A share of rows or verdicts, 0 to 1.
        ascii_only: Whether the terminal shows nothing else.
    """
    if isinstance(figure, Undefined):
        return figure.reason
    if figure.low is None or figure.high is None:
        return f"{per_cent(figure.value)} %"
    return f"{per_cent(figure.value)} % [{per_cent(figure.low)}{_dash(ascii_only)}{per_cent(figure.high)}]"


def number_text(figure: Figure, *, ascii_only: bool = ASCII_ONLY) -> str:
    """Write a coefficient with its interval, "0.59 [0.33–0.84]", or why there is none.

    Args:
        figure: Kappa, alpha, MCC and their like, -1 to 1; F1.
        ascii_only: Whether the terminal shows nothing else.
    """
    if isinstance(figure, Undefined):
        return figure.reason
    if figure.low is None or figure.high is None:
        return f"{figure.value:.2f}"
    # A dash before a minus would be read as one more minus.
    dash = " to " if figure.low < 0 else _dash(ascii_only)
    return f"{figure.value:.2f} [{figure.low:.2f}{dash}{figure.high:.2f}]"


def figure_text(figure: Figure, *, ascii_only: bool = ASCII_ONLY) -> str:
    """Write any figure: one that counts rows as a per cent, any other as a number.

    Args:
        figure: What a statistic returned.
        ascii_only: Whether the terminal shows nothing else.
    """
    counts_rows = isinstance(figure, Estimate) and figure.k is not None
    return (rate_text if counts_rows else number_text)(figure, ascii_only=ascii_only)


def rate_words(verb: str, figure: Figure, noun: str) -> str:
    """Say the counts behind a rate, e.g. "caught 9 of 16 fails"; without rows, "caught: no data ...".

    Args:
        verb: What the judge did.
        figure: The rate.
        noun: Of what, in the plural.
    """
    if isinstance(figure, Undefined):
        return f"{verb}: {figure.reason}"
    if figure.k is None or figure.n is None:
        return verb
    return f"{verb} {figure.k} of {figure.n} {noun}"


@dataclass(frozen=True)
class Reach:
    """How a rate stands to the target and the floor."""

    text: str
    """Mark and words: never colour alone."""
    style: str
    """A Textual style in theme variables."""


def reach(figure: Figure, *, ascii_only: bool = ASCII_ONLY) -> Reach:
    """Say whether a rate's point reaches the target, misses the floor, or lies between.

    Args:
        figure: TPR or TNR.
        ascii_only: Whether the terminal shows nothing else.
    """
    looks = glyphs(ascii_only=ascii_only)
    if isinstance(figure, Undefined):
        return Reach("", "$foreground-muted")
    if figure.value >= TARGET:
        return Reach(f"{looks['pass'].mark} reaches {per_cent(TARGET)}", "$success")
    if figure.value >= FLOOR:
        return Reach(f"? short of {per_cent(TARGET)}", "$warning")
    return Reach(f"{looks['fail'].mark} below {per_cent(FLOOR)}", "$error")


def _dash(ascii_only: bool) -> str:
    return "-" if ascii_only else "–"
