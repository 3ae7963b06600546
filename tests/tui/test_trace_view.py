"""The view shows any trace at any size, reply in view, and sends only what changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region

from store.records import AnyTrace, Pair, ToolCall, Trace, Turn
from tui import theme
from tui.widgets.blocks import Block
from tui.widgets.trace_view import TraceView

CASES = Path(__file__).parents[1] / "cases"
LONG = Trace(
    "long",
    "a question",
    "\n".join(f"reply line {n}" for n in range(200)),
    (
        Turn("user", "a question"),
        Turn("assistant", "", (ToolCall("find", '{"item": "cookie"}'),)),
        Turn("tool", "\n".join(f"result {n}" for n in range(40)) + "\nneedle"),
    ),
)
SHORT = Trace("short", "nuts?", "No nuts.")


class Viewer(App[None]):
    def __init__(self, item: AnyTrace | None = None) -> None:
        super().__init__()
        self.animation_level = "none"
        for each in theme.themes():
            self.register_theme(each)
        self.theme = theme.DARK
        self.item = item

    def compose(self) -> ComposeResult:
        yield TraceView(placeholder="nothing to read")

    def on_mount(self) -> None:
        self.view.show(self.item)
        self.view.focus()

    @property
    def view(self) -> TraceView:
        return self.query_one(TraceView)

    def rows(self) -> list[str]:
        return [self.view.render_line(y).text.rstrip() for y in range(self.view.size.height)]


async def test_a_short_trace_is_shown_whole() -> None:
    app = Viewer(SHORT)
    async with app.run_test():
        rows = app.rows()
        assert rows[1].strip() == "nuts?"
        assert "reply under judgment" in rows[2]
        assert not any("more lines" in row for row in rows)


async def test_nothing_to_show_says_what_the_screen_gave_it_to_say() -> None:
    app = Viewer()
    async with app.run_test():
        assert app.rows()[0] == "nothing to read"


async def test_the_reply_is_in_view_and_what_is_out_of_view_is_said() -> None:
    app = Viewer(LONG)
    async with app.run_test():
        rows = app.rows()
        assert rows[0].startswith("┏ reply under judgment")
        assert rows[-1].startswith("▼ 179 more lines")


async def test_keys_scroll_to_both_ends_and_back_to_the_reply() -> None:
    app = Viewer(LONG)
    async with app.run_test() as pilot:
        await pilot.press("j", "j", "k")
        assert "reply line 0" in app.rows()[0]
        await pilot.press("space")
        assert "reply line 21" in app.rows()[0]
        await pilot.press("end")
        assert app.rows()[-2].startswith("┗")
        assert app.rows()[-1].startswith("▲")
        await pilot.press("home")
        assert app.rows()[0].startswith("─ user")
        await pilot.press("full_stop")
        assert app.rows()[0].startswith("┏ reply")


async def test_tool_traffic_folds_and_unfolds() -> None:
    app = Viewer(LONG)
    async with app.run_test() as pilot:
        await pilot.press("home")
        assert any("more characters folded" in row for row in app.rows())
        await pilot.press("v")
        assert not any("folded" in row for row in app.rows())
        assert any("result 10" in row for row in app.rows())


async def test_a_search_goes_to_its_hits_into_folded_text_and_around() -> None:
    app = Viewer(LONG)
    async with app.run_test() as pilot:
        assert app.view.search("needle") == 1
        assert any("needle" in row for row in app.rows())
        assert app.view.search("LINE 150") == 1
        assert any("reply line 150" in row for row in app.rows())
        assert app.view.search("reply line 1") == 111
        await pilot.press("greater_than_sign", "less_than_sign")
        assert any("reply line 1" in row for row in app.rows())
        assert app.view.search("[/") == 0
        assert app.view.search("") == 0


async def test_a_search_lasts_for_the_next_trace() -> None:
    app = Viewer(SHORT)
    async with app.run_test():
        app.view.search("nuts")
        app.view.show(Trace("n", "q", "nuts nuts"))
        assert app.view.hits == 2


async def test_a_prepared_trace_is_the_one_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Viewer(SHORT)
    async with app.run_test() as pilot:
        app.view.prepare(LONG)
        await pilot.pause()
        with monkeypatch.context() as patched:
            patched.setattr("tui.widgets.trace_view.blocks_of", lambda *_, **__: ())
            app.view.show(LONG)
        await pilot.pause()
        prepared = app.rows()
        assert "reply under judgment" in prepared[0]
        app.view.show(SHORT)
        app.view.show(LONG)
        await pilot.pause()
        assert app.rows() == prepared


async def test_preparing_one_trace_and_showing_another_shows_the_other() -> None:
    app = Viewer(SHORT)
    async with app.run_test() as pilot:
        app.view.prepare(LONG)
        await pilot.pause()
        app.view.show(Trace("x", "q", "other"))
        assert any("other" in row for row in app.rows())


async def test_showing_again_repaints_nothing_and_a_change_only_its_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Viewer(SHORT)
    async with app.run_test():
        sent: list[Region] = []
        monkeypatch.setattr(app.view, "refresh", lambda *regions, **_: sent.extend(regions))
        app.view.show(Trace("same", "nuts?", "No nuts."))
        assert sent == []
        app.view.show(Trace("other", "nut?", "No nuts."))
        assert sent == [Region(0, 1, len("  nuts?"), 1)]


SIZES = [tuple(size) for size in json.loads((CASES / "TER-03.json").read_text())["sizes"]]


@pytest.mark.parametrize(
    "item", [LONG, SHORT, Pair("p", "q", "漢字 " * 30, "b\n" * 30)], ids=["long", "short", "pair"]
)
async def test_every_size_works_and_all_is_back_afterwards(item: AnyTrace) -> None:
    app = Viewer(item)
    async with app.run_test(size=SIZES[0]) as pilot:
        before = app.rows()
        for width, height in [*SIZES[1:]]:
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            app.view.search("b")
            app.view.action_screens(1)
            app.view.action_top()
            app.view.show(item)
            app.view.search("")
            assert all(app.view.render_line(y).cell_length <= max(width, 1) for y in range(height))
        assert app.rows() == before


@pytest.mark.parametrize("size", SIZES)
async def test_it_starts_at_every_size(size: tuple[int, int]) -> None:
    app = Viewer(LONG)
    async with app.run_test(size=size):
        assert len(app.rows()) == size[1]


async def test_a_reader_keeps_their_place_when_the_window_changes() -> None:
    app = Viewer(LONG)
    async with app.run_test(size=(80, 24)) as pilot:
        app.view.action_reply()
        app.view.scroll_rows(50)
        assert "reply line 49" in app.rows()[0]
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert "reply line 49" in app.rows()[0]


async def test_five_megabytes_open_and_the_end_is_reached() -> None:
    app = Viewer(SHORT)
    async with app.run_test() as pilot:
        app.view.show(Trace("big", "q", "word " * 1_000_000 + "THE-END"))
        await pilot.pause()
        assert app.rows()[0].startswith("┏ reply under judgment · 5,000,007 characters")
        assert "about" in app.rows()[-1]
        await pilot.press("end")
        assert "THE-END" in app.rows()[-3]


async def test_a_theme_change_recolours_what_is_shown() -> None:
    app = Viewer(SHORT)
    async with app.run_test() as pilot:
        dark = [*app.view.render_line(1)]
        app.theme = theme.LIGHT
        await pilot.pause()
        light = [*app.view.render_line(1)]
        assert [segment.text for segment in dark] == [segment.text for segment in light]
        assert dark[0].style != light[0].style


async def test_any_titled_text_can_be_shown() -> None:
    app = Viewer()
    async with app.run_test():
        app.view.show_blocks([Block("pass", "says whether [it] contains \x1b[2J nuts")])
        assert app.rows()[1].strip() == "says whether [it] contains ␛[2J nuts"


async def test_a_click_unfolds_the_block_under_it() -> None:
    app = Viewer(LONG)
    async with app.run_test() as pilot:
        await pilot.press("home")
        row = next(y for y, text in enumerate(app.rows()) if "folded" in text)
        await pilot.click(TraceView, offset=(4, row))
        assert any("result 10" in text for text in app.rows())
