"""Make one scorecard of several: the median of each dimension, and the overall computed anew."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median as middle
from typing import Final

from judging.calls import Draft
from judging.recipes.context import RecipeContext
from judging.recipes.drawing import Drawing
from judging.recipes.reducers import Steps, missing_flags, nobody_spoke
from judging.recipes.replies import Drawn
from judging.scorecards import Scorecard, in_words
from store.records import Decision, Reason

NEAREST: Final = "the critique is that of the candidate nearest to the median"


def median(context: RecipeContext, drawing: Drawing) -> Steps:
    """Take every dimension's median over the whole scorecards, when more than half gave one.

    When more than half say that something cannot be told, so does the verdict; short of either there
    is none. With an even number of scorecards a median may lie between two points.
    """
    yield from ()
    whole = [one for one in drawing.drawn if one.verdict not in (None, Decision.UNKNOWN)]
    untold = [one for one in drawing.drawn if one.verdict == Decision.UNKNOWN]
    if 2 * len(whole) > drawing.asked:
        return _joined(context, drawing, whole)
    if 2 * len(untold) > drawing.asked:
        first = untold[0].candidate
        flags = missing_flags(drawing)
        return Draft(first.verdict, first.critique, flags=flags, candidates=drawing.candidates)
    if not whole and not untold:
        return nobody_spoke(drawing)
    detail = f"scorecards: {len(whole)} whole, {len(untold)} unknown, of {drawing.asked} asked for"
    return Draft(None, reason=Reason.UNDECIDED, detail=detail, candidates=drawing.candidates)


def _joined(context: RecipeContext, drawing: Drawing, whole: Sequence[Drawn]) -> Draft:
    card = Scorecard.of(context.judge)
    names = [one.name for one in card.dimensions]
    scores = {name: float(middle(one.candidate.scores[name] for one in whole)) for name in names}

    def distance(one: Drawn) -> float:
        return sum(abs(one.candidate.scores[name] - scores[name]) for name in names)

    nearest = min(whole, key=distance)
    return Draft(
        in_words(card.overall(scores)),
        nearest.candidate.critique,
        flags=(*nearest.flags, NEAREST, *missing_flags(drawing)),
        candidates=drawing.candidates,
        scores=scores,
    )
