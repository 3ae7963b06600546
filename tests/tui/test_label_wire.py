"""In a real pseudo-terminal: what a label costs, and what is left when the app is killed or told to stop."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from label_kit import PERSON, make_project, trace

from benchmarks.terminal import ROOT, Chunk, Terminal, terminal
from store.project import Project

READY = b"reply under judgment"
FRAME_END = b"\x1b[1;1H"
SAVED = re.compile(r"last: [✓✗?] (pass|fail|unsure) (t\d+) saved")
RESTORED = (b"\x1b[?1049l", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?25h")
BREAKS = """
import sys
from tui.cli import main
from tui.screens.label import LabelScreen

def breaks(self):
    raise RuntimeError("something nobody thought of")

LabelScreen.action_order = breaks
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(tmp_path, [trace(n, "word " * 380) for n in range(1, 400)])
    return tmp_path


def app_on(root: Path) -> list[str]:
    return ["-m", "tui.cli", "--project", str(root), "label"]


def joined(chunks: list[Chunk]) -> bytes:
    return b"".join(chunk.data for chunk in chunks)


def text_of(out: bytes) -> str:
    """What was drawn, without the sequences that place and colour it."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", out.decode(errors="ignore"))


def labels(root: Path) -> dict[str, str | None]:
    with Project(root) as project:
        return {t: label.verdict for t, label in project.labels.current("allergen", PERSON).items()}


def test_a_label_costs_few_bytes(root: Path) -> None:
    with terminal(app_on(root)) as far:
        far.until(READY)
        far.settled(0.5)
        marks, nexts = [], []
        for key in "pfupfu":
            far.type(key)
            out = joined(far.until(b"saved") + far.settled())
            split = out.index(FRAME_END, out.index(b"saved")) + len(FRAME_END)
            marks.append(split)
            nexts.append(len(out) - split)
        assert max(marks) <= 500, marks
        assert max(nexts) <= 9_000, nexts
        assert min(nexts) > 500, nexts


def kill_while_labelling(root: Path, chance: random.Random) -> dict[str, str]:
    """Label as fast as marks come and kill the app at some moment; return what was confirmed."""
    out = b""
    with terminal(app_on(root)) as far:
        far.until(READY)
        far.settled(0.1)
        end = time.perf_counter() + chance.uniform(0.01, 0.35)
        while time.perf_counter() < end:
            far.type(chance.choice("pfu"))
            if chunk := far.read(chance.uniform(0.0, 0.02)):
                out += chunk.data
        if chance.random() < 0.7:
            # The moment that matters most: the mark has just come.
            far.type("p")
            out += joined(far.until(b"saved"))
        far.kill()
        out += joined(far.settled(0.05))
        far.wait()
    return {found: verdict for verdict, found in SAVED.findall(text_of(out))}


def check_kills(root: Path, kills: int, seed: int) -> int:
    """Kill some times; every label whose mark was drawn must be there. Return how many were confirmed."""
    chance = random.Random(seed)
    confirmed = 0
    kept = labels(root)
    for _ in range(kills):
        drawn = kill_while_labelling(root, chance)
        now = labels(root)
        assert {t: now.get(t) for t in kept} == kept
        assert {t: now.get(t) for t in drawn} == drawn
        confirmed += len(drawn)
        kept = now
    return confirmed


def test_a_label_whose_mark_was_drawn_survives_a_kill(root: Path) -> None:
    assert check_kills(root, 8, seed=11) > 8


def stopped(far: Terminal) -> tuple[bytes, int]:
    """Read to the end; give what came last and the exit code."""
    out = joined(far.settled(1.0))
    return out, far.wait()


def assert_restored(far: Terminal, out: bytes, before: list[object]) -> None:
    for sequence in RESTORED:
        assert sequence in out
    assert out.rindex(b"\x1b[?1049l") > out.rfind(b"\x1b[?1049h")
    assert termios.tcgetattr(far.fd) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda n: n.name)
def test_a_signal_gives_the_terminal_back(root: Path, number: signal.Signals) -> None:
    with terminal(app_on(root), columns=80, rows=24) as far:
        before = termios.tcgetattr(far.fd)
        far.until(READY)
        far.type("p")
        far.until(b"saved")
        far.kill(number)
        out, code = stopped(far)
        assert_restored(far, out, before)
        assert code == 128 + number
    assert list(labels(root).values()) == ["pass"]


def test_an_error_nobody_thought_of_gives_the_terminal_back(root: Path) -> None:
    argv = ["-c", BREAKS, "--project", str(root), "label"]
    with terminal(argv, columns=80, rows=24) as far:
        before = termios.tcgetattr(far.fd)
        far.until(READY)
        far.type("p")
        far.until(b"saved")
        far.type("o")
        out, code = stopped(far)
        assert_restored(far, out, before)
        assert code == 1
        assert b"something nobody thought of" in out
    assert list(labels(root).values()) == ["pass"]


def test_a_terminal_that_goes_away_ends_the_app_and_keeps_the_labels(root: Path) -> None:
    with terminal(app_on(root)) as near:
        near.until(READY)
        near.type("p")
        near.until(b"saved")
        near.hang_up()
        assert near.wait(10.0) != 0
    assert list(labels(root).values()) == ["pass"]


@pytest.mark.parametrize("term", ["screen", "xterm-256color"])
def test_without_colours_the_terminal_keeps_its_own_and_states_are_words(root: Path, term: str) -> None:
    with terminal(app_on(root), columns=80, rows=24, environ={"TERM": term, "NO_COLOR": "1"}) as far:
        out = joined(far.until(READY) + far.settled())
        far.type("f[")
        out += joined(far.until(b"note") + far.settled())
    styles = {code for codes in re.findall(rb"\x1b\[([0-9;]*)m", out) for code in codes.split(b";")}
    assert styles <= {b"", b"0", b"1", b"3", b"4", b"7", b"39", b"49"}, styles
    assert "✗ fail · note" in text_of(out)


@pytest.mark.parametrize("case", ["stdin null", "stdin pipe", "stdout pipe", "dumb"])
def test_without_a_terminal_it_ends_at_once_with_one_plain_line(root: Path, case: str) -> None:
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    if case == "dumb":
        with terminal(app_on(root), environ={"TERM": "dumb"}) as far:
            out = joined(far.settled(3.0))
            code = far.wait()
    else:
        ran = subprocess.run(
            [sys.executable, *app_on(root)],
            env=environ,
            stdin=subprocess.DEVNULL if case == "stdin null" else None,
            input=b"x" if case == "stdin pipe" else None,
            capture_output=True,
            timeout=10,
        )
        out, code = ran.stdout + ran.stderr, ran.returncode
    assert code == 2
    assert b"needs a terminal" in out
    assert out.count(b"\n") == 1
    assert b"\x1b" not in out
