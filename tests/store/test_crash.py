"""Real processes, really killed: what was confirmed is there, nothing twice, and the store opens each time.

CRASHES=100 in the environment makes the seeded trials more than the usual number.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import IO

import pytest

import store
from store.project import FOLDER, Project
from store.records import Label
from store.repair import check

CRASHES = int(os.environ.get("CRASHES", "25"))
LABELLER = Path(__file__).with_name("labeller.py")


class Labeller:
    """A process that labels; see `labeller.py`."""

    def __init__(
        self,
        root: Path,
        name: str,
        *,
        first: int = 0,
        count: int = 100_000,
        compact: bool = False,
        limit: int = 0,
    ) -> None:
        self.name = name
        arguments = [str(root), name, str(first), str(count), *(["compact"] if compact else [])]
        self.process = subprocess.Popen(
            [sys.executable, str(LABELLER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(Path(store.__file__).parent.parent)},
            preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None,
        )
        assert self._out.readline() == "ready\n"

    @property
    def _out(self) -> IO[str]:
        assert self.process.stdout is not None
        return self.process.stdout

    def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def confirmed(self, count: int) -> list[int]:
        """Wait for so many confirmations."""
        return [int(self._out.readline()) for _ in range(count)]

    def kill(self) -> list[int]:
        """Kill it at once and give the confirmations that were still on their way."""
        self.process.kill()
        return [int(line) for line in self.rest() if line.endswith("\n")]

    def rest(self) -> list[str]:
        """Wait for its end and give what it still says."""
        lines = self._out.readlines()
        self.process.wait()
        self._out.close()
        if self.process.stdin is not None:
            self.process.stdin.close()
        return lines


def label(name: str, number: int) -> Label:
    return Label(trace=f"{name}-{number}", criterion="c", version=1, verdict="pass", annotator=name)


def labels_of(root: Path, name: str) -> list[int]:
    """Open the project and give the numbers of somebody's labels, each as often as it was written."""
    with Project(root) as project:
        written = [one for one in project.labels.history() if one.annotator == name]
        assert set(project.labels.current("c", name)) == {one.trace for one in written}
    return [int(one.trace.rpartition("-")[2]) for one in written]


def spin(chance: random.Random, most: int) -> None:
    """Let a random, very short time pass, so that the kill falls anywhere in a write."""
    for _ in range(chance.randrange(most)):
        pass


@pytest.fixture
def root(tmp_path: Path) -> Path:
    Project.create(tmp_path).close()
    return tmp_path


@pytest.mark.parametrize("compact", [False, True], ids=["labelling", "compacting after each label"])
def test_every_confirmed_label_outlives_a_kill_at_any_moment(root: Path, compact: bool) -> None:
    chance = random.Random(20261201)
    confirmed: list[int] = []
    attempted = 0
    for _ in range(CRASHES if not compact else max(8, CRASHES // 3)):
        labeller = Labeller(root, "anna", first=attempted, compact=compact)
        labeller.begin()
        confirmed += labeller.confirmed(chance.randrange(1, 25))
        spin(chance, 60_000)
        confirmed += labeller.kill()
        written = labels_of(root, "anna")
        assert Counter(written).most_common(1)[0][1] == 1
        lost = set(confirmed) - set(written)
        assert not lost
        # One label may have been on the disk when the kill came before its confirmation.
        assert len(set(written) - set(confirmed)) <= 1
        confirmed = written
        attempted = max(written) + 1
    assert len(confirmed) >= CRASHES // 3
    assert all(one.ok for one in check(root) if one.name != "disk")


def test_three_processes_at_once_and_one_killed_lose_nothing_and_double_nothing(root: Path) -> None:
    people = [Labeller(root, name, count=200) for name in ("anna", "ben", "cleo")]
    for person in people:
        person.begin()
    killed, *others = people
    confirmed = killed.confirmed(60)
    confirmed += killed.kill()
    for person in others:
        assert [int(line) for line in person.rest()] == list(range(200))
        assert labels_of(root, person.name) == list(range(200))
    written = labels_of(root, killed.name)
    assert written == list(range(len(written)))
    assert len(confirmed) <= len(written) <= len(confirmed) + 1
    with Project(root) as project:
        ids = [one.id for one in project.labels.history()]
    assert ids == list(range(1, 400 + len(written) + 1))


def test_labelling_while_another_process_compacts_loses_nothing(root: Path) -> None:
    compacting = Labeller(root, "compacting", count=40, compact=True)
    labelling = Labeller(root, "labelling", count=150)
    compacting.begin()
    labelling.begin()
    assert [int(line) for line in labelling.rest()] == list(range(150))
    assert [int(line) for line in compacting.rest()] == list(range(40))
    assert labels_of(root, "labelling") == list(range(150))
    assert labels_of(root, "compacting") == list(range(40))


@pytest.mark.parametrize("spare", [0, 100, 1000, 2000, 2777])
def test_a_disk_that_fills_up_refuses_the_label_and_keeps_those_before(root: Path, spare: int) -> None:
    with Project(root) as project:
        project.labels.add(label("zoe", 0))
    journal = root / FOLDER / "journal.jsonl"
    labeller = Labeller(root, "anna", limit=journal.stat().st_size + spare)
    labeller.begin()
    *confirmed, refused = labeller.rest()
    assert refused.startswith("refused")
    assert "journal.jsonl was not written" in refused
    assert labels_of(root, "anna") == [int(line) for line in confirmed]
    assert not list(journal.parent.glob("*.torn-*"))
    with Project(root) as project:
        assert project.notices == ()
        project.labels.add(
            Label(trace="anna-999", criterion="c", version=1, verdict="pass", annotator="anna")
        )
    assert labels_of(root, "anna")[-1] == 999
