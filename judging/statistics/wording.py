"""How a rate is rounded for people: one rule, so that no two places show one rate differently."""

from __future__ import annotations

import math
from typing import Final

BARS: Final = (0.8, 0.9)
"""What rates are commonly held against."""


def per_cent(rate: float, *, bars: tuple[float, ...] = BARS) -> str:
    """Write a rate as a per cent without its sign, e.g. "56" or "89.7".

    It is rounded to the nearest whole one. Where that would show it at a bar (or at 100) that it does not
    reach, or show 0 for something that happened, a tenth is written instead: 89.7 % is not 90 %.

    Args:
        rate: 0 to 1.
        bars: What it is held against, 0 to 1.
    """
    whole = round(100 * rate)
    if any(rate < bar <= whole / 100 for bar in (*bars, 1.0)):
        return f"{math.floor(1000 * rate) / 10:.1f}"
    if rate > 0 and whole == 0:
        return f"{math.ceil(1000 * rate) / 10:.1f}"
    return str(whole)
