"""TinyDB on an append-only journal: one change is one line and one flush, whatever the size.

TinyDB's own storages rewrite the whole database for every write and have no lock. Here the tables
live in memory and the file holds the changes that led to them, so a write costs the same at a
hundred and at a hundred thousand documents, a kill loses nothing that was confirmed, and several
processes may write: each takes the lock, reads what the others wrote, and adds its own line.

Documents are kept as the JSON they were written as and decoded when they are read: that is a fifth of
the memory of dicts, nobody can change one by holding it, and what is read is what a restart will read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final, cast

import msgspec
from tinydb import TinyDB
from tinydb.storages import Storage
from tinydb.table import Table

from store.appendlog import READ_AT_ONCE, AppendLog
from store.errors import StoreDamaged
from store.identity import canonical_json

Document = dict[str, object]
Rows = dict[int, bytes]
"""One table: the JSON of each document by its id."""

_IN_A_LINE: Final = 1000
"""Documents in one line of a compacted journal."""


class Change(msgspec.Struct, omit_defaults=True):
    """What one line of the journal does, by table and document id."""

    put: dict[str, dict[str, msgspec.Raw]] = {}
    delete: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    """Highest id ever used, where the documents no longer tell."""


decode_change: Final = msgspec.json.Decoder(Change).decode
_decode_document: Final = msgspec.json.Decoder(Document).decode


class JournalStorage(Storage):
    """The tables in memory and the journal behind them."""

    def __init__(self, path: Path) -> None:
        self.log = AppendLog(path)
        self.generation = 0
        """Rises when the journal was replaced and the tables were read anew."""
        self._tables: dict[str, Rows] = {}
        self._last_ids: dict[str, int] = {}
        self._damage: StoreDamaged | None = None
        try:
            self.catch_up()
        except BaseException:
            self.close()
            raise

    def catch_up(self) -> bool:
        """Apply what other processes appended; say whether there was anything.

        Raises:
            StoreDamaged: A line cannot be read; from then on nothing is read or written any more.
        """
        if self._damage is not None:
            raise self._damage
        any_news = False
        while True:
            news = self.log.news(at_most=READ_AT_ONCE)
            if news.restarted:
                self.generation += 1
                self._tables, self._last_ids = {}, {}
            for body in news.bodies:
                try:
                    self._apply(decode_change(body))
                except ValueError as error:  # msgspec's errors and those of int()
                    self._damage = StoreDamaged(self.log.path, None, f"a line is not a change: {error}")
                    raise self._damage from error
            any_news = any_news or news.restarted or bool(news.bodies)
            if not news.bodies:
                return any_news

    def _apply(self, change: Change) -> None:
        for name, documents in change.put.items():
            table = self._tables.setdefault(name, {})
            last = self._last_ids.get(name, 0)
            for key, document in documents.items():
                doc_id = int(key)
                table[doc_id] = bytes(document)
                last = max(last, doc_id)
            self._last_ids[name] = last
        for name, ids in change.delete.items():
            rows = self._tables.get(name, {})
            for doc_id in ids:
                rows.pop(doc_id, None)
            if not rows:
                self._tables.pop(name, None)
        for name, last in change.last.items():
            self._last_ids[name] = max(last, self._last_ids.get(name, 0))

    def rows(self, table: str) -> Mapping[int, bytes]:
        """Give the JSON of every document of a table by id, as a live view."""
        return self._tables.get(table, {})

    def last_id(self, table: str) -> int:
        """Give the highest id ever used in a table; 0 when there is none."""
        return self._last_ids.get(table, 0)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the journal with everything others wrote already applied."""
        with self.log.exclusive():
            self.catch_up()
            yield

    def commit(self, change: Change) -> None:
        """Write one change as one line, then apply it; the caller holds `exclusive`."""
        self.log.append([msgspec.json.encode(change)])
        self._apply(change)

    def append_documents(self, documents: Mapping[str, Sequence[object]]) -> dict[str, list[int]]:
        """Add new documents to several tables in one line: all of them or, after a kill, none.

        Returns:
            The ids given, by table, in the order of the documents.

        Raises:
            BadInput: JSON cannot hold a document; nothing was written.
        """
        encoded = {name: [canonical_json(row) for row in rows] for name, rows in documents.items()}
        with self.exclusive():
            ids = {
                name: [self.last_id(name) + offset for offset in range(1, len(rows) + 1)]
                for name, rows in encoded.items()
            }
            put = {
                name: {str(doc_id): msgspec.Raw(row) for doc_id, row in zip(ids[name], rows, strict=True)}
                for name, rows in encoded.items()
                if rows
            }
            if put:
                self.commit(Change(put=put))
        return ids

    def compact(self) -> None:
        """Replace the journal by as few lines as give the tables as they are now."""
        with self.exclusive():
            self.log.replace(msgspec.json.encode(change) for change in self.changes())
            self.catch_up()

    def changes(self) -> Iterator[Change]:
        """Give as few changes as make the tables what they are now."""
        if self._last_ids:
            yield Change(last=dict(self._last_ids))
        for name, table in sorted(self._tables.items()):
            rows = iter(table.items())
            while part := {str(doc_id): msgspec.Raw(row) for doc_id, row in islice(rows, _IN_A_LINE)}:
                yield Change(put={name: part})

    # TinyDB's side -------------------------------------------------------------------------------

    def read(self) -> dict[str, dict[str, Document]] | None:
        """Give the tables for TinyDB, which only asks for their names and reads through `JournalTable`."""
        views = {name: _Documents(rows) for name, rows in self._tables.items()}
        return cast("dict[str, dict[str, Document]]", views) or None

    def write(self, data: dict[str, dict[str, Document]]) -> None:
        """Drop every table that `data` leaves out; TinyDB calls this only to drop tables."""
        with self.exclusive():
            gone = {name: list(table) for name, table in self._tables.items() if name not in data}
            if gone:
                self.commit(Change(delete=gone))

    def close(self) -> None:
        """Close the journal."""
        self.log.close()


