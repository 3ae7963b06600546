"""Say which calls a recipe will make for one row, for an estimate before any is made."""

from __future__ import annotations

from collections import Counter
from typing import Final

from judging.pricing import Planned
from judging.prompting import build_advocate_request, build_critic_request
from judging.recipes.context import RecipeContext
from judging.recipes.drawing import candidate_calls
from judging.recipes.registry import checked
from judging.scorecards import Scorecard
from store.records import Candidate, JudgeKind

CRITIC_OUTPUT_TOKENS: Final = 700
"""What a critic's answer usually takes (RTLC, section VII-G)."""

ADVOCATE_OUTPUT_TOKENS: Final = 500
"""What an advocate's case usually takes: a short paragraph for each of a few candidates."""

DIMENSION_OUTPUT_TOKENS: Final = 50
"""What one dimension's evidence, score and confidence take."""


def planned(recipe_name: str, context: RecipeContext) -> tuple[Planned, ...]:
    """Plan a row's calls: as many as there can be, though adaptive drawing may need fewer.

    The server's tools, where the critic has any, add tokens that no estimate knows.

    Raises:
        ValueError: as `start`, and as `build_request`.
    """
    recipe = checked(recipe_name, context)
    context = context.asked_as(recipe_name)
    more = _more_output(context)
    calls = candidate_calls(context)
    each = recipe.output_tokens + more
    requests = {call.request.hash: call.request for call in calls}
    drawn = Counter(call.request.hash for call in calls)
    plans = [Planned.of(requests[key], output_tokens=each, calls=count) for key, count in drawn.items()]
    if context.reducer != "critique":
        return tuple(plans)
    row = (context.trace, context.judge, context.criterion)
    blank = [Candidate(None, "", "") for _ in calls]
    heard = len(calls) * each
    if context.advocate:
        advocate = build_advocate_request(*row, candidates=blank, speak_for=[1], order=context.order)
        plans.append(Planned.of(advocate, output_tokens=ADVOCATE_OUTPUT_TOKENS, added_input_tokens=heard))
        heard += ADVOCATE_OUTPUT_TOKENS
    critic = build_critic_request(*row, context.examples, candidates=blank, order=context.order)
    plans.append(Planned.of(critic, output_tokens=CRITIC_OUTPUT_TOKENS + more, added_input_tokens=heard))
    return tuple(plans)


def _more_output(context: RecipeContext) -> int:
    if context.judge.kind is not JudgeKind.SCORECARD:
        return 0
    return DIMENSION_OUTPUT_TOKENS * len(Scorecard.of(context.judge).dimensions)
