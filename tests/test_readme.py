"""Every command of the README runs as it stands there."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pexpect
import pytest
from messages_server import serving, verdict

from tui.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line]
WORKFLOW = [command for command in COMMANDS if command.startswith("adjudge ")]
OPENS_THE_APP = "adjudge label --criterion allergen"


def test_the_two_self_sufficient_commands_are_what_the_checks_run() -> None:
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- the test command -->" in README
    assert "<!-- the test command -->" in checks
    set_up = [command for command in COMMANDS if command.startswith("python3 -m venv")]
    assert len(set_up) == 2
    assert set_up[0].endswith(".venv/bin/adjudge demo")
    assert set_up[1].endswith(".venv/bin/pytest")


def test_every_other_command_is_a_benchmark_or_part_of_the_workflow() -> None:
    rest = [
        command
        for command in COMMANDS
        if command not in WORKFLOW and not command.startswith("python3 -m venv")
    ]
    assert rest
    for command in rest:
        module = re.fullmatch(r"python -m (benchmarks\.\w+)", command)
        assert module, command
        assert (ROOT / f"{module[1].replace('.', '/')}.py").is_file()


def test_the_workflow_runs_from_the_first_command_to_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (ROOT / "sample_traces" / "bakery" / "traces.jsonl").read_text(encoding="utf-8")
    (tmp_path / "conversations.jsonl").write_text(rows, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-0123456789")

    fails = {row["output"] for row in map(json.loads, rows.splitlines()) if row["label"] == "fail"}
    with serving(lambda ask: verdict("fail" if any(one in ask.text for one in fails) else "pass")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        for command in WORKFLOW:
            if command != OPENS_THE_APP:
                assert main(shlex.split(command)[1:]) == 0, command
        assert len(server.asks) == 48
    said = capsys.readouterr()
    assert "sk-ant-test" not in said.out + said.err
    kept = [path for path in (tmp_path / ".adjudge").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if b"sk-ant-test" in path.read_bytes()]


@pytest.mark.parametrize("words", [["demo"], ["label", "--criterion", "allergen"]], ids=" ".join)
def test_the_app_opens_from_the_command_and_quits_by_key(tmp_path: Path, words: list[str]) -> None:
    environment = {**os.environ, "TERM": "xterm-256color", "TMPDIR": str(tmp_path)}
    if words[0] != "demo":
        assert main(["demo", str(tmp_path / "p"), "--no-tui"]) == 0
        words = ["--project", str(tmp_path / "p"), *words]
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tui.cli", *words],
        env=environment,
        cwd=ROOT,
        dimensions=(24, 80),
        timeout=30,
        encoding="utf-8",
    )
    child.expect("allergen")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
