"""How the Label screen looks; review the picture before accepting another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from label_kit import PERSON, make_project
from textual.pilot import Pilot

from store.project import Project
from store.records import Criterion, ToolCall, Trace, Turn
from tui.app import AdjudgeApp
from tui.session.labelling import LabelSession
from tui.session.queue import QueueOrder
from tui.session.session import Session

SnapCompare = Callable[..., bool]

CHAT = Trace(
    "b-203",
    "Are the coconut cookies nut-free?",
    "Yes! Coconut cookies have **no nuts** in them.\n\nAnything else I can [help] with?",
    messages=(
        Turn("user", "Hi, my son cannot have nuts."),
        Turn("assistant", "", (ToolCall("lookup", '{"item": "coconut cookies", "field": "ingredients"}'),)),
        Turn("tool", '{"ingredients": ["flour", "coconut"], "line": "shared"}', name="lookup"),
        Turn("user", "Are the coconut cookies nut-free?"),
    ),
    facts={"ingredients": "flour, coconut, sugar, butter; may contain traces of cashew (shared line)"},
)
PLAIN = Trace(
    "b-204", "Is the plum cake eggless?", "It is made with eggs.", facts={"ingredients": "eggs, plums"}
)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[AdjudgeApp]:
    """The app with a clock that stands still: the pace must not be in a picture."""
    make_project(tmp_path, [CHAT, PLAIN])
    with Project(tmp_path) as project:
        project.criteria.add(
            Criterion(
                "allergen",
                0,
                "Says whether the item contains, or may contain, the allergen asked about, by its list.",
                'Ignores it, states it wrongly, or guesses. "may contain traces" counts as contains.',
                facts_needed="the ingredient list of the item",
            )
        )
        session = Session(project, PERSON)
        criterion = session.criterion
        assert criterion is not None
        session._labelling[criterion.name, criterion.version] = LabelSession(
            project, criterion, PERSON, order=QueueOrder.IMPORTED, clock=lambda: 0.0
        )
        yield AdjudgeApp(session, start="label", environ={})


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_a_chat_to_label(snap_compare: SnapCompare, app: AdjudgeApp, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size)


def test_after_a_decision_with_a_note(snap_compare: SnapCompare, app: AdjudgeApp) -> None:
    async def decide(pilot: Pilot[None]) -> None:
        await pilot.press("n", *"shared", "enter", "f", "[")

    assert snap_compare(app, terminal_size=(80, 24), run_before=decide)
