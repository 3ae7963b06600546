"""TinyDB's behaviour on the journal, and what the journal adds: ids for ever, sharing, one line a change."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from tinydb import Query, where
from tinydb.operations import add, delete, increment
from tinydb.operations import set as set_field
from tinydb.table import Document

from store.errors import BadInput, StoreDamaged, StoreError
from store.journal import JournalDB
from store.lines import encode_line

CASES = Path(__file__).parent.parent / "cases"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@pytest.fixture
def db(path: Path) -> JournalDB:
    return JournalDB(path)


def reopened(path: Path) -> JournalDB:
    return JournalDB(path)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


# --- TinyDB's own behaviour ----------------------------------------------------------------------


def test_documents_are_found_by_query_and_by_id(db: JournalDB) -> None:
    first, second, third = db.insert_multiple([{"n": 1, "c": "x"}, {"n": 2, "c": "x"}, {"n": 3, "c": "y"}])
    assert [one["n"] for one in db.search(where("c") == "x")] == [1, 2]
    assert db.count(where("c") == "x") == 2
    assert db.get(doc_id=second) == {"n": 2, "c": "x"}
    assert db.get(doc_id=99) is None
    assert [one["n"] for one in db.get(doc_ids=[first, third])] == [1, 3]
    assert db.get(where("n") == 3).doc_id == third
    assert db.contains(doc_id=first)
    assert not db.contains(where("n") == 9)
    assert len(db) == 3
    assert [one.doc_id for one in db.all()] == [first, second, third]


def test_updates_reach_the_matching_documents_only(db: JournalDB, path: Path) -> None:
    db.insert_multiple([{"n": number, "tags": ["a"]} for number in range(4)])
    assert db.update({"seen": True}, where("n") >= 2) == [3, 4]
    assert db.update(increment("n"), doc_ids=[1, 77]) == [1]
    assert db.update(set_field("all", 1)) == [1, 2, 3, 4]
    db.update(delete("seen"), doc_ids=[3])
    assert db.update_multiple([({"low": 1}, where("n") < 2), ({"high": 1}, where("n") >= 2)]) == [1, 2, 3, 4]
    expected = [
        {"n": 1, "tags": ["a"], "all": 1, "low": 1},
        {"n": 1, "tags": ["a"], "all": 1, "low": 1},
        {"n": 2, "tags": ["a"], "all": 1, "high": 1},
        {"n": 3, "tags": ["a"], "all": 1, "high": 1, "seen": True},
    ]
    assert db.all() == expected
    assert reopened(path).all() == expected


def test_an_update_that_grows_a_list_in_place_is_written(db: JournalDB, path: Path) -> None:
    db.insert({"tags": ["a"]})
    db.update(add("tags", ["b"]))
    assert db.all() == [{"tags": ["a", "b"]}]
    assert reopened(path).all() == [{"tags": ["a", "b"]}]


def test_upsert_updates_or_inserts(db: JournalDB) -> None:
    assert db.upsert({"k": 1, "v": "old"}, where("k") == 1) == [1]
    assert db.upsert({"k": 1, "v": "new"}, where("k") == 1) == [1]
    assert db.upsert(Document({"k": 2}, doc_id=7)) == [7]
    assert db.all() == [{"k": 1, "v": "new"}, {"k": 2}]
    assert db.insert({"k": 3}) == 8


def test_removed_and_truncated_documents_stay_away(db: JournalDB, path: Path) -> None:
    db.insert_multiple({"n": number} for number in range(5))
    assert db.remove(where("n") == 0) == [1]
    assert db.remove(doc_ids=[2, 99]) == [2]
    assert [one["n"] for one in reopened(path).all()] == [2, 3, 4]
    db.truncate()
    assert db.all() == reopened(path).all() == []
    with pytest.raises(RuntimeError, match="truncate"):
        db.remove()


def test_truncating_a_large_table_takes_one_line(db: JournalDB, path: Path) -> None:
    db.insert_multiple({"n": number} for number in range(20_000))
    before = lines(path)
    db.truncate()
    assert lines(path) == before + 1
    assert len(db) == 0


def test_dropped_tables_stay_dropped(db: JournalDB, path: Path) -> None:
    db.table("one").insert({"n": 1})
    db.table("two").insert({"n": 2})
    db.drop_table("one")
    db.drop_table("never there")
    assert db.tables() == {"two"}
    assert reopened(path).tables() == {"two"}
    db.drop_tables()
    assert db.tables() == reopened(path).tables() == set()


def test_a_document_with_a_taken_id_is_refused_and_nothing_is_written(db: JournalDB, path: Path) -> None:
    db.insert(Document({"n": 1}, doc_id=5))
    before = path.read_bytes()
    with pytest.raises(ValueError, match="already exists"):
        db.insert(Document({"n": 2}, doc_id=5))
    with pytest.raises(ValueError, match="already exists"):
        db.insert_multiple([{"n": 3}, Document({"n": 2}, doc_id=5)])
    with pytest.raises(ValueError, match="Mapping"):
        db.insert([("n", 1)])  # type: ignore[arg-type]
    assert path.read_bytes() == before
    assert db.all() == [{"n": 1}]


def test_queries_into_nested_fields_work(db: JournalDB) -> None:
    db.insert({"a": {"b": [1, 2]}})
    assert db.search(Query().a.b.any([2]))
    assert not db.search(Query().a.b.any([3]))


def test_nobody_changes_a_document_by_holding_it(db: JournalDB) -> None:
    tags = ["a"]
    db.insert({"tags": tags})
    tags.append("b")
    found = db.all()[0]
    found["tags"].append("c")
    assert db.search(where("tags") == ["a"])
    assert db.all() == [{"tags": ["a"]}]


def test_an_updater_that_fails_half_way_changes_nothing(db: JournalDB, path: Path) -> None:
    db.insert_multiple([{"n": 1}, {"n": 2}])
    before = path.read_bytes()

    def fails_on_the_second(document: dict[str, int]) -> None:
        document["n"] += 10
        if document["n"] == 12:
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        db.update(fails_on_the_second)
    assert db.all() == [{"n": 1}, {"n": 2}]
    assert path.read_bytes() == before


def test_an_update_that_changes_nothing_writes_nothing(db: JournalDB, path: Path) -> None:
    db.insert({"n": 1})
    before = path.read_bytes()
    db.update({"n": 1})
    db.update({"n": 5}, where("n") == 4)
    db.remove(where("n") == 4)
    assert path.read_bytes() == before


# --- ids -----------------------------------------------------------------------------------------


def test_an_id_is_never_given_twice(db: JournalDB, path: Path) -> None:
    db.insert_multiple({"n": number} for number in range(3))
    db.remove(doc_ids=[3])
    assert db.insert({"n": 3}) == 4
    db.truncate()
    db.journal.compact()
    assert reopened(path).insert({"n": 4}) == 5
    db.drop_tables()
    assert db.insert({"n": 5}) == 6


def test_two_handles_never_give_the_same_id(path: Path) -> None:
    first, second = JournalDB(path), JournalDB(path)
    ids = [handle.insert({"n": number}) for number in range(10) for handle in (first, second)]
    assert ids == list(range(1, 21))
    assert [one["n"] for one in reopened(path).all()] == sorted([*range(10), *range(10)])


# --- one change, one line ------------------------------------------------------------------------


def test_one_change_is_one_line_however_many_documents_it_holds(db: JournalDB, path: Path) -> None:
    db.insert({"n": 1})
    assert lines(path) == 1
    db.insert_multiple({"n": number} for number in range(500))
    assert lines(path) == 2
    db.update({"seen": True})
    assert lines(path) == 3
    db.journal.append_documents({"a": [{"n": 1}], "b": [{"n": 2}, {"n": 3}]})
    assert lines(path) == 4


def test_a_line_costs_the_same_at_one_and_at_ten_thousand_documents(db: JournalDB, path: Path) -> None:
    db.insert({"n": 1})
    first = path.stat().st_size
    db.insert_multiple({"n": number} for number in range(10_000))
    before = path.stat().st_size
    db.insert({"n": 1})
    assert path.stat().st_size - before <= first + 8


def test_a_write_that_fails_leaves_tables_and_file_as_they_were(
    db: JournalDB, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.insert({"tags": ["a"]})
    before = path.read_bytes()

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("store.appendlog.flush_to_disk", full)
        for change in (
            lambda: db.insert({"n": 2}),
            lambda: db.update(add("tags", ["b"])),
            lambda: db.remove(doc_ids=[1]),
            lambda: db.drop_tables(),
        ):
            with pytest.raises(StoreError, match="No space left"):
                change()
    assert db.all() == [{"tags": ["a"]}]
    assert path.read_bytes() == before
    db.insert({"n": 2})
    assert reopened(path).all() == [{"tags": ["a"]}, {"n": 2}]


# --- what is read is what a restart reads --------------------------------------------------------


def test_numbers_as_keys_are_refused_rather_than_merged(db: JournalDB, path: Path) -> None:
    case = json.loads((CASES / "STO-04.json").read_text())
    with pytest.raises(BadInput, match="JSON"):
        db.insert(ast.literal_eval(case["write_in_python"]))
    with pytest.raises(BadInput, match="JSON"):
        db.insert({"votes": {1: "pass"}})
    db.insert({"votes": {"1": "pass", "2": "fail"}})
    assert db.all() == reopened(path).all() == [{"votes": {"1": "pass", "2": "fail"}}]


def test_no_number_that_is_not_json_reaches_the_file(db: JournalDB, path: Path) -> None:
    db.insert({"nan": float("nan"), "inf": float("inf"), "minus": [float("-inf")]})
    assert db.all() == reopened(path).all() == [{"nan": None, "inf": None, "minus": [None]}]

    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is not JSON")

    json.loads(path.read_text(), parse_constant=refuse)


def test_half_a_surrogate_pair_is_refused_with_a_reason(db: JournalDB, path: Path) -> None:
    with pytest.raises(BadInput, match="surrogates"):
        db.insert({"note": "\ud800"})
    assert path.read_bytes() == b""


def test_any_text_comes_back_as_it_was(db: JournalDB, path: Path) -> None:
    text = 'line\nend\r\u2028\u2029\x00\x85\x1b[31m\ufeff{"crc":"00000000","data":1}\U0001f9c1'
    db.insert({"note": text, text: 1})
    assert reopened(path).all() == [{"note": text, text: 1}]
    assert lines(path) == 1


# --- shared --------------------------------------------------------------------------------------


def test_what_another_handle_wrote_is_seen_after_catching_up(path: Path) -> None:
    mine, theirs = JournalDB(path), JournalDB(path)
    theirs.insert({"n": 1})
    assert len(mine) == 0
    assert mine.journal.catch_up()
    assert mine.all() == [{"n": 1}]
    assert not mine.journal.catch_up()


def test_a_query_is_not_answered_from_before_another_handle_wrote(path: Path) -> None:
    mine, theirs = JournalDB(path), JournalDB(path)
    assert mine.search(where("n") == 1) == []
    theirs.insert({"n": 1})
    mine.journal.catch_up()
    assert mine.search(where("n") == 1) == [{"n": 1}]


def test_writing_after_another_handle_compacted_loses_nothing(path: Path) -> None:
    mine, theirs = JournalDB(path), JournalDB(path)
    for number in range(50):
        mine.insert({"n": number})
    theirs.journal.compact()
    assert lines(path) == 2
    mine.insert({"n": 50})
    theirs.insert({"n": 51})
    assert [one["n"] for one in reopened(path).all()] == list(range(52))


def test_compacting_keeps_every_document_under_its_id(db: JournalDB, path: Path) -> None:
    db.insert_multiple({"n": number} for number in range(2500))
    db.update({"n": -1}, doc_ids=[7])
    db.remove(doc_ids=[8])
    before = {one.doc_id: dict(one) for one in db.all()}
    db.journal.compact()
    assert {one.doc_id: dict(one) for one in db.all()} == before
    assert {one.doc_id: dict(one) for one in reopened(path).all()} == before


# --- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad", [b'{"put":{"labels":{"one":{}}}}', b'{"put":3}', b"[]", b'{"delete":{"labels":["x"]}}']
)
def test_a_line_that_is_no_change_stops_reading_and_writing_for_good(
    db: JournalDB, path: Path, bad: bytes
) -> None:
    db.insert({"n": 1})
    with open(path, "ab") as file:
        file.write(encode_line(bad))
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="is not a change"):
            db.insert({"n": 2})
    with pytest.raises(StoreDamaged, match="is not a change"):
        reopened(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("case", ["STO-01.json", "STO-02.json"])
def test_a_file_that_is_not_a_journal_is_called_damaged_and_left_alone(path: Path, case: str) -> None:
    content = (CASES / case).read_bytes()
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match=r"journal\.jsonl.*damaged"):
        JournalDB(path)
    assert path.read_bytes() == content
