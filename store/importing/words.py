"""The words that people and files use for a verdict: a closed list, so that nothing flips by guessing."""

from __future__ import annotations

from typing import Final

from store.records import Decision, JudgeKind

_PASS: Final = ("pass", "passed", "true", "yes", "good", "correct", "1", "1.0")
_FAIL: Final = ("fail", "failed", "false", "no", "bad", "incorrect", "0", "0.0")
_A: Final = ("a", "1", "model_a", "output_1", "response_a", "a>b", "answer a")
_B: Final = ("b", "2", "model_b", "output_2", "response_b", "b>a", "answer b")
_TIE: Final = ("tie", "c", "0", "a=b", "tie (bothbad)", "both", "equal")

_WORDS: Final[dict[JudgeKind, dict[str, str]]] = {
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

NOTHING: Final = (None, "")
"""What means that there is no verdict."""


def understand(value: object, kind: JudgeKind) -> str | None:
    """Read one word for a verdict.

    Args:
        value: As the file has it: text, a number or a boolean.
        kind: Which words are meant.

    Returns:
        "pass", "fail", "A", "B" or "tie"; None when the word is not on the list.
    """
    if isinstance(value, bool):
        word = "true" if value else "false"
    elif isinstance(value, str | int | float):
        word = str(value).strip().lower()
    else:
        return None
    return _WORDS[kind].get(word)


def understand_verdict(value: object, kind: JudgeKind) -> str | None:
    """Read a judge's recorded verdict: as `understand`, and "unknown" too."""
    if isinstance(value, str) and value.strip().lower() in ("unknown", "unsure"):
        return Decision.UNKNOWN.value
    return understand(value, kind)


def vocabulary(kind: JudgeKind) -> str:
    """Name the words that are understood, for an error."""
    return ", ".join(_WORDS[kind])
