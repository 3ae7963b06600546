"""Steps of an ablation from a project's runs, and from the candidates that one run recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest
from run_kit import USAGE, add_judge, add_run, carry, deal, make_project, number_asked, pair, put, row, says

from judging.ablating import AblationReport, measure_ablation
from judging.ablation_report import ablation_document, ablation_markdown
from judging.rederiving import StepReference, calls_of
from store.errors import BadInput, NotFound
from store.project import Project
from store.records import JudgeKind, PileName, Reason, Trace
from store.runrecords import CallRecord
from store.runs import Entry, RunFolder, RunWriter

VOTES = {
    1: ["pass", "pass", "fail"],
    2: ["fail", "pass", "pass"],
    3: ["fail", "fail", "pass"],
    4: ["pass", "fail", "fail"],
}
"""What the candidates say of each row. First: p f f p. Majority: p p f f."""
CRITIC = {1: "fail", 2: "pass", 3: "pass", 4: "fail"}
TRUTH = [("t1", "pass"), ("t2", "pass"), ("t3", "pass"), ("t4", "fail")]


def script(call):
    """Answer as a candidate by its sample, or as the critic, who is shown the candidates' critiques."""
    number = number_asked(call)
    if "because of the words" in call.request.messages[-1].content:
        return says(CRITIC[number])
    return says(VOTES[number][call.sample])


@pytest.fixture
async def ensemble(tmp_path) -> tuple[Project, RunFolder]:
    project = make_project(tmp_path / "p", 4)
    deal(project, TRUTH, PileName.DEV)
    run = add_run(project, add_judge(project, n=3, reducer="critique"))
    await carry(project, run, script)
    return project, run


def right(report: AblationReport) -> list[int]:
    return [step.right for step in report.found.steps]


async def test_one_ensemble_run_gives_first_majority_and_critique(ensemble) -> None:
    project, run = ensemble
    report = measure_ablation(project, [f"{run.id}:first", f"{run.id}:majority", run.id])
    # First is right on row 1, the vote on 1, 2 and 4, the critic on 2, 3 and 4.
    assert right(report) == [1, 3, 3]
    critic = report.found.steps[2].delta
    assert critic is not None
    assert (critic.rescued, critic.lost) == (("t3",), ("t1",))
    assert report.found.adds_up
    assert report.derived == (True, True, False)
    assert [step.name for step in report.found.steps] == ["j: first", "j: majority", "j"]


async def test_derived_steps_take_what_their_own_candidates_took(ensemble) -> None:
    project, run = ensemble
    report = measure_ablation(project, [f"{run.id}:first", f"{run.id}:majority", run.id])
    first, vote, critic = report.found.steps
    assert [step.output_tokens for step in (first, vote, critic)] == [
        4 * USAGE.output_tokens,
        4 * 3 * USAGE.output_tokens,
        4 * 4 * USAGE.output_tokens,
    ]
    assert first.cost_usd is not None
    assert vote.cost_usd == pytest.approx(3 * first.cost_usd)
    assert critic.cost_usd == pytest.approx(4 * first.cost_usd)
    # The critic is no better than the vote and dearer.
    assert [point.dominated_by for point in report.found.frontier.points] == [None, None, "j: majority"]


async def test_a_vote_of_fewer_candidates_is_of_the_first_ones(ensemble) -> None:
    project, run = ensemble
    report = measure_ablation(project, [f"{run.id}:majority1", f"{run.id}:majority", f"{run.id}:first"])
    assert right(report) == [1, 3, 1]
    with pytest.raises(BadInput, match="4 candidates a row are needed, 3 are recorded"):
        measure_ablation(project, [run.id, f"{run.id}:majority4"])


async def test_a_run_that_reuses_answers_has_the_same_derived_steps_and_costs(ensemble) -> None:
    project, run = ensemble
    again = add_run(project, project.judges.get("j"))
    asked = []
    await carry(project, again, asked.append)
    assert asked == []
    reports = [measure_ablation(project, [f"{one.id}:first", one.id]) for one in (run, again)]
    assert reports[0].found.steps[0].cost_usd == reports[1].found.steps[0].cost_usd is not None
    assert right(reports[0]) == right(reports[1])


def test_an_answer_stands_against_a_later_failure_of_the_same_call(tmp_path) -> None:
    project = make_project(tmp_path / "p", 1)
    judge = add_judge(project)
    failed = CallRecord("only failed", "", None, cost_usd=0.5, reason=Reason.TIMEOUT)
    answered = CallRecord("both", "pass", "end_turn", USAGE, 0.25)
    later = CallRecord("both", "", None, cost_usd=0.0, reason=Reason.TIMEOUT)
    writer = RunWriter(add_run(project, judge))
    writer.append(*(Entry(call=call) for call in (failed, answered, later)))
    writer.close()
    assert calls_of(project, [judge.hash]) == {"only failed": failed, "both": answered}


