"""A random sample with every row that a code judge fails beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from run_kit import add_judge, deal, make_project, pair, row

from judging.authoring import JudgeOrder, make_judge
from judging.planning import plan_run
from store.errors import BadInput
from store.identity import short_hash
from store.project import Project
from store.records import Criterion, Json, JudgeKind, JudgeVersion, PileName, Trace


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with make_project(tmp_path, [row(number) for number in range(1, 41)]) as made:
        yield made


def flagger(project: Project, pattern: str = r"number \d*7 ", **params: Json) -> JudgeVersion:
    params = {"pattern": pattern, "pass_when": "no match", **params}
    return make_judge(project, JudgeOrder("sevens", "c", backend="code", params=params))


def named(judge: JudgeVersion) -> str:
    return f"{judge.name}@{short_hash(judge.hash)}"


def test_the_random_rows_come_first_and_are_those_of_the_sample_alone(project: Project) -> None:
    judge, flag = add_judge(project), flagger(project)
    alone = plan_run(project, judge, sample=10, seed=3).traces
    both = plan_run(project, judge, sample=10, seed=3, flag=flag)
    failing = ["t7", "t17", "t27", "t37"]
    more = [trace for trace in failing if trace not in alone]
    assert both.traces == (*alone, *more)
    also = len(failing) - len(more)
    told = f" (it flags {also} of the sample too)" if also else ""
    assert both.slice == f"sample of 10 of 40 (all), seed 3, plus {len(more)} flagged by {named(flag)}{told}"


def test_rows_flagged_inside_the_sample_are_counted_and_judged_once(project: Project) -> None:
    flag = flagger(project, "number")
    plan = plan_run(project, add_judge(project), sample=30, flag=flag)
    assert len(plan.traces) == len(set(plan.traces)) == 40
    assert plan.slice.endswith(f"plus 10 flagged by {named(flag)} (it flags 30 of the sample too)")


def test_nothing_flagged_is_said_as_well(project: Project) -> None:
    flag = flagger(project, "nowhere")
    plan = plan_run(project, add_judge(project), sample=5, flag=flag)
    assert len(plan.traces) == 5
    assert plan.slice.endswith(f"plus 0 flagged by {named(flag)}")


def test_rows_a_check_cannot_decide_on_are_counted_and_not_taken(tmp_path: Path) -> None:
    rows = [Trace(f"t{n}", "?", "x", facts={"f": "bad"} if n > 2 else {}) for n in range(6)]
    with make_project(tmp_path, rows) as project:
        flag = flagger(project, "bad", field="facts.f")
        plan = plan_run(project, add_judge(project), sample=1, flag=flag)
    assert set(plan.traces[1:]) == {"t3", "t4", "t5"} - {plan.traces[0]}
    assert plan.slice.endswith("; it could not decide on 3")


def test_the_sealed_hold_out_is_never_flagged(project: Project) -> None:
    deal(project, [("t7", "fail")], PileName.HOLDOUT)
    plan = plan_run(project, add_judge(project), sample=2, flag=flagger(project))
    assert "t7" not in plan.traces
    assert {"t17", "t27", "t37"} <= set(plan.traces)


def test_a_sample_of_everything_needs_no_flags(project: Project) -> None:
    plan = plan_run(project, add_judge(project), sample=40, flag=flagger(project))
    assert (len(plan.traces), plan.slice) == (40, "all")


def test_a_function_that_fails_at_every_row_is_said_before_the_run(project: Project) -> None:
    (project.root / "checks.py").write_text("def check(row):\n    return row['reply']\n", "utf-8")
    flag = make_judge(project, JudgeOrder("f", "c", backend="code", params={"function": "checks:check"}))
    with pytest.raises(
        BadInput, match=r"'f' gives no verdict on any row: KeyError: 'reply' \(checks.py, line 2\)"
    ):
        plan_run(project, add_judge(project), sample=5, flag=flag)


def test_flags_need_a_sample_and_a_code_judge(project: Project) -> None:
    judge = add_judge(project)
    with pytest.raises(BadInput, match="say --sample N beside --flag"):
        plan_run(project, judge, every=True, flag=flagger(project))
    with pytest.raises(BadInput, match="only a code judge is asked on the spot"):
        plan_run(project, judge, sample=5, flag=judge)


def test_flags_are_for_single_traces(tmp_path: Path) -> None:
    with make_project(tmp_path, [pair(1), pair(2), row(1)], kind=JudgeKind.PAIRWISE) as project:
        project.criteria.add(Criterion("single", 1, "it answers", "it does not"))
        params = {"pattern": "a"}
        flag = make_judge(project, JudgeOrder("f", "single", backend="code", params=params))
        with pytest.raises(BadInput, match="flags are for single traces"):
            plan_run(project, add_judge(project), sample=1, flag=flag)