class _Documents(Mapping[str, Document]):
    """A table as TinyDB reads it: ids as text, every document decoded anew."""

    def __init__(self, rows: Mapping[int, bytes]) -> None:
        self._rows = rows

    def __getitem__(self, key: str) -> Document:
        return _decode_document(self._rows[int(key)])

    def __iter__(self) -> Iterator[str]:
        return map(str, self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class _Recorder(MutableMapping[int, Document]):
    """Shows a table to a TinyDB updater and remembers what it changed, touching nothing itself."""

    def __init__(self, live: Mapping[int, bytes]) -> None:
        self._live = live
        self.put: dict[int, Document] = {}
        self.deleted: set[int] = set()

    def __getitem__(self, key: int) -> Document:
        if key not in self.put:
            if key in self.deleted:
                raise KeyError(key)
            self.put[key] = _decode_document(self._live[key])
        return self.put[key]

    def __setitem__(self, key: int, value: Document) -> None:
        self.put[key] = value
        self.deleted.discard(key)

    def __delitem__(self, key: int) -> None:
        if key not in self:
            raise KeyError(key)
        self.put.pop(key, None)
        if key in self._live:
            self.deleted.add(key)

    def __contains__(self, key: object) -> bool:
        return key in self.put or (key in self._live and key not in self.deleted)

    def __iter__(self) -> Iterator[int]:
        yield from (key for key in self._live if key not in self.deleted)
        yield from [key for key in self.put if key not in self._live]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def clear(self) -> None:
        self.put.clear()
        self.deleted.update(self._live)

    def change(self, table: str) -> Change | None:
        """Give the change for the journal, or None when nothing differs."""
        encoded = {key: canonical_json(document) for key, document in self.put.items()}
        put = {str(key): msgspec.Raw(row) for key, row in encoded.items() if self._live.get(key) != row}
        if not put and not self.deleted:
            return None
        gone = {table: sorted(self.deleted)} if self.deleted else {}
        return Change(put={table: put} if put else {}, delete=gone)


class JournalTable(Table):
    """A TinyDB table that writes what changed instead of everything."""

    def __init__(self, storage: Storage, name: str, cache_size: int = 0, persist_empty: bool = False) -> None:
        """Make a table; queries are never cached, since other processes write too."""
        self._handed_out = 0
        super().__init__(storage, name, cache_size=0, persist_empty=persist_empty)

    @property
    def journal(self) -> JournalStorage:
        """The storage behind this table."""
        return cast("JournalStorage", self._storage)

    def insert(self, document: Mapping[str, object]) -> int:
        """Add a document under an id that no process has used."""
        with self.journal.exclusive():
            return super().insert(document)

    def insert_multiple(self, documents: Iterable[Mapping[str, object]]) -> list[int]:
        """Add documents in one line."""
        with self.journal.exclusive():
            return super().insert_multiple(documents)

    def _get_next_id(self) -> int:
        # Within one insert_multiple nothing is applied yet, so ids handed out count as used.
        self._handed_out = max(self.journal.last_id(self.name), self._handed_out) + 1
        return self._handed_out

    def _read_table(self) -> dict[str, Mapping[str, object]]:
        return cast("dict[str, Mapping[str, object]]", _Documents(self.journal.rows(self.name)))

    def _update_table(self, updater: Callable[[dict[int, Mapping[str, object]]], None]) -> None:
        with self.journal.exclusive():
            recorder = _Recorder(self.journal.rows(self.name))
            updater(cast("dict[int, Mapping[str, object]]", recorder))
            change = recorder.change(self.name)
            if change is not None:
                self.journal.commit(change)


class JournalDB(TinyDB):
    """A TinyDB whose storage and tables are the journal's."""

    table_class = JournalTable
    default_storage_class = JournalStorage  # type: ignore[assignment]  # TinyDB's typing asks for JSONStorage

    @property
    def journal(self) -> JournalStorage:
        """The storage behind all tables."""
        return cast("JournalStorage", self.storage)
