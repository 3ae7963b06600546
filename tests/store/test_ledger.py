"""Openings of the hold-out are chained, so that none can be changed or taken out unnoticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from store.journal import JournalDB
from store.ledger import Ledger, first_break, opening_hash


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def test_openings_are_counted_for_each_criterion_and_survive_a_restart(path: Path) -> None:
    ledger = Ledger(JournalDB(path))
    ledger.record("a", "sha256:1", "anna")
    ledger.record("b", "sha256:2", "ben")
    ledger.record("a", "sha256:3", "anna")
    for place in (ledger, Ledger(JournalDB(path))):
        assert [one.judge for one in place.of("a")] == ["sha256:1", "sha256:3"]
        assert [one.judge for one in place.of("b")] == ["sha256:2"]
        assert place.of("c") == ()
        assert place.broken_at() is None


def test_two_processes_opening_one_after_the_other_keep_one_chain(path: Path) -> None:
    mine, theirs = Ledger(JournalDB(path)), Ledger(JournalDB(path))
    for number in range(3):
        mine.record("a", f"sha256:m{number}", "anna")
        theirs.record("a", f"sha256:t{number}", "ben")
    whole = Ledger(JournalDB(path))
    assert len(whole.of("a")) == 6
    assert whole.broken_at() is None


def test_a_changed_a_removed_and_a_reordered_opening_are_noticed(path: Path) -> None:
    ledger = Ledger(JournalDB(path))
    one, two, three = (ledger.record("a", f"sha256:{number}", "anna") for number in range(3))
    assert first_break([one, two, three]) is None
    assert first_break([one, replace(two, judge="sha256:other"), three]) == 2
    assert first_break([one, three]) == 2
    assert first_break([two, three]) == 1
    assert first_break([one, three, two]) == 2
    forged = replace(two, annotator="ben", hash="")
    assert first_break([one, replace(forged, hash=opening_hash(forged)), three]) == 3
