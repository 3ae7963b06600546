"""Commands as scripts see them: one JSON document, exit codes, nothing changed by a mistake."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tui.cli import main

Run = Callable[..., Any]


@pytest.fixture
def demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["demo", str(tmp_path / "demo"), "--no-tui", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["traces"], said["labels"], said["runs"]) == (310, 210, 4)
    return tmp_path / "demo"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], demo: Path) -> Run:
    """Run a command on the demo project; give its one JSON document after checking its exit code."""

    def call(*words: str, code: int = 0) -> Any:
        assert main(["--project", str(demo), *words, "--json"]) == code
        out = capsys.readouterr().out
        assert out.count("\n") == 1
        return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))

    return call


def test_recorded_helpfulness_judge_has_the_published_rates(run: Run) -> None:
    said = run("metrics", "--criterion", "helpfulness", "--judge", "helpfulness")
    assert (said["strict"]["tpr"]["k"], said["strict"]["tpr"]["n"]) == (7, 10)
    assert (said["strict"]["tnr"]["k"], said["strict"]["tnr"]["n"]) == (9, 11)
    assert said["counts"]["no_verdict_pass"] == said["counts"]["no_verdict_fail"] == 0


def test_recorded_summary_judge_is_said_to_wave_everything_through(run: Run) -> None:
    said = run("metrics", "--criterion", "summary_accuracy", "--judge", "summary_accuracy")
    assert (said["strict"]["tpr"]["k"], said["strict"]["tpr"]["n"]) == (10, 12)
    assert (said["strict"]["tnr"]["k"], said["strict"]["tnr"]["n"]) == (0, 7)
    assert "waves everything through" in said["advice"]


@pytest.mark.parametrize(
    ("judge", "accuracy", "agreement"), [("gpt4_vanilla_norules", 0.935, 0.97), ("falcon_cot", 0.57, 0.14)]
)
def test_position_swap_of_recorded_pairs_is_as_published(
    run: Run, judge: str, accuracy: float, agreement: float
) -> None:
    said = run("swap", "--run", "latest", "--judge", judge)
    assert said["pairs"] == 100
    assert said["average_accuracy"]["value"] == pytest.approx(accuracy)
    assert said["agreement"]["value"] == pytest.approx(agreement)


def test_split_deals_the_bakery_as_the_lesson_does_and_moves_nothing_later(run: Run) -> None:
    first = run("split", "--criterion", "allergen")
    assert [first[pile]["n"] for pile in ("train", "dev", "holdout")] == [18, 48, 54]
    assert (first["dev"]["pass"], first["dev"]["fail"]) == (32, 16)
    assert first["holdout"] == {"n": 54}
    assert run("split", "--criterion", "allergen", "--seed", "9") == first | {"seed": 9}


def test_an_example_from_dev_or_holdout_is_refused(run: Run) -> None:
    run("split", "--criterion", "allergen")
    sealed = {label["trace"] for label in run("labels", "--criterion", "allergen")["labels"]}
    holdout = next(f"b-{n:03d}" for n in range(1, 121) if f"b-{n:03d}" not in sealed)
    words = ("judge", "new", "x", "--criterion", "allergen", "--model", "m", "--example", holdout)
    assert "examples come from train only" in run(*words, code=2)["error"]
    assert "x" not in {judge["name"] for judge in run("judge", "list")["judges"]}


def test_a_baseline_run_judges_dev_and_its_disagreements_are_listed(run: Run) -> None:
    run("split", "--criterion", "allergen")
    said = run("run", "--judge", "allergen_baseline", "--pile", "dev")
    assert said["asked"] == said["pass"] + said["fail"] == 48
    measured = run("metrics", "--judge", "allergen_baseline", "--pile", "dev")
    counts = measured["counts"]
    differ = run("disagreements", "--judge", "allergen_baseline", "--pile", "dev")["disagreements"]
    assert len(differ) == counts["fp"] + counts["fn"]
    assert [one["kind"] for one in differ] == ["false pass"] * counts["fp"] + ["false fail"] * counts["fn"]


def test_a_cause_is_given_and_taken_back(run: Run) -> None:
    words = ("disagreements", "--judge", "helpfulness")
    first, second = (one["trace"] for one in run(*words)["disagreements"][:2])
    run("cause", first, "judge slip", "--judge", "helpfulness")
    run("cause", second, "judge slip", "--judge", "helpfulness")
    run("cause", second, "none", "--judge", "helpfulness")
    assert run(*words)["causes"] == {"judge slip": 1}
    assert "do not differ" in run("cause", "h-01", "judge slip", "--judge", "helpfulness", code=2)["error"]


def test_an_undo_takes_the_newest_label_back_and_says_when_none_is_left(run: Run) -> None:
    me = ("--criterion", "allergen", "--annotator", "ann")
    run("label", "b-001", "pass", *me)
    run("label", "b-002", "fail", *me)
    assert run("label", "--undo", *me)["label"]["trace"] == "b-002"
    assert [label["trace"] for label in run("labels", *me)["labels"]] == ["b-001"]
    run("label", "--undo", *me)
    assert "no label" in run("label", "--undo", *me, code=2)["error"]


def test_a_gate_on_the_low_end_is_breached_where_the_point_passes(run: Run) -> None:
    words = ("metrics", "--judge", "helpfulness", "--require-tnr", "0.8")
    assert run(*words, "--on", "point")["breaches"] == []
    assert run(*words, code=1)["breaches"]


def test_sealed_labels_are_in_no_list(run: Run) -> None:
    run("split", "--criterion", "allergen")
    assert len(run("labels", "--criterion", "allergen")["labels"]) == 120 - 54
    assert len(run("labels", "--criterion", "allergen", "--history")["labels"]) == 120 - 54
    shown = [trace for trace in run("traces", "--limit", "0")["traces"] if trace["id"].startswith("b-")]
    assert sum(bool(trace["labels"]) for trace in shown) == 120 - 54


def test_opening_the_holdout_needs_a_yes_and_is_counted_once_a_version(run: Run) -> None:
    run("split", "--criterion", "allergen")
    assert "spends it" in run("open-holdout", "--judge", "allergen_baseline", code=2)["error"]
    for _ in range(2):
        said = run("open-holdout", "--judge", "allergen_baseline", "--yes")
        assert said["openings"] == 1
        assert said["rows"] == 54


def test_a_label_a_note_and_a_wrong_word(run: Run) -> None:
    said = run("label", "b-001", "fail", "--criterion", "allergen", "--annotator", "ann", "--note", "[/] why")
    assert said["label"]["verdict"] == "fail"
    assert run("label", "b-001", "maybe", "--criterion", "allergen", code=2)["error"]
    mine = run("labels", "--criterion", "allergen", "--annotator", "ann")["labels"]
    assert [(label["trace"], label["note"]) for label in mine] == [("b-001", "[/] why")]
    assert run("agreement", "--criterion", "allergen")["annotators"] == ["ann", "by hand"]


@pytest.mark.parametrize(
    "words",
    [
        ("metrics", "--judge", "nobody"),
        ("swap", "--run", "rx"),
        ("label", "nothing", "pass", "--criterion", "allergen"),
        ("criterion", "show", "nothing"),
        ("run", "--judge", "allergen_baseline", "--pile", "dev"),
        ("verdicts", "--run", "nothing"),
        ("resume", "nothing"),
        ("judge", "new", "j", "--criterion", "allergen", "--model", ""),
        ("import", "/nowhere.jsonl"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_said_in_one_line_with_exit_code_2(run: Run, words: tuple[str, ...]) -> None:
    said = run(*words, code=2)
    assert said["exit"] == 2
    assert said["error"]
    assert "\n" not in said["error"]


def test_every_edit_of_a_criterion_is_a_version_and_makes_figures_stale(run: Run) -> None:
    assert run("criterion", "edit", "helpfulness", "--fail", "Does not help.")["version"] == 2
    assert "v2" in " ".join(run("metrics", "--judge", "helpfulness")["stale"])
    assert run("criterion", "edit", "helpfulness", "--fail", "Does not help.", code=2)["error"]


def test_without_a_project_the_way_out_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["traces"]) == 2
    assert "adjudge init" in capsys.readouterr().err


def test_hostile_text_reaches_the_terminal_as_marks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rows.jsonl").write_text(
        json.dumps({"id": "\x1b[2Jx", "input": "a\x1b]0;T\x07", "output": "\x9b1m"})
    )
    root = str(tmp_path)
    assert main(["init", root]) == 0
    assert main(["--project", root, "import", str(tmp_path / "rows.jsonl")]) == 0
    assert main(["--project", root, "traces"]) == 0
    said = capsys.readouterr()
    assert not set(said.out + said.err) & {"\x1b", "\x07", "\x9b"}
    assert "␛[2Jx" in said.out


def test_the_lessons_first_judge_has_its_published_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [("pass", "pass", 31), ("pass", "fail", 1), ("fail", "pass", 7), ("fail", "fail", 9)]
    rows = [
        f"{label}-{verdict}-{number},question {label} {verdict} {number},reply,{label},{verdict}"
        for label, verdict, count in cells
        for number in range(count)
    ]
    (tmp_path / "dev.csv").write_text("\n".join(["id,input,output,label,verdict", *rows]) + "\n")
    root = ["--project", str(tmp_path)]
    assert main(["init", str(tmp_path)]) == 0
    words = ["import", str(tmp_path / "dev.csv"), "--criterion", "allergen", "--judge", "v1"]
    assert main([*root, *words]) == 0
    capsys.readouterr()
    assert main([*root, "metrics", "--judge", "v1", "--json"]) == 0
    strict = json.loads(capsys.readouterr().out)["strict"]
    # 31/32 and 9/16 with Wilson's 95 % interval; kappa from the four counts.
    assert [round(strict["tpr"][key], 4) for key in ("value", "low", "high")] == [0.9688, 0.8426, 0.9945]
    assert [round(strict["tnr"][key], 4) for key in ("value", "low", "high")] == [0.5625, 0.3318, 0.7690]
    assert round(strict["kappa"]["value"], 4) == 0.5862
