"""`adjudge ablation` on the two recorded judges of pairs that the demo brings along."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tui.cli import main

FALCON, GPT4 = "falcon_cot", "gpt4_vanilla_norules"


@pytest.fixture
def demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["demo", str(tmp_path / "demo"), "--no-tui", "--json"]) == 0
    capsys.readouterr()
    return tmp_path / "demo"


@pytest.fixture
def runs(demo: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["--project", str(demo), "runs", "--json"]) == 0
    found = {one["judge"]: one["run"] for one in json.loads(capsys.readouterr().out)["runs"]}
    return f"{found[FALCON]},{found[GPT4]}"


def right_rows(judge: str) -> set[str]:
    """Read the rows that a recorded judge has right in order AB from the shipped recording itself."""
    path = Path(__file__).parents[2] / "sample_traces" / "pairs" / f"{judge}.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["id"] for row in rows if row["order"] == "AB" and row["verdict"] == row["gold"]}


def test_the_recorded_judges_differ_as_their_recordings_do(
    demo: Path, runs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--project", str(demo), "ablation", "--runs", runs, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    falcon, gpt4 = right_rows(FALCON), right_rows(GPT4)
    assert said["adds_up"] is True
    assert said["rows"] == 100
    first, second = said["steps"]
    assert (first["name"], first["accuracy"]) == (FALCON, len(falcon) / 100)
    assert second["accuracy"] == len(gpt4) / 100
    assert second["delta"] == pytest.approx((len(gpt4) - len(falcon)) / 100)
    assert second["low"] < second["delta"] < second["high"]
    assert set(second["rescued"]) == gpt4 - falcon
    assert set(second["lost"]) == falcon - gpt4
    assert second["p_value"] < 0.001
    # Recorded elsewhere: nobody knows what they took.
    assert (second["cost_usd"], second["output_tokens"]) == (None, None)
    assert "no data" in said["frontier"]["reason"]


def test_for_people_and_as_markdown_with_the_claims_beside(
    demo: Path, runs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ablation.md"
    words = ["ablation", "--runs", *runs.split(","), "--claims", "--markdown", str(file)]
    assert main(["--project", str(demo), *words]) == 0
    said = capsys.readouterr().out
    assert "the deltas add up to the total, in whole rows" in said
    assert "p-013" in said
    text = file.read_text(encoding="utf-8")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert next(csv.reader([table[0]], delimiter="|"))[1].strip() == "step"
    assert f"## {FALCON} to {GPT4}" in text
    assert "as claims" in text
    assert "split 18:6" in text


@pytest.mark.parametrize(
    "words", [["latest"], ["latest:last,latest"], ["latest,latest:first"], ["rx,latest"]]
)
def test_a_mistake_is_said_in_one_line_with_exit_code_2(
    demo: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--project", str(demo), "ablation", "--runs", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("adjudge: ")
