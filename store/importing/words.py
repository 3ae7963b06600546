"""The words that people and files use for a verdict: a closed list, so that nothing flips by guessing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.records import Decision, JudgeKind

_PASS: Final = ("pass", "passed", "true", "yes", "good", "correct", "1", "1.0")
_FAIL: Final = ("fail", "failed", "false", "no", "bad", "incorrect", "0", "0.0")
_A: Final = (
    "a", "1", "1.0", "model_a", "response_a", "answer_a", "output_a", "output_1", "response_1", "answer_1",
    "a>b",
)  # fmt: skip
_B: Final = (
    "b", "2", "2.0", "model_b", "response_b", "answer_b", "output_b", "output_2", "response_2", "answer_2",
    "b>a",
)  # fmt: skip
# 0 is not among them: in some files it is a tie, in others the first answer.
_TIE: Final = ("tie", "draw", "equal", "a=b", "tie_(bothbad)")

_WORDS: Final[Mapping[JudgeKind, Mapping[str, str]]] = {
    JudgeKind.PASS_FAIL: {
        **dict.fromkeys(_PASS, Decision.PASS.value),
        **dict.fromkeys(_FAIL, Decision.FAIL.value),
    },
    JudgeKind.PAIRWISE: {
        **dict.fromkeys(_A, Decision.A.value),
        **dict.fromkeys(_B, Decision.B.value),
        **dict.fromkeys(_TIE, Decision.TIE.value),
    },
}

UNDERSTOOD_KINDS: Final = frozenset(_WORDS)
"""Kinds of criterion whose labels have a closed vocabulary."""


def is_nothing(value: object) -> bool:
    """Say whether a field holds no verdict at all: null, or text without a visible character."""
    return value is None or (isinstance(value, str) and not value.strip())


def understand(value: object, kind: JudgeKind) -> str | None:
    """Read one word for a person's verdict.

    Args:
        value: As the file has it: text, a number or a boolean.
        kind: Which words are meant; one of `UNDERSTOOD_KINDS`.

    Returns:
        "pass", "fail", "A", "B" or "tie"; None when the word is not on the list. Our own "unsure", which
        is no text of a file, comes back as it is.
    """
    if value is Decision.UNSURE:
        return Decision.UNSURE.value
    if isinstance(value, bool):
        word = "true" if value else "false"
    elif isinstance(value, str | int | float):
        word = str(value).strip().lower().replace(" ", "_")
    else:
        return None
    return _WORDS[kind].get(word)


def understand_verdict(value: object, kind: JudgeKind) -> str | None:
    """Read a judge's recorded verdict: as `understand`, and "unknown" too."""
    if isinstance(value, str) and value.strip().lower() == Decision.UNKNOWN:
        return Decision.UNKNOWN.value
    return understand(value, kind)


def vocabulary(kind: JudgeKind) -> str:
    """Name the words that are understood, for an error."""
    return ", ".join(_WORDS[kind])
