"""A small project to label, and the app on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from textual.app import App
from textual.pilot import Pilot

from store.project import Project
from store.records import AnyTrace, Criterion, JudgeKind, Pair, Trace
from tui.app import AdjudgeApp
from tui.screens.label import LabelScreen
from tui.session.labelling import LabelSession
from tui.session.queue import QueueOrder
from tui.session.session import Session

PERSON = "asha"
ENVIRON = {"TEXTUAL_THEME": "adjudge-dark"}


def trace(number: int, text: str = "") -> Trace:
    return Trace(
        f"t{number}",
        f"question {number}: does the rusk hold almonds?",
        f"answer {number}: no {text}".strip(),
        facts={"ingredients": f"flour, almond, sugar, fact {number}"},
    )


def make_project(
    root: Path, traces: Sequence[AnyTrace] | int = 5, kind: JudgeKind = JudgeKind.PASS_FAIL
) -> None:
    with Project.create(root) as project:
        project.criteria.add(
            Criterion("allergen", 0, "Says what the ingredients say.", "Ignores them, or guesses.", kind)
        )
        rows = [trace(number) for number in range(1, traces + 1)] if isinstance(traces, int) else traces
        with project.traces.writer() as writer:
            for row in rows:
                writer.add(row)
            writer.publish()


def pairs(count: int) -> list[Pair]:
    return [Pair(f"p{n}", f"prompt {n}", f"first {n}", f"second {n}") for n in range(1, count + 1)]


@contextmanager
def opened(root: Path, *, start: str = "label") -> Iterator[AdjudgeApp]:
    """Give the app on a project, traces in the order of their import."""
    with Project(root) as project:
        session = Session(project, PERSON)
        if session.labelling is not None:
            session.labelling.reorder(QueueOrder.IMPORTED)
        yield AdjudgeApp(session, start=start, environ=ENVIRON)


def labelling_of(app: AdjudgeApp) -> LabelSession:
    found = app.session.labelling
    assert found is not None
    return found


def here(app: AdjudgeApp) -> str:
    """The id of the trace at hand."""
    found = labelling_of(app).trace
    assert found is not None
    return found.id


def labels(app: AdjudgeApp) -> dict[str, str | None]:
    current = app.session.project.labels.current("allergen", PERSON)
    return {trace: label.verdict for trace, label in current.items()}


def screen_of(app: AdjudgeApp) -> LabelScreen:
    assert isinstance(app.screen_stack[0], LabelScreen)
    return app.screen_stack[0]


def drawn(app: App[None]) -> str:
    """All that is on the screen, row by row."""
    return "\n".join(
        "".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips(app.size)
    )


async def settled(pilot: Pilot[None]) -> str:
    """All that is on the screen once nothing changes any more, however slow the machine is."""
    before, now = "", drawn(pilot.app)
    same = 0
    while same < 3:
        await pilot.pause()
        before, now = now, drawn(pilot.app)
        same = same + 1 if before == now else 0
    return now
