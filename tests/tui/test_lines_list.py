"""A list of any length draws what is in view, moves by two rows, and knows rows by their index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static

from tui import theme
from tui.text import content
from tui.widgets.lines_list import LinesList

CASES = Path(__file__).parents[1] / "cases"


class Lister(App[None]):
    CSS = "LinesList { width: 1fr; } .crowded { padding: 0 1; } #neighbour { width: 70; }"

    def __init__(self, *, crowded: bool = False) -> None:
        super().__init__()
        self.animation_level = "none"
        for each in theme.themes():
            self.register_theme(each)
        self.theme = theme.DARK
        self.crowded = crowded
        self.asked: list[int] = []
        self.posted: list[tuple[str, int]] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield LinesList(
                empty="nothing here: press r to run", id="list", classes="crowded" if self.crowded else ""
            )
            if self.crowded:
                yield Static(content("x"), id="neighbour")

    def on_mount(self) -> None:
        self.list.focus()

    @property
    def list(self) -> LinesList:
        return self.query_one(LinesList)

    def row(self, index: int) -> Content:
        self.asked.append(index)
        return content(f"t-{index} [/] \x1b")

    def rows(self) -> list[str]:
        return [self.list.render_line(y).text.rstrip() for y in range(self.list.size.height)]

    def on_lines_list_moved(self, message: LinesList.Moved) -> None:
        self.posted.append(("moved", message.index))

    def on_lines_list_selected(self, message: LinesList.Selected) -> None:
        self.posted.append(("selected", message.index))


async def test_only_rows_in_view_are_asked_for() -> None:
    app = Lister()
    async with app.run_test() as pilot:
        app.list.set_rows(200_000, app.row)
        await pilot.pause()
        assert set(app.asked) == set(range(24))
        await pilot.press("end")
        assert app.list.cursor == 199_999
        assert app.rows()[-1] == "▌ t-199999 [/] ␛"
        assert len(set(app.asked)) < 100


async def test_the_cursor_moves_and_stays_in_view_and_messages_say_where() -> None:
    app = Lister()
    async with app.run_test() as pilot:
        app.list.set_rows(100, app.row)
        await pilot.press("down", "j", "up", "pagedown", "enter", "home", "k")
        assert app.posted == [
            ("moved", 1),
            ("moved", 2),
            ("moved", 1),
            ("moved", 24),
            ("selected", 24),
            ("moved", 0),
        ]
        app.list.move_to(60)
        assert any(row.startswith("▌ t-60 ") for row in app.rows())
        app.list.move_to(10**9)
        assert app.list.cursor == 99
        assert len([row for row in app.rows() if row]) == 24


async def test_a_step_repaints_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Lister()
    async with app.run_test() as pilot:
        app.list.set_rows(100, app.row)
        await pilot.pause()
        sent: list[Region] = []
        monkeypatch.setattr(app.list, "refresh", lambda *regions, **_: sent.extend(regions))
        app.list.action_move(1)
        assert [region.y for region in sent] == [0, 1]


async def test_rows_that_repeat_are_rows_of_their_own_and_refresh_twice() -> None:
    lines = (CASES / "REN-06.jsonl").read_text(encoding="utf-8").splitlines()
    verdicts = [json.loads(line) for line in lines]

    def row(index: int) -> Content:
        verdict = verdicts[index]
        return Content.assemble(theme.verdict_content(verdict["verdict"]), " ", content(verdict["trace_id"]))

    app = Lister()
    async with app.run_test() as pilot:
        for _ in range(3):
            app.list.set_rows(len(verdicts), row)
            await pilot.pause()
        assert [row.lstrip("▌ ") for row in app.rows()[:5]] == [
            "✓ pass t1",
            "✗ fail t1",
            "✗ fail t1",
            "✗ fail t1",
            "",
        ]


async def test_rows_may_go_away_under_the_cursor() -> None:
    app = Lister()
    async with app.run_test() as pilot:
        app.list.set_rows(100, app.row, cursor=90)
        await pilot.pause()
        app.list.set_rows(3, app.row)
        assert app.list.cursor == 2
        app.list.set_rows(0, app.row)
        assert app.list.cursor is None
        await pilot.press("down", "enter", "end")
        assert app.rows()[0] == "nothing here: press r to run"
        assert app.posted == []


async def test_a_row_is_cut_to_the_width_and_to_one_line() -> None:
    app = Lister()
    async with app.run_test(size=(20, 5)):
        app.list.set_rows(2, lambda _: content("first\nsecond and then more words"))
        assert app.rows()[0] == "▌ first second and …"
        assert app.list.render_line(0).cell_length == 20


@pytest.mark.parametrize("width", [70, 71, 72, 75, 82, 200])
async def test_no_columns_left_is_no_reason_to_die(width: int) -> None:
    app = Lister(crowded=True)
    async with app.run_test(size=(width, 10)) as pilot:
        app.list.set_rows(30, app.row)
        await pilot.press("down", "pagedown", "end", "home")
        columns = max(width - 70 - 2, 0)
        assert app.list.size.width == columns
        assert all(app.list.render_line(y).cell_length <= columns for y in range(10))


async def test_every_size_works_and_all_is_back_afterwards() -> None:
    sizes = json.loads((CASES / "TER-03.json").read_text())["sizes"]
    app = Lister()
    async with app.run_test(size=tuple(sizes[0])) as pilot:
        app.list.set_rows(500, app.row, cursor=5)
        await pilot.pause()
        before = app.rows()
        for width, height in sizes[1:]:
            await pilot.resize_terminal(width, height)
            await pilot.press("down", "up")
            assert any(f"t-{app.list.cursor}"[: max(width - 2, 0)] in row for row in app.rows())
        assert app.rows() == before


async def test_a_click_moves_the_cursor_and_a_second_one_selects() -> None:
    app = Lister()
    async with app.run_test() as pilot:
        app.list.set_rows(10, app.row)
        await pilot.click("#list", offset=(3, 4))
        await pilot.click("#list", offset=(3, 4))
        await pilot.click("#list", offset=(3, 15))
        assert app.posted == [("moved", 4), ("selected", 4)]


async def test_the_cursor_is_seen_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Lister()
    async with app.run_test() as pilot:
        app.list.set_rows(2, app.row)
        await pilot.pause()
        rows = [list(app.list.render_line(y)) for y in range(2)]
        reversed_rows = [any(part.style and part.style.reverse for part in row) for row in rows]
        assert reversed_rows == [True, False]
        assert app.rows()[0].startswith("▌")
