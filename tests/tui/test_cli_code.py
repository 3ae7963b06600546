"""`adjudge judge new --backend code` and `run --flag`, as a script sees them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store.project import Project
from tui.cli import main
from tui.session.judgeparts import parts_of
from tui.session.naming import about_judge

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a project of twenty rows; give its one JSON document, or what it complained of."""
    root = tmp_path / "project"
    rows = [
        {"id": f"t{n}", "input": "Hi?", "output": "Sorry!" if n in (4, 11) else "Hello."} for n in range(20)
    ]

    def call(*words: str, code: int = 0) -> Any:
        ended = main(["--project", str(root), *words, "--json"])
        said = capsys.readouterr()
        assert ended == code, said
        return json.loads(said.out) if code in (0, 3) else said.out + said.err

    assert main(["init", str(root), "--json"]) == 0
    capsys.readouterr()
    (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    call("import", str(tmp_path / "rows.jsonl"))
    call("criterion", "new", "polite", "--pass", "It greets.", "--fail", "It does not.")
    return call


def new(run: Run, name: str, *words: str, code: int = 0) -> Any:
    return run("judge", "new", name, "--criterion", "polite", "--backend", "code", *words, code=code)


def test_a_pattern_judge_is_made_run_and_used_to_flag(run: Run) -> None:
    made = new(run, "sorry", "--pattern", "SORRY", "--pass-when", "no-match", "--ignore-case")
    assert made["params"] == {
        "pattern": "SORRY",
        "field": "output",
        "pass_when": "no match",
        "ignore_case": True,
    }
    said = run("run", "--judge", "sorry", "--all")
    assert (said["pass"], said["fail"], said["cost_usd"], said["calls"]) == (18, 2, 0.0, 0)
    flagged = run("run", "--judge", "sorry", "--sample", "3", "--flag", "sorry")
    assert flagged["fail"] == 2
    assert "sample of 3 of 20 (all), seed 0, plus " in flagged["slice"]
    assert "flagged by sorry@" in flagged["slice"]


def test_a_function_judge_prints_nothing_into_the_document(run: Run, tmp_path: Path) -> None:
    source = "def polite(row):\n    print('looking')\n    return 'Hello' in row['output'], 'looked'\n"
    (tmp_path / "project" / "checks.py").write_text(source, "utf-8")
    made = new(run, "hello", "--function", "checks:polite")
    assert made["params"]["function"] == "checks:polite"
    assert made["params"]["source_hash"].startswith("sha256:")
    said = run("run", "--judge", "hello", "--all")
    assert (said["pass"], said["fail"]) == (18, 2)
    found = run("verdicts", "--run", "latest")["verdicts"]
    assert {one["critique"] for one in found} == {"looked"}


def test_mistakes_are_said_in_plain_words(run: Run) -> None:
    assert "there is no module 'nowhere'" in new(run, "x", "--function", "nowhere:f", code=2)
    assert "is no regular expression" in new(run, "x", "--pattern", "[", code=2)
    new(run, "ok", "--pattern", "a")
    assert "say --sample N beside --flag" in run("run", "--judge", "ok", "--all", "--flag", "ok", code=2)


def test_the_app_says_what_a_code_judge_is(run: Run, tmp_path: Path) -> None:
    new(run, "sorry", "--pattern", "SORRY", "--ignore-case")
    with Project(tmp_path / "project") as project:
        judge = project.judges.get("sorry")
        assert about_judge(judge) == "regular expression"
        told = "\n".join(part.text for part in parts_of(project, judge))
    assert "pattern: SORRY" in told
    assert "of each row: output" in told
    assert "elsewhere" not in told
