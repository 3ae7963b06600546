"""Labels are appended, never changed; undo and redo go any number of steps, across restarts and processes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from store.errors import BadInput, StoreError
from store.journal import JournalDB
from store.labels import LabelBook
from store.records import SETTLED, JudgeKind, Label, LabelAction


def label(trace: str, verdict: str | None = "pass", who: str = "anna", **more: object) -> Label:
    return Label(trace=trace, criterion="c", version=1, verdict=verdict, annotator=who, **more)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@pytest.fixture
def book(path: Path) -> LabelBook:
    return LabelBook(JournalDB(path))


def verdicts(book: LabelBook, who: str = "anna") -> dict[str, str | None]:
    return {trace: one.verdict for trace, one in book.current("c", who).items()}


# --- undo and redo against a model ---------------------------------------------------------------


class UndoMachine(RuleBasedStateMachine):
    """Two people label through two open handles; the model keeps what each has done as a plain list."""

    people = st.sampled_from(["anna", "ben"])
    traces = st.sampled_from(["t1", "t2", "t3"])
    words = st.sampled_from(["pass", "fail", "unsure"])
    handles = st.integers(0, 1)

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "journal.jsonl"
        self.dbs = [JournalDB(self.path), JournalDB(self.path)]
        self.books = [LabelBook(db) for db in self.dbs]
        self.done: dict[str, list[tuple[str, str]]] = {"anna": [], "ben": []}
        self.undone: dict[str, list[tuple[str, str]]] = {"anna": [], "ben": []}
        self.written = 0

    @rule(handle=handles, who=people, trace=traces, word=words)
    def label(self, handle: int, who: str, trace: str, word: str) -> None:
        self.books[handle].add(label(trace, word, who))
        self.done[who].append((trace, word))
        self.undone[who].clear()
        self.written += 1

    @rule(handle=handles, who=people)
    def undo(self, handle: int, who: str) -> None:
        taken_back = self.books[handle].undo("c", who)
        if not self.done[who]:
            assert taken_back is None
            return
        expected = self.done[who].pop()
        assert taken_back is not None
        assert (taken_back.trace, taken_back.verdict) == expected
        self.undone[who].append(expected)
        self.written += 1

    @rule(handle=handles, who=people)
    def redo(self, handle: int, who: str) -> None:
        back = self.books[handle].redo("c", who)
        if not self.undone[who]:
            assert back is None
            return
        expected = self.undone[who].pop()
        assert back is not None
        assert (back.trace, back.verdict) == expected
        self.done[who].append(expected)
        self.written += 1

    @rule(handle=handles)
    def restart(self, handle: int) -> None:
        self.dbs[handle].close()
        self.dbs[handle] = JournalDB(self.path)
        self.books[handle] = LabelBook(self.dbs[handle])

    @rule(handle=handles)
    def compact(self, handle: int) -> None:
        self.dbs[handle].journal.compact()

    @invariant()
    def every_handle_says_what_the_model_says(self) -> None:
        for db, book in zip(self.dbs, self.books, strict=True):
            db.journal.catch_up()
            book.refresh()
            for who, done in self.done.items():
                expected = dict(done)
                assert verdicts(book, who) == expected
                tally = {word: count for word, count in book.tally("c", who).items() if count}
                assert tally == {word: list(expected.values()).count(word) for word in set(expected.values())}
            assert len(list(book.history())) == self.written

    def teardown(self) -> None:
        for db in self.dbs:
            db.close()
        self.folder.cleanup()


TestUndo = UndoMachine.TestCase
TestUndo.settings = settings(
    max_examples=40, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def test_undoing_a_relabelled_row_brings_the_label_before_back_with_its_note(book: LabelBook) -> None:
    book.add(label("t1", "pass", note="first thought"))
    book.add(label("t1", "fail", note="second thought"))
    book.undo("c", "anna")
    back = book.of("c", "anna", "t1")
    assert back is not None
    assert (back.verdict, back.note) == ("pass", "first thought")


def test_a_new_label_ends_what_can_be_redone(book: LabelBook) -> None:
    book.add(label("t1"))
    book.undo("c", "anna")
    book.add(label("t2"))
    assert book.redo("c", "anna") is None
    assert verdicts(book) == {"t2": "pass"}


def test_undo_takes_back_what_the_same_person_did_in_another_window(path: Path) -> None:
    mine, theirs = LabelBook(JournalDB(path)), LabelBook(JournalDB(path))
    mine.add(label("t1", "pass"))
    theirs.add(label("t1", "fail"))
    taken_back = mine.undo("c", "anna")
    assert taken_back is not None
    assert taken_back.verdict == "fail"
    assert verdicts(mine) == {"t1": "pass"}


def test_the_history_is_never_shortened(book: LabelBook) -> None:
    book.add(label("t1", "pass"))
    book.undo("c", "anna")
    book.redo("c", "anna")
    actions = [(one.action, one.verdict, one.target) for one in book.history("c", "t1")]
    assert actions == [
        (LabelAction.LABEL, "pass", None),
        (LabelAction.UNDO, None, 1),
        (LabelAction.REDO, "pass", 1),
    ]


# --- what may be written -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "word"),
    [(JudgeKind.PASS_FAIL, "maybe"), (JudgeKind.PASS_FAIL, "A"), (JudgeKind.PAIRWISE, "pass")],
)
def test_a_word_of_another_kind_is_refused(book: LabelBook, kind: JudgeKind, word: str) -> None:
    with pytest.raises(BadInput, match="is not one of"):
        book.add(label("t1", word), kind)
    assert not list(book.history())


def test_a_label_needs_a_name(book: LabelBook) -> None:
    with pytest.raises(BadInput, match="annotator"):
        book.add(label("t1", who=""))


def test_a_note_that_cannot_be_written_is_refused_and_nothing_changes(book: LabelBook, path: Path) -> None:
    with pytest.raises(BadInput, match="JSON"):
        book.add(label("t1", note="half \udc80"))
    assert path.read_bytes() == b""
    assert verdicts(book) == {}


def test_a_label_the_disk_refuses_is_not_shown(book: LabelBook, monkeypatch: pytest.MonkeyPatch) -> None:
    book.add(label("t1"))

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("store.appendlog.flush_to_disk", full)
        for change in (
            lambda: book.add(label("t2")),
            lambda: book.undo("c", "anna"),
        ):
            with pytest.raises(StoreError, match="No space left"):
                change()
    assert verdicts(book) == {"t1": "pass"}
    assert book.add(label("t2")).id == 2


def test_every_field_comes_back(path: Path) -> None:
    written = LabelBook(JournalDB(path)).add(
        label(
            "t1",
            "fail",
            note="ä\n[b]",
            at="2026-01-01",
            seconds=1.5,
            queue="random",
            probability=0.25,
            revealed=True,
        )
    )
    assert list(LabelBook(JournalDB(path)).history()) == [written]


# --- views ---------------------------------------------------------------------------------------


def test_a_view_taken_before_the_first_label_is_live(book: LabelBook) -> None:
    view, tally = book.current("c", "anna"), book.tally("c", "anna")
    book.add(label("t1"))
    assert list(view) == ["t1"]
    assert tally["pass"] == 1


def test_a_view_is_live_across_a_compaction_by_somebody_else(path: Path) -> None:
    mine, theirs = LabelBook(JournalDB(path)), JournalDB(path)
    view = mine.current("c", "anna")
    mine.add(label("t1"))
    theirs.journal.compact()
    mine.add(label("t2"))
    assert set(view) == {"t1", "t2"}


def test_history_can_be_walked_while_labels_are_added(book: LabelBook) -> None:
    book.add(label("t1"))
    for number, _ in enumerate(book.history()):
        book.add(label(f"more{number}"))
    assert len(list(book.history())) == 2


# --- the yardstick -------------------------------------------------------------------------------


def test_the_yardstick_is_what_everybody_who_decided_agrees_on(book: LabelBook) -> None:
    for trace, anna, ben in (
        ("agree", "pass", "pass"),
        ("differ", "pass", "fail"),
        ("one unsure", "fail", "unsure"),
        ("both unsure", "unsure", "unsure"),
    ):
        book.add(label(trace, anna))
        book.add(label(trace, ben, "ben", note="ben's note"))
    reference = book.reference("c")
    assert {trace: one.verdict for trace, one in reference.labels.items()} == {
        "agree": "pass",
        "one unsure": "fail",
    }
    assert reference.conflicts == ("differ",)
    assert reference.unsure == ("both unsure",)
    assert reference.labels["agree"].note == "ben's note"


def test_a_settled_label_is_the_yardstick_whatever_people_say(book: LabelBook) -> None:
    for trace in ("settled", "settled unsure"):
        book.add(label(trace, "pass"))
        book.add(label(trace, "fail", "ben"))
    book.add(label("settled", "fail", SETTLED))
    book.add(label("settled unsure", "unsure", SETTLED))
    book.add(label("settled only", "pass", SETTLED))
    reference = book.reference("c")
    assert {trace: one.verdict for trace, one in reference.labels.items()} == {
        "settled": "fail",
        "settled only": "pass",
    }
    assert reference.conflicts == ()
    assert reference.unsure == ("settled unsure",)


def test_one_persons_yardstick_is_their_own_decided_labels(book: LabelBook) -> None:
    book.add(label("t1", "pass"))
    book.add(label("t2", "unsure"))
    book.add(label("t1", "fail", "ben"))
    mine = book.reference("c", "anna")
    assert {trace: one.verdict for trace, one in mine.labels.items()} == {"t1": "pass"}
    assert mine.unsure == ("t2",)


def test_a_label_taken_back_is_nobodys_yardstick(book: LabelBook) -> None:
    book.add(label("t1"))
    book.undo("c", "anna")
    assert book.reference("c").labels == {}
    assert book.annotators("c") == ()


def test_criteria_are_kept_apart(book: LabelBook) -> None:
    book.add(label("t1"))
    assert book.current("other", "anna") == {}
    assert book.undo("other", "anna") is None
    assert verdicts(book) == {"t1": "pass"}
