from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

Row = dict[str, object]
FOLDER = Path(__file__).resolve().parents[2] / "sample_traces" / "bakery"
REQUIRED = {"id", "input", "output", "facts", "item", "allergen", "channel", "at", "label", "note"}
NEAR = 0.6


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    text = (FOLDER / "traces.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def trigrams(text: object) -> set[tuple[str, ...]]:
    """Return the word trigrams; of a text shorter than three words, the words as they stand."""
    words = re.findall(r"\w+", str(text).lower())
    return {tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2))}


def jaccard(one: object, other: object) -> float:
    a, b = trigrams(one), trigrams(other)
    return len(a & b) / len(a | b)


def strings(value: object) -> Iterator[str]:
    """Yield every text inside a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(map(strings, [*value.keys(), *value.values()]))
    elif isinstance(value, list):
        yield from itertools.chain.from_iterable(map(strings, value))


def conversations(rows: list[Row]) -> list[tuple[Row, list[Row]]]:
    found = []
    for row in rows:
        turns = row.get("messages")
        if isinstance(turns, list):
            found.append((row, turns))
    return found


def test_there_are_79_passes_and_41_fails(rows: list[Row]) -> None:
    assert len(rows) == 120
    assert Counter(row["label"] for row in rows) == {"pass": 79, "fail": 41}


def test_ids_run_from_1_to_120_without_a_gap(rows: list[Row]) -> None:
    assert [row["id"] for row in rows] == [f"b-{i:03d}" for i in range(1, 121)]


def is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def test_every_row_has_the_fields_and_no_others(rows: list[Row]) -> None:
    assert all(REQUIRED <= row.keys() <= REQUIRED | {"messages"} for row in rows)
    for field in REQUIRED - {"note", "facts"}:
        assert all(is_text(row[field]) for row in rows), field


def test_every_row_has_ingredients(rows: list[Row]) -> None:
    for row in rows:
        facts = row["facts"]
        assert isinstance(facts, dict)
        assert isinstance(facts["ingredients"], str)
        assert facts["ingredients"].strip(), row["id"]


def test_every_fail_says_why(rows: list[Row]) -> None:
    assert [row["id"] for row in rows if row["label"] == "fail" and not str(row["note"]).strip()] == []


@pytest.mark.parametrize("field", ["input", "output"])
def test_no_two_texts_are_nearly_equal(rows: list[Row], field: str) -> None:
    alike = [
        (one["id"], other["id"])
        for one, other in itertools.combinations(rows, 2)
        if jaccard(one[field], other[field]) >= NEAR
    ]
    assert alike == []


def test_a_conversation_ends_with_the_question_or_a_tool_result(rows: list[Row]) -> None:
    with_turns = conversations(rows)
    assert 20 <= len(with_turns) <= 30
    for row, turns in with_turns:
        assert {turn["role"] for turn in turns} <= {"user", "assistant", "tool"}, row["id"]
        assert turns[-1]["role"] in {"user", "tool"}, row["id"]
        assert [turn["content"] for turn in turns if turn["role"] == "user"][-1] == row["input"], row["id"]


def test_the_reply_under_judgment_is_not_among_the_turns(rows: list[Row]) -> None:
    for row, turns in conversations(rows):
        assert row["output"] not in [turn["content"] for turn in turns], row["id"]


def test_every_tool_result_follows_its_call(rows: list[Row]) -> None:
    results = 0
    for row, turns in conversations(rows):
        for before, turn in itertools.pairwise(turns):
            assert (turn["role"] == "tool") == bool(before.get("tool_calls")), row["id"]
            results += turn["role"] == "tool"
    assert 6 <= results <= 8


def test_times_are_iso_with_a_zone_and_lie_in_the_autumn_of_2026(rows: list[Row]) -> None:
    times = [datetime.fromisoformat(str(row["at"])) for row in rows]
    assert all(time.tzinfo is not None for time in times)
    assert {(time.year, time.month) for time in times} == {(2026, 9), (2026, 10), (2026, 11)}


def test_channels_are_the_three_known_ones(rows: list[Row]) -> None:
    assert {row["channel"] for row in rows} == {"chat", "email", "whatsapp"}


def test_no_text_holds_a_control_or_format_character(rows: list[Row]) -> None:
    bad = [(row["id"], text) for row in rows for text in strings(row) if any(map(invisible, text))]
    assert bad == []


def invisible(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cf", "Co", "Cn", "Zl", "Zp"}


def test_no_length_of_reply_gives_the_label_away(rows: list[Row]) -> None:
    lengths = [(len(str(row["output"])), row["label"] == "fail") for row in rows]

    def balanced(cut: int) -> float:
        caught = sum(n >= cut for n, fail in lengths if fail) / 41
        spared = sum(n < cut for n, fail in lengths if not fail) / 79
        return max((caught + spared) / 2, 1 - (caught + spared) / 2)

    assert max(balanced(n) for n, _ in lengths) < 0.7


@pytest.mark.parametrize("word", ["traces", "contain", "contains", "no", "yes", "free", "list", "safe"])
def test_no_single_word_in_a_reply_gives_the_label_away(rows: list[Row], word: str) -> None:
    said = {
        label: [
            bool(re.search(rf"\b{word}\b", str(r["output"]).lower())) for r in rows if r["label"] == label
        ]
        for label in ("pass", "fail")
    }
    share = {label: sum(hits) / len(hits) for label, hits in said.items()}
    assert any(said["pass"]), "a word that no pass uses gives fails away"
    assert any(said["fail"]), "a word that no fail uses gives passes away"
    assert abs(share["pass"] - share["fail"]) < 0.25


def test_provenance_states_the_counts_of_the_file(rows: list[Row]) -> None:
    text = (FOLDER / "PROVENANCE.md").read_text(encoding="utf-8")
    reasons = [int(n) for n in re.findall(r"^\| .+ \| (\d+) \|$", text, flags=re.MULTILINE)]
    assert reasons[-1] == sum(reasons[:-1]) == sum(row["label"] == "fail" for row in rows)
    assert "120" in text
    assert "MIT" in text
