"""The baseline: fitted on train alone, the same every time, and open about what decided."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_kit import add_judge, add_run, deal, make_project, put, verdicts

from judging.backends import open_backend
from judging.backends.baseline import TRAINING, BaselineBackend, training_params, training_set
from judging.running import carry_out
from store.errors import BadInput
from store.project import Project
from store.records import JudgeKind, Label, PileName, Trace

GOOD = (
    "yes it contains peanuts, please avoid it",
    "it has peanuts, do avoid it",
    "avoid it, peanuts are listed",
)
BAD = ("no worries, enjoy it freely", "enjoy it, no worries at all", "no worries about that one, enjoy")


def rows(prefix: str, texts: tuple[str, ...]) -> list[Trace]:
    return [Trace(f"{prefix}{number}", "is it safe?", text) for number, text in enumerate(texts)]


@pytest.fixture
def project(tmp_path: Path):
    others = [
        Trace("new-good", "?", "avoid peanuts"),
        Trace("new-bad", "?", "enjoy freely"),
        Trace("odd", "", "zzz"),
    ]
    with make_project(tmp_path, [*rows("g", GOOD), *rows("b", BAD), *others]) as made:
        deal(
            made,
            [(f"g{n}", "pass") for n in range(3)] + [(f"b{n}", "fail") for n in range(3)],
            PileName.TRAIN,
        )
        yield made


def fitted(project: Project, **params) -> BaselineBackend:
    backend = open_backend(add_judge(project, backend="baseline", **params), project)
    assert isinstance(backend, BaselineBackend)
    return backend


def test_it_tells_rows_apart_by_their_words(project: Project) -> None:
    backend = fitted(project)
    good = backend.judge(project.traces.get("new-good"), None)
    bad = backend.judge(project.traces.get("new-bad"), None)
    assert (good.verdict, bad.verdict) == ("pass", "fail")


def test_the_critique_names_words_with_their_direction_and_the_probability(project: Project) -> None:
    draft = fitted(project).judge(Trace("x", "?", "avoid peanuts and enjoy nothing"), None)
    before, _, after = draft.critique.partition("For pass:")
    assert draft.critique.startswith("Probability of pass 0.")
    assert '"enjoy" (-' in before
    assert '"peanuts" (+' in after
    assert '"avoid" (+' in after
    assert "6 labels of train (3 pass, 3 fail)" in draft.detail


def test_the_words_that_weigh_most_come_first_and_those_that_weigh_nothing_not_at_all(tmp_path: Path) -> None:
    good, bad = ("zebra apple", "zebra one", "zebra two"), ("yes three", "yes four", "yes five")
    labels = [*((f"g{n}", "pass") for n in range(3)), *((f"b{n}", "fail") for n in range(3))]
    with make_project(tmp_path, [*rows("g", good), *rows("b", bad)]) as project:
        deal(project, labels, PileName.TRAIN)
        draft = fitted(project).judge(Trace("x", "is it safe?", "apple zebra"), None)
    _, _, for_pass = draft.critique.partition("For pass: ")
    assert for_pass.startswith('"zebra" (+')
    assert for_pass.index('"zebra"') < for_pass.index('"apple"')
    assert "0.00)" not in draft.critique


def test_the_rarer_verdict_is_not_drowned(tmp_path: Path) -> None:
    many = [f"it has peanuts number {number}, avoid it" for number in range(30)]
    labels = [*((f"g{n}", "pass") for n in range(30)), *((f"b{n}", "fail") for n in range(3))]
    with make_project(tmp_path, [*rows("g", tuple(many)), *rows("b", BAD)]) as project:
        deal(project, labels, PileName.TRAIN)
        unlike = Trace("x", "is it safe?", "enjoy it, no worries")
        assert fitted(project).judge(unlike, None).verdict == "fail"


def test_the_verdict_agrees_with_the_probability_it_states(project: Project) -> None:
    backend = fitted(project)
    for trace in project.traces.ids():
        draft = backend.judge(project.traces.get(trace), None)
        probability = float(draft.critique.split("Probability of pass ")[1][:4])
        assert (draft.verdict == "pass") is (probability >= 0.5)


def test_a_row_without_a_known_word_says_so(project: Project) -> None:
    assert (
        "No word of this row occurs in train" in fitted(project).judge(Trace("x", "", "zzz"), None).critique
    )


def test_two_fits_on_the_same_labels_agree_to_the_last_digit(project: Project) -> None:
    one, other = fitted(project), fitted(project)
    for trace in project.traces.ids():
        assert one.judge(project.traces.get(trace), None) == other.judge(project.traces.get(trace), None)
    assert one._fit.model.coef_.tolist() == other._fit.model.coef_.tolist()


def test_it_learns_from_train_alone(project: Project) -> None:
    before = training_set(project, "c")
    put(project, rows("dev", ("peanuts are fine, enjoy",)))
    deal(project, [("dev0", "fail")], PileName.DEV)
    put(project, rows("held", ("peanuts, peanuts",)))
    deal(project, [("held0", "fail")], PileName.HOLDOUT)
    project.labels.add(Label("new-good", "c", 1, "fail", "ann"))
    assert training_set(project, "c") == before
    assert before.traces == ("b0", "b1", "b2", "g0", "g1", "g2")


def test_unsure_labels_teach_nothing(project: Project) -> None:
    project.labels.add(Label("g0", "c", 1, "unsure", "ann"))
    assert "g0" not in training_set(project, "c").traces


def test_a_judge_made_with_a_training_set_is_fitted_on_no_other(project: Project) -> None:
    judge = add_judge(project, backend="baseline", **training_params(project, "c"))
    assert judge.params[TRAINING] == training_set(project, "c").hash
    open_backend(judge, project)
    project.labels.add(Label("g0", "c", 1, "fail", "ann"))
    with pytest.raises(BadInput, match="have changed since"):
        open_backend(judge, project)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ([], "0 pass and 0 fail"),
        ([("g0", "pass"), ("g1", "pass"), ("g2", "pass")], "0 fail"),
        ([("g0", "pass"), ("b0", "fail"), ("b1", "fail"), ("b2", "fail")], "1 pass"),
    ],
)
def test_too_few_labels_are_refused_with_what_to_do(tmp_path: Path, labels, told) -> None:
    with make_project(tmp_path, [*rows("g", GOOD), *rows("b", BAD)]) as project:
        deal(project, labels, PileName.TRAIN)
        with pytest.raises(BadInput, match=told) as error:
            fitted(project)
        assert "adjudge split" in str(error.value)


def test_texts_without_a_single_word_are_refused(tmp_path: Path) -> None:
    blank = [Trace(f"x{number}", "", "!?") for number in range(6)]
    with make_project(tmp_path, blank) as project:
        deal(project, [(f"x{n}", "pass" if n % 2 else "fail") for n in range(6)], PileName.TRAIN)
        with pytest.raises(BadInput, match="no word"):
            fitted(project)


def test_pairs_are_not_for_it(tmp_path: Path) -> None:
    with (
        make_project(tmp_path, 1, kind=JudgeKind.PAIRWISE) as project,
        pytest.raises(BadInput, match="pass or fail"),
    ):
        fitted(project)


async def test_a_run_of_it_is_a_run_like_any_other_and_costs_nothing(project: Project) -> None:
    run = add_run(project, add_judge(project, backend="baseline"))
    outcome = await carry_out(project, run)
    assert (outcome.state, outcome.done) == ("done", 9)
    assert verdicts(project, run)["new-bad"].verdict == "fail"
    assert verdicts(project, run)["new-bad"].cost_usd == 0.0


def test_recorded_verdicts_have_nothing_to_run(project: Project) -> None:
    with pytest.raises(BadInput, match="nothing to run"):
        open_backend(add_judge(project, backend="imported"), project)
    with pytest.raises(BadInput, match="cannot be opened"):
        open_backend(add_judge(project, backend="telepathy"), project)