async def test_an_unread_verdict_is_wrong_and_a_row_without_label_is_counted_apart(tmp_path) -> None:
    project = make_project(tmp_path / "p", 3)
    deal(project, TRUTH[:2], PileName.DEV)
    judge = add_judge(project)
    good = add_run(project, judge)
    await carry(project, good, lambda call: says("pass"))
    other = add_judge(project, recipe="plain")
    bad = add_run(project, other, ids=["t1", "t3"])
    await carry(project, bad, lambda call: says("neither"))
    report = measure_ablation(project, [good.id, bad.id])
    assert report.found.rows == ("t1",)
    assert (report.found.left_out, report.without_reference) == (1, 1)
    assert right(report) == [1, 0]
    assert report.found.steps[1].delta is not None
    assert report.found.steps[1].delta.lost == ("t1",)


@pytest.mark.parametrize("kind", [JudgeKind.PASS_FAIL, JudgeKind.PAIRWISE])
async def test_rows_sealed_since_they_were_judged_are_no_part_of_an_ablation(tmp_path, kind) -> None:
    if kind is JudgeKind.PAIRWISE:
        rows = [replace(pair(number), gold="A") for number in range(1, 5)]
        word = "A"
    else:
        rows = [row(number) for number in range(1, 5)]
        word = "pass"
    project = make_project(tmp_path / "p", rows, kind=kind)
    ids = [one.id for one in rows]
    runs = []
    for recipe in ("plain", "teach"):
        run = add_run(project, add_judge(project, recipe=recipe), ids=ids)
        await carry(project, run, lambda call: says(word))
        runs.append(run.id)
    deal(project, [(one, word) for one in ids[:2]], PileName.DEV)
    deal(project, [(one, word) for one in ids[2:]], PileName.HOLDOUT)
    report = measure_ablation(project, runs)
    assert report.found.rows == tuple(ids[:2])
    assert report.without_reference == 2
    assert len({step.name for step in report.found.steps}) == 2


async def test_a_metadata_field_cuts_the_rows_and_an_unknown_one_is_refused(tmp_path) -> None:
    project = make_project(tmp_path / "p", 2)
    extra = Trace("t3", "q", "this is answer number 3 of them", metadata={"area": "x|y <b>"})
    put(project, [extra])
    deal(project, TRUTH[:3], PileName.DEV)
    run = add_run(project, add_judge(project, n=3), ids=["t1", "t2", "t3"])
    await carry(project, run, script)
    report = measure_ablation(project, [f"{run.id}:first", run.id], by="area")
    assert [(row.category, row.rows, row.few) for row in report.categories] == [
        ("(none)", 2, True),
        ("x|y <b>", 1, True),
    ]
    assert "| x\\|y &lt;b> | 1 (few) |" in ablation_markdown(report)
    with pytest.raises(BadInput, match="colour"):
        measure_ablation(project, [f"{run.id}:first", run.id], by="colour")


async def test_the_document_has_the_keys_scripts_rely_on(ensemble) -> None:
    project, run = ensemble
    document = ablation_document(measure_ablation(project, [f"{run.id}:first", run.id]))
    assert document["adds_up"] is True
    steps = document["steps"]
    assert isinstance(steps, list)
    for step in steps:
        keys = {"name", "accuracy", "delta", "low", "high", "p_value", "cost_usd", "output_tokens"}
        assert keys <= step.keys()
    assert steps[0]["delta"] is None
    assert steps[0]["reason"]
    assert steps[1]["delta"] == pytest.approx(0.5)


async def test_runs_that_cannot_be_steps_together_are_refused(ensemble, tmp_path) -> None:
    project, run = ensemble
    with pytest.raises(BadInput, match="at least two"):
        measure_ablation(project, [run.id])
    with pytest.raises(BadInput, match="twice"):
        measure_ablation(project, [run.id, run.id])
    with pytest.raises(NotFound):
        measure_ablation(project, [run.id, "rx"])
    single = add_run(project, add_judge(project), ids=["t1"])
    await carry(project, single, lambda call: says("pass"))
    with pytest.raises(BadInput, match="2 candidates a row are needed, 1 are recorded"):
        measure_ablation(project, [run.id, f"{single.id}:majority2"])
    pairs = make_project(tmp_path / "pairs", [pair(1)], kind=JudgeKind.PAIRWISE)
    runs = [add_run(pairs, add_judge(pairs, recipe=recipe)) for recipe in ("plain", "teach")]
    for one in runs:
        await carry(pairs, one, lambda call: says("A"))
    with pytest.raises(BadInput, match="nobody says what is right"):
        measure_ablation(pairs, [one.id for one in runs])


@pytest.mark.parametrize("text", ["", ":first", "r1:last", "r1:first3", "r1:majority0", "r1:first:first"])
def test_words_that_name_no_step_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="names no step"):
        StepReference.of(text)


def test_a_step_reference_is_read() -> None:
    assert StepReference.of("latest:majority5") == StepReference("latest", "majority", 5)
