"""Rows of public benchmarks of judges, turned into the plain rows of pairs.

Recognised by their fields, which each benchmark has for itself: LLMBar's data set and its recorded
evaluators, JudgeBench's pairs, PandaLM's test set and its recorded judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importing.conversation import text_of
from store.importing.layout import Layout, Values
from store.records import Order


def _llmbar(row: Values) -> list[dict[str, object]]:
    """Unfold an LLMBar row: the last step of its pipeline holds the verdicts of both orders.

    The recorded winner is by the outputs' own numbers in both orders already.
    """
    pair: dict[str, object] = {
        "input": row["input"],
        "a": row["output_1"],
        "b": row["output_2"],
        "gold": row["label"],
    }
    steps = row.get("results")
    last = steps[-1] if isinstance(steps, list) and steps else None
    if not isinstance(last, Mapping):
        return [pair]
    rows = []
    for order, key in ((Order.AB, "swap = False"), (Order.BA, "swap = True")):
        said = last.get(key)
        if isinstance(said, Mapping):
            critique = _first(said.get("completion")) or _scores(last)
            rows.append(pair | {"order": order, "verdict": said.get("winner"), "critique": critique})
    return rows or [pair]


def _first(completion: object) -> str:
    """Give the text of ``[text, finish reason]``."""
    return text_of(completion[0]) if isinstance(completion, list) and completion else ""


def _scores(step: Values) -> str:
    """Say the two scores that a rating pipeline decides by."""
    scores = [_first(step.get(key)) for key in ("score_1", "score_2")]
    return f"score of A: {scores[0]}; score of B: {scores[1]}" if all(scores) else ""


def _judgebench(row: Values) -> list[dict[str, object]]:
    """Unfold a JudgeBench pair; its source says the category, e.g. "mmlu-pro-physics"."""
    read = ("pair_id", "question", "response_A", "response_B", "label")
    return [
        {
            "id": row["pair_id"],
            "input": row["question"],
            "a": row["response_A"],
            "b": row["response_B"],
            "gold": row["label"],
            "category": _category(text_of(row.get("source"))),
            **{name: value for name, value in row.items() if name not in read},
        }
    ]


def _category(source: str) -> str:
    known = ("mmlu-pro", "livebench-reasoning", "livebench-math", "livecodebench")
    return next((name for name in known if source.startswith(name)), source)


_PANDALM_WORDS: Final[Mapping[str, str]] = {"0": "tie", "1": "A", "2": "B"}
"""PandaLM's own code, in which 0 is a tie."""


def _pandalm(row: Values) -> list[dict[str, object]]:
    """Unfold a PandaLM pair into one row for each annotator; gold is the word of two or more of them."""
    people = [name for name in row if name.startswith("annotator")]
    words = [_PANDALM_WORDS.get(text_of(row[name]), text_of(row[name])) for name in people]
    winner = max(words, key=words.count)
    read = ("idx", "instruction", "input", "response1", "response2", *people)
    pair: dict[str, object] = {
        "id": f"pandalm-{text_of(row['idx'])}",
        "input": "\n\n".join(text for text in (text_of(row["instruction"]), text_of(row["input"])) if text),
        "a": row["response1"],
        "b": row["response2"],
        "gold": winner if words.count(winner) > 1 else None,
        **{name: value for name, value in row.items() if name not in read},
    }
    return [pair | {"annotator": name, "label": word} for name, word in zip(people, words, strict=True)]


def _pandalm_judge(row: Values) -> list[dict[str, object]]:
    """Unfold a recorded PandaLM verdict, which names its pair by number; one order was run."""
    judge = "gpt" if "gpt_result" in row else "pandalm"
    said = text_of(row[f"{judge}_result"])
    return [
        {
            "id": f"pandalm-{text_of(row['idx'])}",
            "order": Order.AB,
            # The source's word for an answer that could not be read.
            "verdict": None if said == "garbage" else _PANDALM_WORDS.get(said, said),
            "critique": row.get(f"{judge}_reason"),
        }
    ]


BENCHMARKS: Final = (
    # Its names are common ones, so rows with further fields are not taken for it.
    Layout(
        "LLMBar",
        frozenset({"input", "output_1", "output_2", "label"}),
        _llmbar,
        others=frozenset({"results"}),
    ),
    Layout(
        "JudgeBench", frozenset({"pair_id", "question", "response_A", "response_B", "label"}), _judgebench
    ),
    Layout(
        "PandaLM",
        frozenset({"idx", "instruction", "input", "response1", "response2", "annotator1", "annotator2"}),
        _pandalm,
    ),
    Layout("PandaLM judge", frozenset({"idx", "gpt_result"}), _pandalm_judge),
    Layout("PandaLM judge", frozenset({"idx", "pandalm_result"}), _pandalm_judge),
)
