"""A trace becomes lines: everything is there, nothing is wider than the screen, size does not matter."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.records import Order, Pair, ToolCall, Trace, Turn
from tui import cells
from tui.theme import drawing
from tui.widgets.blocks import Block, blocks_of, default_folds, facts_of
from tui.widgets.inks import Ink, Line
from tui.widgets.json_text import reindented
from tui.widgets.trace_lines import Anchor, TraceLines


def every_line(lines: TraceLines) -> list[Line]:
    return lines.window(lines.first, 10**6)


def texts(lines: TraceLines) -> list[str]:
    return [line.text for line in every_line(lines)]


def body_of(lines: TraceLines) -> str:
    """What the frames hold, joined without the frames."""
    return "\n".join(re.sub(r"^[┃ ] | +┃$", "", text).rstrip() for text in texts(lines))


AGENT = Trace(
    id="c1",
    input="",
    output="It ships Monday.",
    messages=(
        Turn("user", "hi"),
        Turn("assistant", "", (ToolCall("lookup", '{"order": "A-1"}'),)),
        Turn("tool", "found [image]", name="lookup"),
    ),
)


def test_a_conversation_shows_its_turns_calls_and_results_in_order() -> None:
    shown = texts(TraceLines.of(AGENT, width=60))
    order = [
        next(i for i, text in enumerate(shown) if what in text)
        for what in (
            "─ user ",
            "  hi",
            "─ assistant calls lookup ",
            '{"order": "A-1"}',
            "─ tool (lookup) ",
            "found [image]",
            "┏ reply under judgment ",
            "┃ It ships Monday.",
            "┗━",
        )
    ]
    assert order == sorted(order)
    assert not any(word in "\n".join(shown) for word in ("None", "[object", "ToolCall", "Turn("))


def test_an_empty_reply_says_so() -> None:
    nested = Trace("c2", '{"messages": [{"role": "user", "content": "nested"}]}', "")
    shown = body_of(TraceLines.of(nested, width=60))
    assert "(empty)" in shown
    assert '"content": "nested"' in shown


def test_an_input_that_no_message_repeats_is_shown() -> None:
    told = Trace("t", "the task", "r", (Turn("user", "hi"),))
    repeated = Trace("t", "hi", "r", (Turn("user", "hi\n"),))
    assert [block.title for block in blocks_of(told)] == ["input", "user", "reply under judgment"]
    assert [block.title for block in blocks_of(repeated)] == ["user", "reply under judgment"]


def test_json_is_spread_over_lines_without_touching_a_token() -> None:
    raw = (
        '{"a": 1.0e3, "a": [1, {"long": "'
        + "x" * 60
        + '"}], "e": "\\u00e9\\u202e\\ud83d\\ude00\\n", "o": {}}'
    )
    spread = reindented(raw)
    assert spread is not None
    assert spread.splitlines() == [
        "{",
        '  "a": 1.0e3,',
        '  "a": [',
        "    1,",
        "    {",
        f'      "long": "{"x" * 60}"',
        "    }",
        "  ],",
        '  "e": "é\\u202e😀\\n",',
        '  "o": {}',
        "}",
    ]
    assert json.loads(spread) == json.loads(raw)


@pytest.mark.parametrize(
    "text", ["", "[bracketed] text", "12", '"text"', "{not json}", "[1, 2", "[" * 5000, '{\n "a": 1}']
)
def test_what_is_not_one_line_of_json_is_left_alone(text: str) -> None:
    assert reindented(text) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_reindented_json_means_the_same(value: object, ascii_only: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only)
    spread = reindented(raw)
    assert spread is None or json.loads(spread) == value
    assert (spread is None) == (not isinstance(value, dict | list))


def test_markdown_is_coloured_and_not_a_character_changes() -> None:
    source = "# Title\n- item **bold** and `code`\n```py\nx = **1**\n```\nafter **it**"
    lines = TraceLines.of(Trace("t", "q", source), width=60)
    assert source in body_of(lines)
    inks = {run.text.strip(): run.ink for line in every_line(lines) for run in line.runs}
    assert inks["# Title"] is Ink.HEADING
    assert inks["**bold**"] is Ink.STRONG
    assert inks["`code`"] is Ink.CODE
    assert inks["x = **1**"] is Ink.CODE
    assert inks["```"] is Ink.CODE
    assert inks["**it**"] is Ink.STRONG


def test_code_fences_are_known_in_the_middle_of_a_long_text() -> None:
    source = "```\n" + "x = **1**\n" * 5_000 + "```\n" + "y **2**\n" * 5_000
    lines = TraceLines.of(Trace("t", "q", source), width=60)
    shown = every_line(lines)
    assert {run.ink for line in shown for run in line.runs if "x = " in run.text} == {Ink.CODE}
    assert {run.ink for line in shown for run in line.runs if "**2**" in run.text} == {Ink.STRONG}


def test_brackets_and_escapes_in_a_trace_are_shown() -> None:
    shown = body_of(
        TraceLines.of(Trace("t", "[/] \x1b[2J", "[bold]x[/bold] \u202e\rverdict: pass"), width=80)
    )
    assert "[/] ␛[2J" in shown
    assert "[bold]x[/bold] ⟦RLO⟧␍verdict: pass" in shown


def test_folding_leaves_the_beginning_and_says_how_much_is_hidden() -> None:
    result = "\n".join(f"row {n}" for n in range(100))
    trace = Trace("t", "q", "r", (Turn("user", "q"), Turn("tool", result)))
    blocks = blocks_of(trace)
    folds = default_folds(blocks)
    assert folds == {1}
    shown = body_of(TraceLines(blocks, width=60, folded=folds))
    hidden = len(result) - len("row 0\nrow 1\nrow 2\n")
    assert f"row 2\n▸ {hidden} more characters folded" in shown
    assert "row 3" not in shown


def test_replies_and_turns_never_fold_by_themselves() -> None:
    long = "line\n" * 500
    assert default_folds(blocks_of(Trace("t", long, long, (Turn("user", long),)))) == frozenset()


# --- sizes -----------------------------------------------------------------------------------

GIANTS = {
    "words": "word " * 1_000_000,
    "solid": "x" * 1_000_000,
    "md": "\n\n".join(f"## h{i}\n\n- a\n- b `c`\n\n```py\nx=1\n```" for i in range(300)),
    "lines": "\n".join(f"line {i}" for i in range(200_000)),
    "wide": "漢字かな。" * 100_000,
    "marks": "a" + "\u0301" * 300_000,
}


@pytest.mark.parametrize("name", GIANTS)
def test_a_giant_is_read_at_both_ends_without_wrapping_the_middle(name: str) -> None:
    lines = TraceLines.of(Trace("t", "q", GIANTS[name] + "\nTHE END"), width=80)
    opening = lines.window(lines.opening(24), 24)
    ending = lines.window(lines.end(24), 24)
    assert len(opening) == len(ending) == 24
    assert "THE END" in ending[-2].text
    if name != "md":
        assert not lines.complete
        assert not lines.standing(lines.first, 24).exact
    assert all(line.cells <= 80 for line in (*opening, *ending))


@pytest.mark.parametrize("name", ["words", "solid", "lines"])
def test_nothing_of_a_giant_is_lost(name: str) -> None:
    text = GIANTS[name][:300_000]
    lines = TraceLines.of(Trace("t", "q", text), width=80)
    shown = "".join(t[2:-2].rstrip() for t in texts(lines) if t.startswith("┃"))
    assert shown.replace(" ", "") == re.sub(r"\s", "", text)


def test_wrapping_in_slices_ends_and_makes_the_count_exact() -> None:
    lines = TraceLines.of(Trace("t", "q", GIANTS["lines"]), width=80)
    before = lines.standing(lines.first, 10)
    while lines.wrap_more(20):
        pass
    after = lines.standing(lines.first, 10)
    assert after.exact
    assert not before.exact
    assert after.below == len(every_line(lines)) - 10


def test_size_is_said_in_the_title() -> None:
    assert "1,000,000 characters" in texts(TraceLines.of(Trace("t", "q", GIANTS["solid"]), width=80))[2]


# --- places ----------------------------------------------------------------------------------


def test_forward_and_back_are_opposites_and_stop_at_the_ends() -> None:
    lines = TraceLines.of(Trace("t", "q\n" * 30, "r\n" * 30_000), width=40)
    at = lines.forward(lines.first, 20_000)
    assert lines.back(at, 20_000) == lines.first
    assert lines.back(at, 10**7) == lines.first
    assert lines.forward(at, 10**7) == lines.last
    assert lines.window(at, 1) == every_line(lines)[20_000:20_001]


def test_what_fits_opens_at_its_top() -> None:
    lines = TraceLines.of(Trace("t", "q", "r"), width=40)
    assert lines.opening(24) == lines.first


@pytest.mark.parametrize("reply_lines", [1, 5, 18, 19, 60])
def test_the_reply_is_in_view_when_a_trace_opens(reply_lines: int) -> None:
    trace = Trace("t", "question\n" * 60, "\n".join(f"reply {n}" for n in range(reply_lines)))
    lines = TraceLines.of(trace, width=40)
    shown = [line.text for line in lines.window(lines.opening(20), 20)]
    assert any("reply under judgment" in text for text in shown)
    if reply_lines <= 18:
        assert shown[-1].startswith("┗")
    else:
        assert shown[0].startswith("┏")


@given(st.integers(0, 400), st.sampled_from([17, 40, 79, 120]))
@settings(max_examples=40)
def test_a_place_is_found_again_at_another_width(line: int, width: int) -> None:
    trace = Trace(
        "t", "question " * 40, "\n".join(f"paragraph {n} " + "of some words " * (n % 7) for n in range(150))
    )
    lines = TraceLines.of(trace, width=60)
    at = lines.forward(lines.first, line)
    place = lines.place(at)
    other = TraceLines.of(trace, width=width)
    again = other.place(other.find(place))
    assert again.block == place.block
    assert again.offset <= place.offset
    # A line holds at most as many characters as it is wide.
    assert place.offset - again.offset < max(60, width) or again.offset == -1


# --- search ----------------------------------------------------------------------------------


def test_hits_are_counted_marked_and_walked_in_order_around_the_end() -> None:
    trace = Trace("t", "Nut one", "a nut, a walNUT\n" + "filler\n" * 40 + "nut")
    lines = TraceLines.of(trace, width=40)
    assert lines.search("nut") == 4
    marked = [run.text for line in every_line(lines) for run in line.runs if run.ink is Ink.HIT]
    assert marked == ["Nut", "nut", "NUT", "nut"]
    walked = [lines.next_hit(lines.first) for _ in range(5)]
    assert walked[0] == walked[4]
    assert [anchor for anchor in walked if anchor] == walked
    assert walked[:4] == sorted(walked[:4], key=lambda anchor: anchor or Anchor(0, 0))
    now = [run.text for line in every_line(lines) for run in line.runs if run.ink is Ink.HIT_NOW]
    assert now == ["Nut"]
    assert lines.next_hit(lines.first, backwards=True) == walked[3]


def test_a_search_starts_from_where_one_stands() -> None:
    lines = TraceLines.of(Trace("t", "nut", "x\n" * 50 + "nut"), width=40)
    lines.search("nut")
    hit = lines.next_hit(lines.forward(lines.first, 10))
    assert hit is not None
    assert "nut" in lines.window(hit, 1)[0].text
    assert hit > lines.forward(lines.first, 40)


def test_a_hit_across_the_cut_of_a_long_paragraph_is_found() -> None:
    text = "word " * 3_000
    lines = TraceLines.of(Trace("t", "q", text), width=40)
    assert lines.search("rd wo") == 2_999


def test_nothing_found_is_nothing() -> None:
    lines = TraceLines.of(Trace("t", "q", "r"), width=40)
    assert lines.search("absent") == 0
    assert lines.next_hit(lines.first) is None
    assert lines.search("") == 0
    assert lines.next_hit(lines.first) is None


def test_brackets_can_be_searched_for() -> None:
    lines = TraceLines.of(Trace("t", "q", "see [/] and [/x]"), width=40)
    assert lines.search("[/") == 2


def test_hits_in_folded_blocks_are_told() -> None:
    lines = TraceLines([Block("tool", "x\n" * 50 + "needle")], width=40, folded=frozenset({0}))
    assert lines.search("needle") == 0
    assert lines.hidden_hits("NEEDLE") == {0}


# --- pairs -----------------------------------------------------------------------------------

PAIR = Pair("p", "Which?", "first answer\nsecond line", "other answer")


def test_two_answers_stand_beside_each_other_when_there_is_room() -> None:
    shown = texts(TraceLines.of(PAIR, width=100))
    assert "┏ answer A ━" in shown[2]
    assert "┏ answer B ━" in shown[2]
    assert "first answer" in shown[3]
    assert "other answer" in shown[3]
    assert all(cells.width(text) <= 100 for text in shown)


def test_two_answers_are_stacked_when_there_is_not() -> None:
    shown = texts(TraceLines.of(PAIR, width=99))
    tops = [text for text in shown if text.startswith("┏")]
    assert ["answer A" in tops[0], "answer B" in tops[1]] == [True, True]


@pytest.mark.parametrize("width", [80, 120])
def test_the_order_drawn_can_be_turned_and_names_stay(width: int) -> None:
    shown = "\n".join(texts(TraceLines.of(PAIR, width=width, order=Order.BA)))
    assert shown.index("answer B ") < shown.index("answer A ")
    assert shown.index("other answer") < shown.index("first answer")


def test_hits_are_walked_row_by_row_across_both_answers() -> None:
    lines = TraceLines.of(Pair("p", "q", "nut\nx\nnut", "x\nnut"), width=100)
    assert lines.search("nut") == 3
    rows = [lines.next_hit(lines.first) for _ in range(3)]
    assert [row.line for row in rows if row] == [0, 1, 2]


def test_long_answers_are_stacked_so_that_nothing_waits() -> None:
    lines = TraceLines.of(Pair("p", "q", "word " * 100_000, "b"), width=120)
    assert lines.window(lines.opening(20), 20)
    assert not lines.complete


# --- widths ----------------------------------------------------------------------------------

NASTY = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from("漢字 👩‍🚀\u0301\ufe0f\u200d\n\t`*#[]{}\x1b\u202e한🇩🇪"),
    ),
    max_size=200,
)


@given(NASTY, NASTY, st.integers(1, 130), st.booleans(), st.sampled_from(["", "a", "漢", "👩"]))
@settings(max_examples=300, deadline=None)
def test_no_line_is_wider_than_the_screen(one: str, other: str, width: int, pair: bool, term: str) -> None:
    item = Pair("t", one, other, one) if pair else Trace("t", one, other, (Turn(one[:9], other),))
    lines = TraceLines.of(item, width=width)
    lines.search(term)
    lines.next_hit(lines.first)
    for line in every_line(lines):
        assert sum(cells.width(run.text) for run in line.runs) == line.cells <= width
        assert "\n" not in line.text


@given(st.text(st.sampled_from("ab 漢👩\u200d🚀\u0301"), max_size=80), st.integers(2, 20))
def test_wrapping_drops_nothing_but_spaces(text: str, width: int) -> None:
    parts = [text[start:end] for start, end in cells.wrap(text, width)]
    assert "".join(parts).replace(" ", "") == text.replace(" ", "")


def test_wrapping_prefers_spaces_and_breaks_beside_wide_characters() -> None:
    assert [*_wrapped("one two three", 7)] == ["one two", "three"]
    assert [*_wrapped("漢字かな abc def", 5)] == ["漢字", "かな", "abc", "def"]
    assert [*_wrapped("  indented code here", 12)] == ["  indented", "code here"]
    assert [*_wrapped("", 5)] == [""]


def _wrapped(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in cells.wrap(text, width)]


def test_a_terminal_without_utf8_gets_ascii_frames() -> None:
    blocks = [*blocks_of(AGENT), *facts_of({"flour": "wheat " * 3_000, "a very long name " * 9: ""})]
    lines = TraceLines(blocks, width=40, folded=frozenset({4}), drawing=drawing(ascii_only=True))
    assert "\n".join(texts(lines)).isascii()


def test_no_blocks_is_said_too() -> None:
    assert texts(TraceLines([], width=10)) == ["(empty)"]
