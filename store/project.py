"""One project: a folder `.adjudge` with everything in it, opened as a whole."""

from __future__ import annotations

import getpass
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import msgspec

from store.causes import CauseBook
from store.criteria import CriterionBook
from store.errors import LeakRefused, ProjectExists, ProjectNotFound, StoreDamaged, StoreError
from store.files import replace_whole
from store.identity import utc_now
from store.journal import JournalDB, JournalStorage
from store.judges import JudgeBook
from store.labels import LabelBook, Reference
from store.ledger import Ledger
from store.piles import PileBook
from store.records import JudgeVersion, Label, PileName
from store.scopes import Scope, ScopeBook
from store.traces import TraceShelf

if TYPE_CHECKING:
    from store.runs import RunBook

FOLDER: Final = ".adjudge"
FORMAT: Final = 1
"""Version of the folder's layout."""


FILE_NAME: Final = "project.json"
JOURNAL_NAME: Final = "journal.jsonl"
TRACES_NAME: Final = "traces"
RUNS_NAME: Final = "runs"


@dataclass(frozen=True)
class ProjectFile:
    """What `project.json` says."""

    format: int
    created: str


def read_project_file(path: Path) -> ProjectFile:
    """Read `project.json`.

    Raises:
        ProjectNotFound: There is none.
        StoreDamaged: It cannot be read back.
        StoreError: A newer version wrote it, or it may not be read.
    """
    try:
        file = msgspec.json.decode(path.read_bytes(), type=ProjectFile)
    except (FileNotFoundError, NotADirectoryError) as error:
        where = path.parent.parent
        raise ProjectNotFound(f"there is no project in {where}: `adjudge init` makes one") from error
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise StoreDamaged(path, None, str(error)) from error
    if file.format > FORMAT:
        raise StoreError(f"{path.parent} was written by a newer adjudge (format {file.format}): use that one")
    return file


def write_project_file(path: Path) -> None:
    """Write `project.json` for a project that begins now."""
    replace_whole(path, [msgspec.json.encode(ProjectFile(FORMAT, utc_now()))])


class Project:
    """Everything a project keeps; close it, or use it as a context manager."""

    def __init__(self, root: Path) -> None:
        """Open the project whose `.adjudge` folder is in `root`.

        Raises:
            ProjectNotFound: There is none.
            StoreDamaged: A file cannot be read back.
        """
        self.root = root.resolve()
        self.folder = self.root / FOLDER
        self.file = read_project_file(self.folder / FILE_NAME)
        self._db = JournalDB(self.folder / JOURNAL_NAME)
        try:
            self.traces = TraceShelf(self.folder / TRACES_NAME)
            self.criteria = CriterionBook(self._db)
            self.labels = LabelBook(self._db)
            self.piles = PileBook(self._db)
            self.judges = JudgeBook(self._db)
            self.causes = CauseBook(self._db)
            self.ledger = Ledger(self._db)
            self.scopes = ScopeBook(self._db)
        except BaseException:
            self._db.close()
            raise

    @classmethod
    def create(cls, root: Path) -> Self:
        """Make a project in a folder and open it.

        Raises:
            ProjectExists: One is there already.
            StoreError: The disk did not take it.
        """
        folder = root / FOLDER
        if (folder / FILE_NAME).exists():
            raise ProjectExists(f"there is a project in {root} already")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder} was not made: {error.strerror}") from error
        # Last of all, and whole at once: without this file there is no project.
        write_project_file(folder / FILE_NAME)
        return cls(root)

    @classmethod
    def find(cls, start: Path) -> Self:
        """Open the project of a folder or of its nearest parent that has one.

        Raises:
            ProjectNotFound: Neither the folder nor a parent has one.
        """
        return cls(find_root(start))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every file."""
        self.traces.close()
        self._db.close()

    @cached_property
    def runs(self) -> RunBook:
        """All runs; who only labels does not wait for what reads them to be loaded."""
        from store.runs import RunBook

        return RunBook(self.folder / RUNS_NAME)

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should be told about the store, e.g. a repaired tail."""
        return tuple(self._db.journal.log.notices)

    @property
    def journal(self) -> JournalStorage:
        """What is behind the books, for whoever copies a project as a whole."""
        return self._db.journal

    def refresh(self) -> bool:
        """Take in what other processes wrote since; say whether there was anything."""
        self._db.journal.catch_up()
        fresh = [
            book.refresh()
            for book in (
                self.criteria,
                self.labels,
                self.piles,
                self.judges,
                self.causes,
                self.ledger,
                self.scopes,
            )
        ]
        return any([self.traces.refresh(), *fresh])

    def compact(self) -> None:
        """Rewrite the journal as short as it can be; nothing recorded is lost."""
        self._db.journal.compact()
        self.refresh()

    def rows_for(self, criterion: str) -> list[range]:
        """Give the rows that a criterion is about: its scope, or everything when it has none.

        Rows may be of either kind; a criterion of pairs passes over single traces and the other way round.
        """
        scope = self.scopes.of(criterion)
        return self.traces.rows_in(scope) if scope else [range(len(self.traces))]

    def write_together(self, *, labels: Sequence[Label], scopes: Sequence[Scope]) -> None:
        """Write an import's labels and scopes in one line of the journal: all of them, or none."""
        if labels or scopes:
            self._db.journal.append_documents({"labels": labels, "scopes": scopes})
            self.refresh()

    # The sealed hold-out ----------------------------------------------------------------------------

    def sealed(self, criterion: str) -> frozenset[str]:
        """Give the traces whose labels nobody may see yet: the hold-out until it is opened."""
        if self.ledger.of(criterion):
            return frozenset()
        return frozenset(self.piles.members(criterion, PileName.HOLDOUT))

    def open_reference(self, criterion: str, annotator: str | None = None) -> Reference:
        """Give the yardstick for a judge without the rows that are sealed; see `LabelBook.reference`."""
        sealed = self.sealed(criterion)
        whole = self.labels.reference(criterion, annotator)
        return Reference(
            {trace: label for trace, label in whole.labels.items() if trace not in sealed},
            tuple(trace for trace in whole.conflicts if trace not in sealed),
            tuple(trace for trace in whole.unsure if trace not in sealed),
        )

    def add_judge(self, version: JudgeVersion) -> JudgeVersion:
        """Write a judge version after checking where its examples come from.

        Raises:
            LeakRefused: An example is not in the criterion's train pile.
            NotFound: Its criterion version or a trace is not there.
        """
        self.criteria.version(version.criterion, version.criterion_version)
        for example in version.examples:
            self.traces.get(example.trace)
            pile = self.piles.pile_of(version.criterion, example.trace)
            if pile is not PileName.TRAIN:
                where = f"in {pile}" if pile else "in no pile"
                raise LeakRefused(
                    f"trace {example.trace!r} is {where}: examples come from train only, since a judge "
                    "that has seen a row in its prompt is not tested by that row"
                )
        return self.judges.add(version)


def find_root(start: Path) -> Path:
    """Give the folder, or the nearest parent, that holds a project.

    Raises:
        ProjectNotFound: Neither the folder nor a parent has one.
    """
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FOLDER / "project.json").exists():
            return folder
    raise ProjectNotFound(
        f"there is no project in {start} or above it: `adjudge init` makes one, `adjudge demo` shows one"
    )


def default_annotator() -> str:
    """Give the name labels are written under: ADJUDGE_ANNOTATOR, or the user's login."""
    named = os.environ.get("ADJUDGE_ANNOTATOR", "").strip()
    if named:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "me"
