"""Public benchmarks of judges come in as they are published (the rows here are made up in their layouts)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.importing.importer import ImportOptions, import_files
from store.importing.report import ImportReport
from store.project import Project
from store.records import AnyTrace, Pair

Values = dict[str, object]

LLMBAR: Values = {"input": "Name a fruit.", "output_1": "A plum.", "output_2": "A chair.", "label": 1}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "project") as opened:
        yield opened


def take(project: Project, rows: list[Values], **said: str) -> ImportReport:
    path = project.root / "rows.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return import_files(project, [path], ImportOptions(**said))  # type: ignore[arg-type]  # a test's shorthand


def traces(project: Project) -> list[AnyTrace]:
    return [project.traces.at(row) for row in range(len(project.traces))]


def verdicts(project: Project) -> list[tuple[str | None, str | None, str]]:
    found = project.runs.verdicts(project.runs.get("latest")).values()
    return [(verdict.order, verdict.verdict, verdict.critique) for verdict in found]


def test_llmbar_labels_say_which_output_is_better(project: Project) -> None:
    report = take(project, [LLMBAR, {**LLMBAR, "input": "Name a tool.", "label": 2}])
    assert [one.gold for one in traces(project) if isinstance(one, Pair)] == ["A", "B"]
    assert (report.traces, report.notes) == (2, ("read as rows of LLMBar",))


def test_llmbar_verdicts_are_those_of_the_last_step_in_both_orders(project: Project) -> None:
    steps = [
        {"swap = False": {"completion": ["a first thought", "stop"]}},
        {
            "swap = False": {"completion": ["Output (a) names one.", "stop"], "winner": "1"},
            "swap = True": {"completion": ["I cannot say.", "stop"], "winner": None},
        },
    ]
    report = take(project, [{**LLMBAR, "results": steps}], criterion="better", judge="gpt")
    assert (report.traces, report.verdicts, report.rejected) == (1, 2, ())
    assert verdicts(project) == [("AB", "A", "Output (a) names one."), ("BA", None, "I cannot say.")]


def test_llmbar_ratings_keep_their_scores(project: Project) -> None:
    step = {
        "score_1": ["6", "stop"],
        "score_2": ["1", "stop"],
        "swap = False": {"winner": "1"},
        "swap = True": {"winner": "2"},
    }
    take(project, [{**LLMBAR, "results": [step]}], criterion="better", judge="rating")
    said = "score of A: 6; score of B: 1"
    assert verdicts(project) == [("AB", "A", said), ("BA", "B", said)]


def test_two_llmbar_judges_share_their_pairs(project: Project) -> None:
    for judge, winner in (("one", "1"), ("two", "2")):
        step = {"swap = False": {"completion": ["x", ""], "winner": winner}}
        take(project, [{**LLMBAR, "results": [step]}], criterion="better", judge=judge)
    assert (len(project.traces), len(project.runs.ids())) == (1, 2)


def test_rows_with_other_fields_are_not_taken_for_llmbar(project: Project) -> None:
    take(project, [{**LLMBAR, "id": "p", "label": "B"}], criterion="better", annotator="ada")
    [pair] = traces(project)
    assert isinstance(pair, Pair)
    assert (pair.id, pair.gold, project.labels.current("better", "ada")["p"].verdict) == ("p", None, "B")


def test_judgebench_pairs_have_gold_and_a_category(project: Project) -> None:
    row: Values = {
        "pair_id": "e3-02",
        "original_id": 14,
        "source": "mmlu-pro-law",
        "question": "Which clause?",
        "response_model": "m",
        "response_A": "The first.",
        "response_B": "The second.",
        "label": "B>A",
    }
    take(project, [row])
    assert traces(project) == [
        Pair(
            "e3-02",
            "Which clause?",
            "The first.",
            "The second.",
            "B",
            metadata={
                "category": "mmlu-pro",
                "original_id": 14,
                "source": "mmlu-pro-law",
                "response_model": "m",
            },
        )
    ]


def test_pandalm_keeps_three_people_and_their_majority(project: Project) -> None:
    row: Values = {
        "idx": 4,
        "motivation_app": "notes",
        "cmp_key": "m_n",
        "instruction": "Shorten.",
        "input": "A long text.",
        "response1": "Long.",
        "response2": "Text.",
        "annotator1": 2,
        "annotator2": 0,
        "annotator3": 2,
    }
    report = take(project, [row], criterion="better")
    [pair] = traces(project)
    assert isinstance(pair, Pair)
    assert (pair.id, pair.input, pair.gold) == ("pandalm-4", "Shorten.\n\nA long text.", "B")
    said = {name: project.labels.current("better", name)["pandalm-4"].verdict for name in
            project.labels.annotators("better")}  # fmt: skip
    assert said == {"annotator1": "B", "annotator2": "tie", "annotator3": "B"}
    assert (report.traces, report.labels) == (1, 3)


def test_pandalm_judges_join_their_pairs_and_an_unread_answer_is_no_verdict(project: Project) -> None:
    pair = {"instruction": "x", "input": "", "response1": "a", "response2": "b"}
    votes = {"annotator1": 1, "annotator2": 1, "annotator3": 1}
    take(project, [{"idx": idx, **pair, **votes} for idx in range(3)], criterion="better")
    said = ["1", "Tie", "garbage"]
    rows: list[Values] = [
        {"idx": idx, "gpt_result": word, "gpt_reason": f"r{idx}"} for idx, word in enumerate(said)
    ]
    report = take(project, rows, criterion="better", judge="gpt")
    assert (report.traces, report.verdicts, report.rejected) == (0, 3, ())
    assert verdicts(project) == [("AB", "A", "r0"), ("AB", "tie", "r1"), ("AB", None, "r2")]
    numbers: list[Values] = [{"idx": 0, "pandalm_result": 0, "pandalm_reason": "z"}]
    take(project, numbers, criterion="better", judge="pandalm")
    assert verdicts(project) == [("AB", "tie", "z")]
