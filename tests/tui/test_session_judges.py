"""Judge versions without a screen: the list, the parts, the form, differences, prompts and standards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import judge_kit
import lesson
import pytest

from judging.contexts import JudgeContexts
from judging.planning import Estimate
from judging.prompting import build_request
from store.errors import BadInput
from store.project import Project
from store.records import Criterion, JudgeKind, Label, PileName
from tui.session.judgefields import why_not_edited
from tui.session.judgeform import JudgeForm
from tui.session.judgeparts import Change, Part, diff_parts
from tui.session.judgeprompts import PromptReader, price_words
from tui.session.judges import JudgeDesk
from tui.session.metrics import BinaryView
from tui.session.session import Session
from tui.session.standards import StandardForm


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with judge_kit.dealt(tmp_path) as project:
        yield project


@pytest.fixture
def desk(project: Project) -> JudgeDesk:
    return JudgeDesk(Session(project, lesson.ME))


def form_on(project: Project) -> JudgeForm:
    return JudgeForm(project, project.criteria.latest("allergen"))


def part(desk: JudgeDesk, title: str) -> str:
    return next(one.text for one in desk.parts(desk.lines()[0].judge) if one.title.startswith(title))


# The list -------------------------------------------------------------------------------------------


def test_versions_are_listed_newest_first_with_their_origin(project: Project, desk: JudgeDesk) -> None:
    first = judge_kit.made(project)
    judge_kit.made(project, first, temperature="0.5")
    lines = desk.lines()
    assert [line.name for line in lines] == ["strict v2", "strict v1", "teach v1"]
    assert [line.parent for line in lines] == ["v1", "", ""]
    assert lines[1].stale == ("strict has a newer version",)
    assert lines[0].tag in lines[0].judge.hash


def test_a_version_made_from_an_older_one_says_so(project: Project, desk: JudgeDesk) -> None:
    first = judge_kit.made(project)
    judge_kit.made(project, first, temperature="0.5")
    third = judge_kit.made(project, first, temperature="0.7")
    assert third.parent == first.hash
    assert desk.lines()[0].parent == "v1"


def test_the_judge_used_is_at_hand_everywhere(project: Project, desk: JudgeDesk) -> None:
    judge = judge_kit.made(project)
    assert [line.name for line in desk.lines() if line.at_hand] == ["teach v1"]
    desk.use(judge)
    assert [line.name for line in desk.lines() if line.at_hand] == ["strict v1"]
    assert desk.session.judge == judge


def test_figures_are_those_of_the_versions_that_were_run(project: Project, desk: JudgeDesk) -> None:
    judge_kit.made(project)
    figures = desk.measure()
    assert isinstance(figures["teach v1"].figures, BinaryView)
    assert figures["teach v1"].pile is PileName.DEV
    assert not isinstance(figures["strict v1"].figures, BinaryView)


# The five parts -------------------------------------------------------------------------------------


def test_the_parts_hold_the_definitions_word_for_word(project: Project, desk: JudgeDesk) -> None:
    judge_kit.made(project, samples="3")
    assert part(desk, "2 PASS") == "says it as the ingredients say"
    assert part(desk, "2 FAIL") == "ignores or guesses"
    assert "the facts: ingredients" in part(desk, "3")
    assert part(desk, "4").count("\ncritique:") == 4
    assert "candidates: 3, made one by: majority" in part(desk, "5")
    assert '"verdict"' in part(desk, "5")


@pytest.mark.parametrize("backend", ["baseline", "imported"])
def test_judges_that_ask_no_model_have_parts_too(project: Project, desk: JudgeDesk, backend: str) -> None:
    if backend == "baseline":
        judge_kit.made(project, backend="baseline", name="words")
    assert part(desk, "4")
    assert "model:" not in part(desk, "5")


def test_without_a_judge_the_standard_is_what_there_is(desk: JudgeDesk) -> None:
    assert [one.title[0] for one in desk.parts(None)] == ["1", "2", "2"]


# The form -------------------------------------------------------------------------------------------


def test_only_rows_of_train_are_offered_as_examples_the_noted_first(project: Project) -> None:
    pool = form_on(project).pool()
    train = project.piles.members("allergen", PileName.TRAIN)
    assert {choice.label.trace for choice in pool} == set(train)
    noted = [bool(choice.label.note) for choice in pool]
    assert noted == sorted(noted, reverse=True)
    assert True in noted
    assert False in noted


def test_a_row_outside_train_is_refused_even_when_it_is_forced_in(project: Project) -> None:
    form = form_on(project)
    form.take(name="strict", model=judge_kit.MODEL)
    form.pick((project.piles.members("allergen", PileName.DEV)[0],))
    with pytest.raises(Exception, match="examples come from train only"):
        form.make()
    assert len(project.judges.all("allergen")) == 1


def test_a_version_is_written_once(project: Project) -> None:
    judge = judge_kit.made(project)
    form = JudgeForm(project, project.criteria.latest("allergen"), judge)
    again = form.make()
    assert (again.judge, again.is_new) == (judge, False)
    form.take(temperature="0")
    assert form.make().is_new
    assert project.judges.get(judge.hash) == judge


def test_examples_stand_in_the_order_they_were_picked(project: Project) -> None:
    form = form_on(project)
    form.take(name="strict", model=judge_kit.MODEL)
    wanted = tuple(choice.label.trace for choice in reversed(form.pool()[:3]))
    form.pick(wanted)
    made = form.make().judge
    assert tuple(one.trace for one in made.examples) == wanted


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": " "}, "name: a judge needs one"),
        ({"name": "a@b"}, "name: a judge needs one"),
        ({"model": " , "}, "model: type which model judges"),
        ({"temperature": "hot"}, "temperature: type a number"),
        ({"temperature": "nan"}, "temperature: type a number"),
        ({"max_tokens": "many"}, "max tokens: type a whole number, not 'many'"),
        ({"max_tokens": "0"}, "max_tokens has to be a whole number above 0"),
        ({"samples": "0"}, "n has to be a whole number from 1"),
        ({"examples": "900"}, "train holds"),
        ({"samples": "2", "model": "a, b, c"}, "one candidate from each of the models"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    project: Project, fields: dict[str, str], said: str
) -> None:
    form = form_on(project)
    form.take(**({"name": "strict", "model": judge_kit.MODEL} | fields))
    with pytest.raises(BadInput, match=said.replace("(", r"\(")):
        form.make()
    assert len(project.judges.all("allergen")) == 1


def test_a_name_that_belongs_to_another_criterion_is_refused(project: Project) -> None:
    project.criteria.add(Criterion("egg", 0, "good", "bad"))
    judge_kit.made(project)
    form = JudgeForm(project, project.criteria.latest("egg"))
    form.take(name="strict", model=judge_kit.MODEL)
    with pytest.raises(BadInput, match="strict is a judge of allergen"):
        form.make()


def test_a_preset_stands_for_recipe_number_and_reducer(project: Project) -> None:
    form = form_on(project)
    form.take(name="strict", model=judge_kit.MODEL)
    form.turn("tier", -1)
    assert form.words("tier").startswith("gate")
    assert not any(form.applies(field) for field in ("recipe", "samples", "reducer"))
    assert form.applies("critic_model")
    judge = form.make().judge
    assert judge.recipe == "teach"
    assert judge.params["n"] == 10
    assert judge.params["reducer"] == "critique"
    assert JudgeForm(project, form.criterion, judge).make().is_new is False


def test_settings_without_a_field_stay_and_go_with_what_they_belong_to(project: Project) -> None:
    judge = judge_kit.made(project, samples="3", reducer="critique", critic_model="other")
    judge = project.add_judge(
        replace(judge, params={**judge.params, "effort": "high", "advocate": True}, parent=None)
    )
    form = JudgeForm(project, project.criteria.latest("allergen"), judge)
    assert set(form.kept) == {"effort", "advocate"}
    assert "advocate, effort" in form.outlook() or "effort, advocate" in form.outlook()
    form.take(reducer="majority")
    params = form.make().judge.params
    assert params["effort"] == "high"
    assert not {"advocate", "critic_model"} & set(params)


def test_several_models_draw_in_turn(project: Project) -> None:
    judge = judge_kit.made(project, model="m-one, m-two")
    assert judge.model == "m-one"
    assert judge.params["models"] == ["m-one", "m-two"]
    assert JudgeForm(project, project.criteria.latest("allergen"), judge).fields.model == "m-one, m-two"


def test_the_baseline_has_no_fields_of_a_model(project: Project) -> None:
    form = form_on(project)
    form.take(name="words")
    form.turn("backend", 1)
    assert not any(form.applies(field) for field in ("model", "recipe", "examples", "picked", "tier"))
    judge = form.make().judge
    assert judge.backend == "baseline"
    assert judge.params["training"]


def test_a_pattern_is_a_judge_of_its_own_and_can_be_edited(project: Project) -> None:
    form = form_on(project)
    form.take(name="words", backend="code")
    with pytest.raises(BadInput, match="pattern: type a regular expression"):
        form.make()
    form.take(pattern="(nut")
    with pytest.raises(BadInput, match="is no regular expression"):
        form.make()
    form.take(pattern=" nut", searched="facts.ingredients")
    form.turn("pass_when", 1)
    form.turn("ignore_case", 1)
    judge = form.make().judge
    assert judge.params == {
        "pattern": " nut",
        "field": "facts.ingredients",
        "pass_when": "no match",
        "ignore_case": True,
    }
    assert JudgeForm(project, form.criterion, judge).make().is_new is False


def test_what_is_made_elsewhere_is_not_edited_here(project: Project) -> None:
    judge = judge_kit.made(project)
    assert why_not_edited(judge) == ""
    assert "made elsewhere" in why_not_edited(replace(judge, backend="imported"))
    by_function = replace(judge, backend="code", params={"function": "checks:nuts"})
    assert "--backend code --function" in why_not_edited(by_function)


def test_pairs_have_no_baseline(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path) as project:
        form = JudgeForm(project, project.criteria.latest("better"))
        assert form.backends == ("anthropic",)
        assert not form.applies("backend")


# Differences ----------------------------------------------------------------------------------------


def test_one_changed_sentence_shows_as_one() -> None:
    old = (Part("1 criterion", "x"), Part("2 PASS, word for word", "It says so. Traces are ignored."))
    new = (Part("1 criterion", "x"), Part("2 PASS, word for word", "It says so. Traces count."))
    assert [(line.change, line.text) for line in diff_parts(old, new)] == [
        (Change.PART, "2 PASS, word for word"),
        (Change.SAME, "It says so."),
        (Change.GONE, "Traces are ignored."),
        (Change.NEW, "Traces count."),
        (Change.NOTE, "the same in both: 1 criterion"),
    ]


def test_versions_differ_in_what_was_changed_and_in_nothing_else(project: Project, desk: JudgeDesk) -> None:
    first = judge_kit.made(project)
    second = judge_kit.made(project, first, recipe="teach")
    found = desk.diff(first, second)
    assert [line.text for line in found if line.change is Change.PART] == ["5 recipe and shape of the answer"]
    assert desk.others(second)[0] == first
    same = desk.diff(first, first)
    assert same[-1].text == "the five parts are the same"


# Prompts --------------------------------------------------------------------------------------------


def test_the_preview_is_exactly_what_is_sent(project: Project) -> None:
    judge = judge_kit.made(project)
    reader = PromptReader(project, judge)
    contexts = JudgeContexts.of(project, judge)
    assert len(reader.rows) == 48
    for _ in range(3):
        preview = reader.preview()
        assert preview is not None
        row = project.traces.get(preview.trace)
        wanted = build_request(row, judge, contexts.criterion, contexts.examples)
        assert preview.request is not None
        assert preview.request.hash == wanted.hash
        assert preview.tokens > 100
        reader.step(1)


def test_an_example_is_left_out_of_its_own_prompt_and_that_is_said(project: Project) -> None:
    judge = judge_kit.made(project)
    reader = PromptReader(project, judge)
    example = judge.examples[0].trace
    reader.go([project.traces.id_at(row) for row in reader.rows].index(example))
    preview = reader.preview()
    assert preview is not None
    assert preview.is_example
    assert preview.where == "train"
    assert preview.request is not None
    assert preview.request.system.count("### Row") == len(judge.examples) - 1


def test_no_note_of_a_row_reaches_any_prompt_but_those_of_examples(project: Project) -> None:
    judge = judge_kit.made(project, examples="0")
    for trace in project.piles.members("allergen", PileName.HOLDOUT):
        project.labels.add(Label(trace, "allergen", 1, "fail", lesson.ME, "SECRET-NOTE"))
    reader = PromptReader(project, judge)
    for position in range(len(reader.rows)):
        reader.go(position)
        preview = reader.preview()
        assert preview is not None
        assert preview.request is not None
        sent = preview.request.system + "".join(one.content for one in preview.request.messages)
        assert "SECRET-NOTE" not in sent
        assert lesson.ME not in sent


def test_a_search_goes_all_around_and_begins_where_it_is_told(project: Project) -> None:
    reader = PromptReader(project, judge_kit.made(project))
    reader.go(40)
    found = [position for position in reader.scan("sesame", here=True) if position is not None]
    assert found[0] == 43
    assert found[-1] == 39
    assert list(reader.scan("no such text", here=False)) == [None] * 48


def test_the_price_of_100_rows_is_a_hundredth_part_a_row(project: Project) -> None:
    said = PromptReader(project, judge_kit.made(project)).price()
    assert said.startswith("100 rows: about 100 calls, $")


def test_an_unknown_price_is_said(project: Project) -> None:
    said = PromptReader(project, judge_kit.made(project, model="house-model")).price()
    assert "price unknown: no price is known for 'house-model'" in said


def test_the_price_is_scaled_from_the_rows_that_were_looked_at() -> None:
    found = Estimate("j", 25, 50, 1, 1, 0.25, 0.5, 1.0, "table", "")
    assert price_words(found) == "100 rows: about 200 calls, $2.00 ($1.00 to $4.00), table"


def test_a_judge_without_a_model_costs_nothing(project: Project) -> None:
    reader = PromptReader(project, project.judges.get("teach"))
    assert not reader.asks_model
    assert "nothing to pay" in reader.price()


def test_pairs_are_shown_in_either_order(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path) as project:
        form = JudgeForm(project, project.criteria.latest("better"))
        form.take(model=judge_kit.MODEL, examples="0")
        reader = PromptReader(project, form.make().judge)
        first = reader.preview()
        reader.turn_order()
        second = reader.preview()
        assert first is not None
        assert second is not None
        assert first.request is not None
        assert second.request is not None
        assert first.request.hash != second.request.hash


# The standard ---------------------------------------------------------------------------------------


def test_an_edited_standard_is_a_new_version_and_old_labels_are_counted(
    project: Project, desk: JudgeDesk
) -> None:
    judge_kit.made(project)
    form = StandardForm(project, project.criteria.latest("allergen"), "anna")
    written = form.write(replace(form.texts, fail_definition="Traces count.", note="the coconut cookies"))
    assert (written.version, written.author, written.note) == (2, "anna", "the coconut cookies")
    assert project.criteria.version("allergen", 1).fail_definition == "ignores or guesses"
    age = desk.label_age()
    sealed = len(project.sealed("allergen"))
    assert age is not None
    assert age.older == 48 - sealed
    assert age.words() == f"labels by version of the standard: v1: {48 - sealed}; {sealed} more are sealed"
    assert desk.newly_stale() == 2


def test_a_standard_that_says_nothing_new_is_not_written(project: Project) -> None:
    form = StandardForm(project, project.criteria.latest("allergen"), "anna")
    with pytest.raises(BadInput, match="nothing differs"):
        form.write(replace(form.texts, note="only why"))
    with pytest.raises(BadInput, match="both definitions are needed"):
        form.write(replace(form.texts, pass_definition=" "))
    assert len(project.criteria.versions("allergen")) == 1


def test_the_first_criterion_needs_a_name_that_is_free(project: Project) -> None:
    form = StandardForm(project, None, "anna")
    texts = replace(form.texts, pass_definition="good", fail_definition="bad")
    with pytest.raises(BadInput, match="needs a name"):
        form.write(texts)
    with pytest.raises(BadInput, match="already"):
        form.write(replace(texts, name="allergen"))
    written = form.write(replace(texts, name="egg"))
    assert (written.name, written.version, written.kind) == ("egg", 1, JudgeKind.PASS_FAIL)
