"""Classes, scorecards and drawing in rounds, carried through the runner to the run's file and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe_kit import CARD, CLASSES, scores
from recipe_kit import says as says_bare
from run_kit import add_judge, add_run, calls_of, carry, make_project, says, times_asked, verdicts

from judging.summary import summarise
from store.records import JudgeKind


async def test_a_scorecards_points_are_kept_with_the_verdict_and_its_candidates(tmp_path: Path):
    with make_project(tmp_path, 2, kind=JudgeKind.SCORECARD) as project:
        judge = add_judge(project, n=3, **CARD)
        run = add_run(project, judge)
        await carry(project, run, [scores(1, 4, 2), scores(3, 4, 2), scores(4, 4, 2)] * 2)
        for verdict in verdicts(project, run).values():
            assert (verdict.verdict, verdict.scores) == (
                "3.5",
                {"accuracy": 3.0, "completeness": 4.0, "fluency": 2.0},
            )
            assert [one.scores["accuracy"] for one in verdict.candidates] == [1.0, 3.0, 4.0]
        assert summarise(project, run).counts == {"3.5": 2}


async def test_classes_are_counted_by_name(tmp_path: Path):
    with make_project(tmp_path, 3, kind=JudgeKind.CLASSIFY) as project:
        run = add_run(project, add_judge(project, classes=CLASSES))
        await carry(project, run, [says("billing"), says("Other"), says("unknown")])
        assert summarise(project, run).counts == {"billing": 1, "other": 1, "unknown": 1}


@pytest.mark.parametrize("concurrency", [1, 8])
async def test_rows_that_agree_early_are_asked_less_often(tmp_path: Path, concurrency: int):
    with make_project(tmp_path, 4) as project:
        run = add_run(project, add_judge(project, n=5, reducer="adaptive"), concurrency=concurrency)
        said: dict[int, list[str]] = {1: ["pass"] * 5, 2: ["fail"] * 5}
        split = ["pass", "fail", "pass", "fail", "pass"]

        def script(call):
            number = next(iter(times_asked([call])))
            return says(said.get(number, split)[call.sample])

        _, backend = await carry(project, run, script)
        assert times_asked(backend.asked) == {1: 3, 2: 3, 3: 5, 4: 5}
        found = verdicts(project, run)
        assert {trace: one.verdict for trace, one in found.items()} == {
            "t1": "pass", "t2": "fail", "t3": "pass", "t4": "pass",
        }  # fmt: skip
        assert "stopped after 3 of 5" in found["t1"].flags[0]
        assert found["t3"].flags == ()


async def test_an_advocated_row_pays_three_rounds_and_keeps_all_of_them(tmp_path: Path):
    with make_project(tmp_path, 1) as project:
        run = add_run(project, add_judge(project, n=3, reducer="critique", advocate=True))
        replies = [says("pass"), says("pass"), says("fail"), says_bare("unknown"), says("fail")]
        await carry(project, run, replies)
        verdict = verdicts(project, run)["t1"]
        assert verdict.verdict == "fail"
        assert [one.role for one in verdict.candidates] == ["candidate"] * 3 + ["advocate", "critic"]
        assert len(calls_of(run)) == 5
