"""How runs are told: their states by mark and word, time, tokens and money."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.records import Reason
from store.runrecords import RunState
from tui.theme import ASCII_ONLY, Glyph


def state_looks(*, ascii_only: bool) -> Mapping[RunState, Glyph]:
    """Give the look of every state of a run."""
    marks = ".>=vx#!" if ascii_only else "·▶‖✓✗■!"
    styles = (
        "$foreground-muted",
        "$primary",
        "$warning",
        "$success",
        "$foreground-muted",
        "$error",
        "$warning",
    )
    states = (
        RunState.PREPARED,
        RunState.RUNNING,
        RunState.PAUSED,
        RunState.DONE,
        RunState.CANCELLED,
        RunState.STOPPED,
        RunState.INTERRUPTED,
    )
    return {
        state: Glyph(mark, str(state), style)
        for state, mark, style in zip(states, marks, styles, strict=True)
    }


STATES: Final = state_looks(ascii_only=ASCII_ONLY)


def duration(seconds: float) -> str:
    """Write a length of time, e.g. "under 1 s", "9 s", "1 m 22 s", "3 h 05 m"."""
    if seconds < 1:
        return "under 1 s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} m {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} m"


def amount(number: int) -> str:
    """Write a number of tokens, e.g. "812", "9.2 k", "41 k", "1.3 M"."""
    if number < 1000:
        return str(number)
    size, unit = (number / 1000, "k") if number < 999_500 else (number / 1_000_000, "M")
    return f"{size:.1f} {unit}" if size < 9.95 else f"{size:.0f} {unit}"


def money(usd: float) -> str:
    """Write US dollars: cents, and finer where cents would hide it."""
    if usd == 0:
        return "$0"
    return f"${usd:.2f}" if usd >= 0.095 else f"${usd:.4f}"


def spent(usd: float, unpriced: int, budget: float | None = None) -> str:
    """Say what was spent, of which budget; calls at an unknown price make it a lower bound.

    Args:
        usd: What is known of it.
        unpriced: Calls whose price is unknown.
        budget: US dollars that are not to be exceeded.
    """
    if unpriced and not usd:
        return "cost unknown"
    said = f"over {money(usd)}" if unpriced else money(usd)
    return f"{said} of {money(budget)}" if budget is not None else said


def rate(per_minute: float) -> str:
    """Write a pace, e.g. "12.4/min" or "840/min"."""
    return f"{per_minute:.1f}/min" if per_minute < 99.95 else f"{per_minute:.0f}/min"


def counted(counts: Mapping[Reason, int]) -> str:
    """List reasons with their counts, the largest first, e.g. "3 refused, 1 timeout"."""
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count} {name}" for name, count in most)
