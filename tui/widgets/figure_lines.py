"""A judge's figures as lines of a screen: words, per cent with interval, how it stands, a bar.

Nothing is computed here; every number was made by `judging`.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from judging.measuring import TARGET, Metrics
from judging.statistics.binary import Reading, ReadingName
from judging.statistics.pairwise import PairKind
from judging.statistics.values import Estimate, Figure, Undefined
from tui import cells
from tui.figures import number_text, rate_text, rate_words, reach
from tui.session.metrics import SwapView
from tui.text import printable
from tui.theme import DRAWING
from tui.widgets.bars import interval_bar
from tui.widgets.sayings import FLAG

_WORDS = 28
_FIGURE = 18
_REACH = 15
_BAR_FROM = 12
_LONGEST_BAR = 44

RULES = {
    "AB": "A shown first",
    "BA": "B shown first",
    "both": "both orders right",
    "mt_bench": "MT-bench winner",
    "tie_half": "a tie counts half",
}
"""The named rules of accuracy over two orders, in words."""


def rate_line(words: str, figure: Figure, width: int, *, target: bool = True) -> Content:
    """Write one rate: words, figure, how it stands to target and floor, and its interval as a bar.

    Args:
        words: What was counted.
        figure: The rate.
        width: Cells of the line.
        target: Whether there is a target to reach.
    """
    head = _pad(words, _WORDS)
    if isinstance(figure, Undefined):
        return Content.assemble(head, (printable(figure.reason), "$foreground-muted")).truncate(width)
    stands = reach(figure)
    parts = [head, _pad(rate_text(figure), _FIGURE)]
    line = Content.assemble(*parts)
    if target:
        line += Content.styled(_pad(stands.text, _REACH), stands.style)
    room = min(width - line.cell_length, _LONGEST_BAR)
    if figure.low is not None and figure.high is not None and room >= _BAR_FROM:
        style = stands.style if target else "$primary"
        line += interval_bar(
            figure.low, figure.high, room, value=figure.value, target=TARGET if target else None, style=style
        )
    return line.truncate(max(1, width))


def binary_lines(metrics: Metrics, reading: ReadingName, width: int) -> Content:
    """Write a pass/fail judge's figures, accuracy last and never alone, then the advice.

    Args:
        metrics: What was measured.
        reading: Whether a missing verdict counts against the judge.
        width: Cells of a line.
    """
    figures = metrics.figures
    shown: Reading = figures.strict if reading == "strict" else figures.answered
    lines = [
        _rate("caught", shown.tnr, "fails", width),
        _rate("kept", shown.tpr, "passes", width),
        _plain("kappa", number_text(shown.kappa), "agreement beyond chance", width),
        _plain("coverage", rate_text(figures.coverage), _of(figures.coverage, "rows have a verdict"), width),
        _plain(
            "accuracy",
            rate_text(shown.accuracy),
            f"always saying pass: {rate_text(figures.always_pass_accuracy)}",
            width,
        ),
        Content(""),
        Content.styled(printable(metrics.advice.text), "bold"),
    ]
    if reading == "answered" and figures.counts.no_verdict:
        lines.append(_muted("The advice is about the strict reading: a missing verdict counts as wrong."))
    return Content("\n").join(
        [*lines, _muted(metrics.advice.reason), *_remarks(metrics.stale, metrics.notes)]
    )


def swap_lines(view: SwapView, width: int) -> Content:
    """Write a pairwise judge's consistency and accuracy, each under its named rule.

    Args:
        view: What was measured.
        width: Cells of a line.
    """
    summary = view.report.summary
    lines = [
        rate_line(_kind_words(share.kind, share.figure), share.figure, width, target=False)
        for share in view.shares
    ]
    lines += [
        Content(""),
        rate_line(
            rate_words("agrees on", summary.agreement, "pairs"), summary.agreement, width, target=False
        ),
        _against_gold("average accuracy", summary.average_accuracy, width),
        *(
            _against_gold(f"  {RULES.get(rule, rule)}", figure, width)
            for rule, figure in summary.accuracy.items()
        ),
        Content(""),
        _against_gold("prefers the longer", summary.prefers_longer, width),
        _against_gold("gold is the longer", summary.gold_prefers_longer, width),
        _muted(
            "Agreement is over pairs with both verdicts; elsewhere a missing verdict is wrong. "
            "Average accuracy counts both orders of a pair."
        ),
    ]
    return Content("\n").join([*lines, *_remarks(view.stale, ())])


def _kind_words(kind: PairKind, figure: Figure) -> str:
    return f"{kind:<17}{figure.k if isinstance(figure, Estimate) else ''!s:>6}"


def _against_gold(name: str, figure: Figure, width: int) -> Content:
    counted = f"{name:<22}"
    if isinstance(figure, Estimate) and figure.k is not None:
        counted = f"{name:<19} {figure.k}/{figure.n}"
    return rate_line(counted, figure, width, target=False)


def _rate(verb: str, figure: Figure, noun: str, width: int) -> Content:
    words = verb if isinstance(figure, Undefined) else rate_words(f"{verb:<8}", figure, noun)
    return rate_line(words, figure, width)


def _plain(name: str, figure: str, beside: str, width: int) -> Content:
    head = Content(_pad(name, _WORDS) + _pad(printable(figure), _FIGURE))
    # What stands beside a figure is part of it: where there is no room it goes below.
    between = "" if head.cell_length + cells.width(beside) <= width else "\n  "
    return Content.assemble(head, between, (printable(beside), "$foreground-muted"))


def _of(figure: Figure, noun: str) -> str:
    return rate_words("", figure, noun).strip() if isinstance(figure, Estimate) else ""


def _remarks(stale: Iterable[str], notes: Iterable[str]) -> list[Content]:
    lines = [Content.styled(printable(f"{FLAG} stale: {reason}"), "bold $warning") for reason in stale]
    lines += [_muted(f"{DRAWING.dot} {note}") for note in notes]
    return [Content(""), *lines] if lines else []


def _muted(text: str) -> Content:
    return Content.styled(printable(text), "$foreground-muted")


def _pad(text: str, width: int) -> str:
    """Fill up to a column; what is longer keeps two spaces after it."""
    return text + " " * max(2, width - cells.width(text))
