"""How keys are called on a screen."""

from __future__ import annotations

from typing import Final

KEY_NAMES: Final = {
    "question_mark": "?",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "slash": "/",
    "full_stop": ".",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "escape": "esc",
}
"""Textual's names of keys that look otherwise on a keyboard."""


def key_name(key: str) -> str:
    """Give a key as people know it; of several the first."""
    return keys_name(key.split(",")[0])


def keys_name(keys: str) -> str:
    """Give all keys of a binding as people know them."""
    return " ".join(KEY_NAMES.get(key, key) for key in keys.split(","))
