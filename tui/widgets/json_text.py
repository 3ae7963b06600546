"""Re-indent JSON text without changing a token of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Final

LONGEST: Final = 200_000
"""Characters; checking and re-indenting more would block the keyboard, it is shown as it came."""

_INLINE: Final = 60
"""A container no longer than this stays on one line."""

_LOOKS_LIKE: Final = re.compile(r"\s*[\[{]")
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
_ESCAPE: Final = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.")


@dataclass(slots=True)
class _Container:
    opening: str
    items: list[list[str]] = field(default_factory=list)
    """Each member's lines."""
    pending: str = ""
    """The key, with its colon, that waits for its value."""


def reindented(text: str) -> str | None:
    """Return a JSON object or array spread over lines, or None when `text` is not one.

    Keys, numbers, order and repeats stay exactly as they came: only the white space between tokens
    changes, and escaped letters are written as themselves. Text that already has lines,
    is longer than 200,000 characters or is not valid JSON is left to be shown as it is.

    Args:
        text: What may be JSON.
    """
    if len(text) > LONGEST or not _LOOKS_LIKE.match(text) or "\n" in text.strip():
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    return "\n".join(_lines(text))


def _lines(text: str) -> list[str]:
    stack = [_Container("")]
    for token in _TOKEN.findall(text):
        if token in "[{":
            stack.append(_Container(token))
        elif token in "]}":
            closed = stack.pop()
            _add(stack[-1], _close(closed, token))
        elif token == ":":
            held = stack[-1].items.pop()
            stack[-1].pending = f"{held[0]}: "
        elif token != ",":
            _add(stack[-1], [_ESCAPE.sub(_letter, token) if token[0] == '"' else token])
    return stack[0].items[0]


def _add(container: _Container, lines: list[str]) -> None:
    container.items.append([container.pending + lines[0], *lines[1:]])
    container.pending = ""


def _close(container: _Container, closing: str) -> list[str]:
    items = container.items
    if all(len(lines) == 1 for lines in items):
        inline = container.opening + ", ".join(lines[0] for lines in items) + closing
        if len(inline) <= _INLINE:
            return [inline]
    spread = [container.opening]
    for index, lines in enumerate(items):
        spread.extend(f"  {line}" for line in lines)
        if index < len(items) - 1:
            spread[-1] += ","
    return [*spread, closing]


def _letter(match: re.Match[str]) -> str:
    """Return the letter an escape stands for; what could not be seen stays an escape."""
    escape = match.group()
    if not escape.startswith("\\u"):
        return escape
    letter: str = json.loads(f'"{escape}"')
    return letter if len(letter) == 1 and not letter.isascii() and letter.isprintable() else escape
