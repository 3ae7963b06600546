"""How a verdict is made from model calls: samples, reducers, and their registry.

A recipe asks for calls and is told replies. It knows no network, no clock and no store.
"""

from __future__ import annotations

from judging.recipes.context import MAX_SAMPLES, RecipeContext
from judging.recipes.forecast import planned
from judging.recipes.reducers import OVERRULED, TIE_BROKEN
from judging.recipes.registry import (
    RECIPES,
    REDUCERS,
    TIERS,
    Recipe,
    Reducer,
    Tier,
    checked,
    first_request,
    start,
)
from judging.recipes.replies import CUT_OFF, own_name
from judging.recipes.votes import RULES

__all__ = [
    "CUT_OFF",
    "MAX_SAMPLES",
    "OVERRULED",
    "RECIPES",
    "REDUCERS",
    "RULES",
    "TIERS",
    "TIE_BROKEN",
    "Recipe",
    "RecipeContext",
    "Reducer",
    "Tier",
    "checked",
    "first_request",
    "own_name",
    "planned",
    "start",
]
