"""The sample sets are what their provenance says, and load through the same import as anybody's files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.errors import BadInput
from store.importing.importer import ImportOptions, import_files
from store.project import Project
from store.records import JudgeKind, Pair, Reason, Verdict
from store.runrecords import RunState
from store.samples import SAMPLE_SETS, load_samples

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
FOLDERS = [one.folder for one in SAMPLE_SETS]
FROM_ELSEWHERE = [folder for folder in FOLDERS if folder != "bakery"]

PLACEHOLDERS = {"johndoe@email.com", "your_email@example.com"}
"""Addresses that the source's authors wrote into form and code examples."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with Project.create(tmp_path_factory.mktemp("samples")) as opened:
        load_samples(opened)
        yield opened


def decided(project: Project, criterion: str) -> Counter[str]:
    labels = project.open_reference(criterion).labels
    return Counter(str(label.verdict) for label in labels.values())


def recorded(project: Project, judge: str) -> list[Verdict]:
    run = project.runs.get("latest", judge=project.judges.get(judge).hash)
    return list(project.runs.verdicts(run).values())


# --- Loaded -----------------------------------------------------------------------------------------


def test_there_are_five_criteria_each_about_its_own_traces(project: Project) -> None:
    sizes = {name: sum(map(len, project.rows_for(name))) for name in project.criteria.names()}
    assert sizes == {
        "allergen": 120,
        "code_review": 50,
        "helpfulness": 21,
        "summary_accuracy": 19,
        "preference": 100,
    }
    assert len(project.traces) == sum(sizes.values())


def test_labels_are_as_many_as_the_sources_say(project: Project) -> None:
    assert decided(project, "allergen") == {"pass": 79, "fail": 41}
    assert decided(project, "code_review") == {"pass": 23, "fail": 27}
    assert project.labels.annotators("code_review") == ("expert",)


@pytest.mark.parametrize(
    ("criterion", "matrix"),
    [("helpfulness", (7, 3, 2, 9)), ("summary_accuracy", (10, 2, 7, 0))],
    ids=["helpfulness", "summary_accuracy"],
)
def test_recorded_judges_agree_with_people_as_published(
    project: Project, criterion: str, matrix: tuple[int, int, int, int]
) -> None:
    labels = project.open_reference(criterion).labels
    found = Counter((labels[said.trace].verdict, said.verdict) for said in recorded(project, criterion))
    assert matrix == (
        found["pass", "pass"], found["pass", "fail"], found["fail", "pass"], found["fail", "fail"],
    )  # fmt: skip
    assert all(said.critique for said in recorded(project, criterion))


def test_critiques_that_a_person_rewrote_are_kept_as_notes(project: Project) -> None:
    notes = [label.note for label in project.open_reference("helpfulness").labels.values() if label.note]
    assert len(notes) == 8
    assert not any(label.note for label in project.open_reference("summary_accuracy").labels.values())


@pytest.mark.parametrize(
    ("judge", "right", "same"), [("gpt4_vanilla_norules", 187, 97), ("falcon_cot", 114, 14)]
)
def test_pairs_were_judged_in_both_orders_with_the_published_result(
    project: Project, judge: str, right: int, same: int
) -> None:
    said = recorded(project, judge)
    assert Counter(str(verdict.order) for verdict in said) == {"AB": 100, "BA": 100}
    gold = {}
    for verdict in said:
        pair = project.traces.get(verdict.trace)
        assert isinstance(pair, Pair)
        gold[pair.id] = pair.gold
    assert sum(verdict.verdict == gold[verdict.trace] for verdict in said) == right
    by_order = {(verdict.trace, str(verdict.order)): verdict.verdict for verdict in said}
    assert sum(by_order[name, "AB"] == by_order[name, "BA"] for name in gold) == same
    assert all(verdict.critique for verdict in said)
    unread = [verdict for verdict in said if verdict.verdict is None]
    assert all(verdict.reason is Reason.NO_VERDICT_RECORDED for verdict in unread)


def test_no_verdict_is_made_up(project: Project) -> None:
    ran = {run.plan().judge_name for run in project.runs.all()}
    assert ran == {"helpfulness", "summary_accuracy", "gpt4_vanilla_norules", "falcon_cot"}
    assert {project.runs.status(run).state for run in project.runs.all()} == {RunState.DONE}
    assert {judge.backend for judge in project.judges.all() if judge.name in ran} == {"imported"}
    ready = {(judge.criterion, judge.backend) for judge in project.judges.all() if judge.name not in ran}
    assert ready == {("allergen", "baseline"), ("code_review", "baseline")}


def test_every_criterion_is_written(project: Project) -> None:
    for name in project.criteria.names():
        criterion = project.criteria.latest(name)
        assert len(criterion.pass_definition) > 40
        assert criterion.fail_definition or criterion.kind is JudgeKind.PAIRWISE
        assert criterion.version == 1


def test_loading_twice_adds_nothing(tmp_path: Path) -> None:
    with Project.create(tmp_path) as project:
        load_samples(project)
        before = (len(project.traces), len(list(project.labels.history())), project.runs.ids())
        load_samples(project)
        assert (len(project.traces), len(list(project.labels.history())), project.runs.ids()) == before


def test_the_samples_do_not_overwrite_a_trace_of_the_same_id(tmp_path: Path) -> None:
    with Project.create(tmp_path / "project") as project:
        (tmp_path / "own.jsonl").write_text(
            '{"id": "b-001", "input": "q", "output": "own"}', encoding="utf-8"
        )
        import_files(project, [tmp_path / "own.jsonl"], ImportOptions())
        with pytest.raises(BadInput, match="'b-001' is taken"):
            load_samples(project)
        assert project.traces.get("b-001").input == "q"


# --- On disk ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", FROM_ELSEWHERE)
def test_provenance_and_licence_stand_beside_what_others_wrote(folder: str) -> None:
    text = (SAMPLES / folder / "PROVENANCE.md").read_text(encoding="utf-8")
    assert re.search(r"[\w-]+/[\w-]+, commit `[0-9a-f]{40}`", text)
    assert "What was changed" in text
    licence = (SAMPLES / folder / "LICENSE.upstream.txt").read_text(encoding="utf-8")
    named = "MIT License" if "**Licence**: MIT" in text else "Apache License"
    assert named in licence


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_row_is_a_plain_row_with_an_id(folder: str) -> None:
    for path in sorted((SAMPLES / folder).glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
        assert len({(row["id"], row.get("order")) for row in rows}) == len(rows)
        needed = {"input", "a", "b"} if folder == "pairs" else {"input", "output"}
        assert all(needed <= row.keys() for row in rows)


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_sample_holds_an_address_or_a_telephone_number(folder: str) -> None:
    for path in sorted((SAMPLES / folder).glob("*.jsonl")):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"[\w.+-]+@[\w-]+\.[\w.-]*\w", text)) <= PLACEHOLDERS
        assert not re.findall(r"\+\d[\d -]{8,}\d|\(\d{3}\) ?\d{3}-\d{4}|\b\d{3}-\d{3}-\d{4}\b", text)
