"""What a measurement says about its own rows."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from judging.authoring import JudgeOrder, make_judge
from judging.measuring import measure
from judging.planning import plan_run
from judging.running import carry_out
from store.errors import BadInput
from store.project import Project
from store.records import Criterion, JudgeKind, JudgeVersion, Label, Piled, PileName, Trace

GOOD, BAD = "says yes clearly and kindly", "refuses rudely without reason"


@pytest.fixture
def project(tmp_path: Path):
    with Project.create(tmp_path) as opened:
        opened.criteria.add(Criterion("tone", 1, "kind", "rude"))
        with opened.traces.writer() as writer:
            for number in range(40):
                writer.add(
                    Trace(f"t{number}", f"question {number}", f"{GOOD if number % 2 else BAD} {number}")
                )
            writer.publish()
        for number in range(40):
            label(opened, number)
        opened.piles.deal(
            Piled(f"t{number}", "tone", PileName.TRAIN if number < 20 else PileName.DEV, f"g{number}", 0)
            for number in range(40)
        )
        yield opened


def label(project: Project, number: int, verdict: str | None = None) -> None:
    said = verdict or ("pass" if number % 2 else "fail")
    project.labels.add(Label(f"t{number}", "tone", 1, said, "ann"))


def baseline(project: Project) -> JudgeVersion:
    return project.add_judge(JudgeVersion("b", "tone", 1, JudgeKind.PASS_FAIL, "plain", "baseline"))


def run(project: Project, judge: JudgeVersion, ids: tuple[str, ...]) -> None:
    plan = plan_run(project, judge, ids=ids)
    asyncio.run(carry_out(project, project.runs.create(plan)))


def test_verdicts_of_different_fits_are_named(project: Project) -> None:
    judge = baseline(project)
    run(project, judge, ("t20", "t21"))
    assert not any("different fits" in note for note in measure(project, judge).notes)
    label(project, 0, "pass")
    run(project, judge, ("t22", "t23"))
    assert any("2 different fits" in note for note in measure(project, judge).notes)


def test_nothing_to_compare_is_a_reason_and_not_a_figure(project: Project) -> None:
    judge = baseline(project)
    with pytest.raises(BadInput, match="has not been run"):
        measure(project, judge)


def test_rows_people_differ_on_are_left_out_and_said(project: Project) -> None:
    judge = baseline(project)
    run(project, judge, ("t20", "t21", "t22"))
    project.labels.add(Label("t20", "tone", 1, "pass", "bea"))
    measured = measure(project, judge)
    assert measured.counts.total == 2
    assert any("people differ on 1 rows" in note for note in measured.notes)


def test_a_newer_standard_makes_figures_stale(project: Project) -> None:
    judge = baseline(project)
    run(project, judge, ("t20", "t21"))
    assert measure(project, judge).stale == ()
    project.criteria.add(Criterion("tone", 1, "kind and short", "rude"))
    assert measure(project, judge).stale == ("the standard is now v2, this judge was made for v1",)


def test_a_baseline_made_over_train_is_another_version_when_train_changes(project: Project) -> None:
    first = make_judge(project, JudgeOrder("own", "tone", backend="baseline"))
    run(project, first, ("t20", "t21"))
    label(project, 0, "pass")
    with pytest.raises(BadInput, match="labels of train have changed"):
        plan_run(project, first, ids=("t22",))
    second = make_judge(project, JudgeOrder("own", "tone", backend="baseline"))
    assert second.hash != first.hash
    assert second.parent == first.hash
