"""The common part of every book: records appended to a table of the journal, read back in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

import msgspec

from store.errors import StoreDamaged
from store.journal import Document, JournalDB


class Record(Protocol):
    """A frozen dataclass of `store.records`."""

    __dataclass_fields__: dict[str, object]


R = TypeVar("R")


class Book(Generic[R]):
    """One table of records that are appended and never changed; views are kept up as they come."""

    table_name: str
    record_type: type[R]

    def __init__(self, db: JournalDB) -> None:
        self._journal = db.journal
        self._decode = msgspec.json.Decoder(self.record_type).decode
        self._seen = 0
        self._generation = self._journal.generation
        self._reset()
        self.refresh()

    def _reset(self) -> None:
        """Empty the views."""
        raise NotImplementedError  # pragma: no cover

    def _apply(self, doc_id: int, record: R) -> None:
        """Take one record, which nobody else holds yet, into the views."""
        raise NotImplementedError  # pragma: no cover

    def refresh(self) -> bool:
        """Take in what was appended since, by this process or another; say whether there was anything.

        Raises:
            StoreDamaged: A document is not a record of this book.
        """
        if self._generation != self._journal.generation:
            self._generation, self._seen = self._journal.generation, 0
            self._reset()
        rows = self._journal.rows(self.table_name)
        before = self._seen
        for doc_id in range(before + 1, self._journal.last_id(self.table_name) + 1):
            row = rows.get(doc_id)
            if row is None:
                continue
            try:
                record = self._decode(row)
            except msgspec.DecodeError as error:
                raise StoreDamaged(
                    self._journal.log.path, None, f"{self.table_name} {doc_id}: {error}"
                ) from error
            self._apply(doc_id, record)
            self._seen = doc_id
        return self._seen > before

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the journal for a block that looks and then writes, with this book up to date.

        Without it another process may write between the look and the write.
        """
        with self._journal.exclusive():
            self.refresh()
            yield

    def append(self, record: R) -> int:
        """Write one record; it is on disk when this returns.

        Returns:
            Its id.
        """
        return self.append_all([record])[0]

    def append_all(self, records: Iterable[R]) -> list[int]:
        """Write records in one line; all are on disk when this returns, or none.

        Returns:
            Their ids.

        Raises:
            BadInput: JSON cannot hold a record; nothing was written.
            StoreError: The disk did not take them; nothing was written.
        """
        rows = list(records)
        with self._journal.exclusive():
            ids = self._journal.append_documents({self.table_name: rows})[self.table_name]
            self.refresh()
        return ids


def as_document(record: object) -> Document:
    """Turn a record into a plain dict; fields at their default are kept too."""
    document: Document = msgspec.to_builtins(record)
    return document
