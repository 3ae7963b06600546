"""Nothing in data steers the terminal or hides from the reader, and clean text is left alone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui import cells
from tui.text import content, one_line, plain, printable

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"

HOSTILE = {
    "escape": ("\x1b[31mred", "␛[31mred"),
    "bell": ("a\x07b", "a␇b"),
    "backspace": ("ab\b\bc", "ab␈␈c"),
    "null": ("a\0b", "a␀b"),
    "delete": ("a\x7fb", "a␡b"),
    "c1 csi": ("\x9b2J", "⟦CSI⟧2J"),
    "c1 osc": ("\x9d0;t", "⟦OSC⟧0;t"),
    "next line": ("a\x85b", "a⟦NEL⟧b"),
    "line separator": ("a\u2028b\u2029c", "a⟦LS⟧b⟦PS⟧c"),
    "override": ("\u202eabc\u202c", "⟦RLO⟧abc⟦PDF⟧"),
    "isolate": ("\u2066a\u2069", "⟦LRI⟧a⟦PDI⟧"),
    "marks": ("\u200e\u200f\u061c", "⟦LRM⟧⟦RLM⟧⟦ALM⟧"),
    "zero width": ("pass\u200bword\u2060\ufeff", "pass⟦ZWSP⟧word⟦WJ⟧⟦BOM⟧"),
    "soft hyphen": ("co\xadop", "co⟦SHY⟧op"),
    "surrogate": ("a\ud83db", "a⟦U+D83D⟧b"),
    "annotation": ("\ufff9", "⟦U+FFF9⟧"),
    "hidden tags": ("hi\U000e0069\U000e0067", "hi⟦TAG ig⟧"),
    "joiner between letters": ("a\u200db", "a⟦ZWJ⟧b"),
    "variation selector after a letter": ("a\ufe0f", "a⟦VS16⟧"),
    "chain of variation selectors": ("❤\ufe0f\ufe0e\ufe01", "❤\ufe0f⟦VS15⟧⟦VS2⟧"),
    "supplementary selector after a letter": ("a\U000e0101", "a⟦VS18⟧"),
    "lone carriage return": ("a\rb", "a␍b"),
    "form feed, vertical tab": ("a\x0cb\x0bc", "a␌b␋c"),
}

LEGITIMATE = [
    "plain text, [brackets] and \\ backslashes",
    "two\nlines",
    "👨‍👩‍👧‍👦 family, 👩🏽‍🚀 tone, ❤️ heart, 🏳️‍🌈 flag, 1️⃣ keycap, 🇩🇪",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "e\u0301 ñ ở ก็",
    "می‌خواهم",
    "ക്‍ശ क्‍ष",
    "葛\U000e0100 日本語　全角",
    "\xa0no-break\u2003spaces",
]


@pytest.mark.parametrize(("raw", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_characters_become_marks(raw: str, shown: str) -> None:
    assert printable(raw) == shown


@pytest.mark.parametrize("text", LEGITIMATE)
def test_legitimate_writing_is_untouched(text: str) -> None:
    assert printable(text) is text or printable(text) == text


def test_a_windows_line_ending_is_a_line_ending() -> None:
    assert printable("a\r\nb\r\n") == "a\nb\n"
    assert printable("a\r\r\nb") == "a␍\nb"


def test_tabs_reach_the_next_stop() -> None:
    assert printable("a\tb\n\tc") == "a   b\n    c"
    assert printable("a\tb", tabs=8) == "a       b"


def sec_01() -> list[str]:
    row = json.loads((CASES / "SEC-01.jsonl").read_text(encoding="utf-8"))
    return [row["input"], row["output"]]


@pytest.mark.parametrize("raw", sec_01())
def test_escape_codes_in_a_trace_reach_no_terminal(raw: str) -> None:
    for shown in (printable(raw), one_line(raw, 200), content(raw).plain, plain(raw)):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)
        assert all(mark in shown for mark in "␛␇"), shown
    assert "⟦CSI⟧31m" in printable(sec_01()[1])
    assert "␍verdict: pass␈␈F" in printable(sec_01()[1])


def bracket_texts() -> list[str]:
    rows = (CASES / "REN-01.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(row)[field] for row in rows for field in ("input", "output")]
    return [*texts, (CASES / "REN-02.txt").read_text(encoding="utf-8")]


@pytest.mark.parametrize("text", bracket_texts())
def test_brackets_are_text(text: str) -> None:
    assert printable(text) == text
    assert content(text).plain == text
    assert not content(text).spans
    assert one_line(text, 400) == text


def test_a_preview_is_cut_only_by_length() -> None:
    text = (CASES / "REN-02.txt").read_text(encoding="utf-8")
    assert one_line(text, len(text)) == text
    assert one_line(text, 20) == text[:19] + "…"


def test_a_preview_is_one_line_and_shows_where_lines_ended() -> None:
    assert one_line("first\nsecond\r\n", 40) == "first↵second"


def test_a_preview_of_nothing_wide_is_nothing() -> None:
    assert one_line("anything", 0) == ""
    assert one_line("anything", -3) == ""
    assert one_line("anything", 1) == "…"


def test_a_preview_never_halves_a_wide_character() -> None:
    assert one_line("日本語の文", 6) == "日本…"
    assert cells.width(one_line("日本語の文", 6)) == 5


def test_printing_to_a_narrow_encoding_cannot_raise() -> None:
    shown = plain("é\x1b ✓", encoding="ascii")
    assert shown.encode("ascii")
    assert "\x1b" not in shown


FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
ANY_TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from(
            "\x1b\r\n\t\x9b\u202e\u200d\u200c\ufe0f\u061c\u180b❤👩\U0001f3f4\U000e0067\U000e007fا क्a1"
        ),
    )
)


@given(ANY_TEXT)
def test_no_control_or_bidi_character_survives(text: str) -> None:
    shown = printable(text)
    assert FORBIDDEN.search(shown) is None
    assert printable(shown) == shown
    assert plain(text) == shown
    shown.encode("utf-8")


@given(
    st.text(
        st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters="\u115f\u1160\u3164\uffa0")
    )
)
def test_clean_text_is_unchanged(text: str) -> None:
    assert printable(text) == text


@given(ANY_TEXT, st.integers(-2, 60))
def test_a_preview_fits_its_width(text: str, width: int) -> None:
    shown = one_line(text, width)
    assert cells.width(shown) <= max(width, 0)
    assert "\n" not in shown


def test_importing_the_sanitiser_loads_no_toolkit() -> None:
    code = "import sys, tui.text; print([m for m in ('rich', 'textual') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
