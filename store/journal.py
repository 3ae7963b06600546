"""TinyDB on an append-only journal: one change is one line and one flush, whatever the size.

TinyDB's own storages rewrite the whole database for every write and have no lock. Here the tables
live in memory and the file holds the changes that led to them, so a write costs the same at a
hundred and at a hundred thousand documents, a kill loses nothing that was confirmed, and several
processes may write: each takes the lock, reads what the others wrote, and adds its own line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import msgspec
from tinydb import TinyDB
from tinydb.storages import Storage
from tinydb.table import Table

from store.appendlog import AppendLog
from store.errors import StoreDamaged
from store.identity import canonical_json

Document = dict[str, object]
Tables = dict[str, dict[int, Document]]


class Change(msgspec.Struct, omit_defaults=True):
    """What one line of the journal does, by table and document id."""

    put: dict[str, dict[str, Document]] = {}
    delete: dict[str, list[int]] = {}


_decode_change = msgspec.json.Decoder(Change).decode


class JournalStorage(Storage):
    """The tables in memory and the journal behind them."""

    def __init__(self, path: Path) -> None:
        self.log = AppendLog(path)
        self.generation = 0
        """Rises when the journal was replaced and the tables were read anew."""
        self._tables: Tables = {}
        self._last_ids: dict[str, int] = {}
        self.catch_up()

    def catch_up(self) -> bool:
        """Apply what other processes appended; say whether there was anything.

        Raises:
            StoreDamaged: A line cannot be read.
        """
        news = self.log.news()
        if news.restarted:
            self.generation += 1
            self._tables, self._last_ids = {}, {}
        for body in news.bodies:
            try:
                self._apply(_decode_change(body))
            except (msgspec.DecodeError, ValueError) as error:
                raise StoreDamaged(self.log.path, None, f"a line is not a change: {error}") from error
        return news.restarted or bool(news.bodies)

    def _apply(self, change: Change) -> None:
        for name, documents in change.put.items():
            table = self._tables.setdefault(name, {})
            for key, document in documents.items():
                doc_id = int(key)
                table[doc_id] = document
                if doc_id > self._last_ids.get(name, 0):
                    self._last_ids[name] = doc_id
        for name, ids in change.delete.items():
            for doc_id in ids:
                self._tables.get(name, {}).pop(doc_id, None)

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
        self.log.append([canonical_json(change)])
        self._apply(change)

    def append_documents(self, documents: Mapping[str, Sequence[Document]]) -> dict[str, list[int]]:
        """Add new documents to several tables in one line: all of them or, after a kill, none.

        Returns:
            The ids given, by table, in the order of the documents.
        """
        with self.exclusive():
            ids = {
                name: [self.last_id(name) + offset for offset in range(1, len(rows) + 1)]
                for name, rows in documents.items()
            }
            put = {
                name: {str(doc_id): row for doc_id, row in zip(ids[name], rows, strict=True)}
                for name, rows in documents.items()
                if rows
            }
            if put:
                self.commit(Change(put=put))
        return ids

    def compact(self) -> None:
        """Replace the journal by one line a table that gives the tables as they are now."""
        with self.exclusive():
            self.log.replace(
                [
                    canonical_json(Change(put={name: {str(i): doc for i, doc in table.items()}}))
                    for name, table in sorted(self._tables.items())
                    if table
                ]
            )

    # TinyDB's side -------------------------------------------------------------------------------

    def read(self) -> dict[str, dict[str, Document]] | None:
        """Give the live tables; TinyDB only asks for their names and reads through `JournalTable`."""
        return cast("dict[str, dict[str, Document]]", self._tables)

    def write(self, data: dict[str, dict[str, Document]]) -> None:
        """Drop every table that `data` leaves out; TinyDB calls this only to drop tables."""
        with self.exclusive():
            gone = {name: list(table) for name, table in self._tables.items() if name not in data}
            self.commit(Change(delete=gone))

    def close(self) -> None:
        """Close the journal."""
        self.log.close()


class _Recorder(MutableMapping[int, Document]):
    """Shows a table to a TinyDB updater and remembers what it changed, touching nothing itself."""

    def __init__(self, live: Mapping[int, Document]) -> None:
        self._live = live
        self.put: dict[int, Document] = {}
        self.deleted: set[int] = set()

    def __getitem__(self, key: int) -> Document:
        if key in self.put:
            return self.put[key]
        if key in self.deleted:
            raise KeyError(key)
        # A copy: updaters change documents in place, and a failed write must leave no trace.
        self.put[key] = dict(self._live[key])
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
        yield from (key for key in self.put if key not in self._live)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def change(self, table: str) -> Change | None:
        """Give the change for the journal, or None when nothing differs."""
        put = {str(key): doc for key, doc in self.put.items() if self._live.get(key) != doc}
        if not put and not self.deleted:
            return None
        return Change(
            put={table: put} if put else {}, delete={table: sorted(self.deleted)} if self.deleted else {}
        )


class JournalTable(Table):
    """A TinyDB table that writes what changed instead of everything."""

    _handed_out = 0

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
        tables = self.journal.read() or {}
        return cast("dict[str, Mapping[str, object]]", tables.get(self.name, {}))

    def _update_table(self, updater: Callable[[dict[int, Mapping[str, object]]], None]) -> None:
        with self.journal.exclusive():
            recorder = _Recorder(cast("Mapping[int, Document]", self._read_table()))
            updater(cast("dict[int, Mapping[str, object]]", recorder))
            change = recorder.change(self.name)
            if change is not None:
                self.journal.commit(change)

    def since(self, doc_id: int) -> Iterator[tuple[int, Document]]:
        """Give the documents with ids above one, in order, without walking those before."""
        table = cast("Mapping[int, Document]", self._read_table())
        for following in range(doc_id + 1, self.journal.last_id(self.name) + 1):
            document = table.get(following)
            if document is not None:
                yield following, document


class JournalDB(TinyDB):
    """A TinyDB whose storage and tables are the journal's."""

    table_class = JournalTable
    default_storage_class = JournalStorage  # type: ignore[assignment]  # TinyDB's typing asks for JSONStorage

    @property
    def journal(self) -> JournalStorage:
        """The storage behind all tables."""
        return cast("JournalStorage", self.storage)

    def journal_table(self, name: str) -> JournalTable:
        """Give a table; queries are not cached, since other processes write too."""
        return cast("JournalTable", self.table(name, cache_size=0))
