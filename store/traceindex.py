"""Where each trace of one imported file begins: a small binary index.

Layout, little-endian: magic, number of rows n, bytes of the data file, bytes of the id text; then
n+1 line offsets (u64), n+1 ends of ids (u32, padded to 8 bytes), n content hashes (u64), the n id
hashes sorted (u64), the rows they belong to (u32, padded), n kinds (u8), and the ids as UTF-8.
"""

from __future__ import annotations

import hashlib
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, Literal

_MAGIC: Final = b"ADJIDX01"
_HEADER: Final = struct.Struct("<8sQQQ")


def hash64(data: bytes) -> int:
    """Hash bytes to 64 bits, the same in every process."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


class IndexBuilder:
    """Collects what the index of one data file needs, row by row."""

    def __init__(self) -> None:
        self.offsets = array("Q", [0])
        self._id_ends = array("I", [0])
        self._contents = array("Q")
        self._kinds = bytearray()
        self._ids: list[bytes] = []

    def add(self, trace_id: str, *, length: int, content: int, kind: int) -> None:
        """Note one row: the length of its line in bytes, its content hash and its kind (0 single, 1 pair)."""
        encoded = trace_id.encode()
        self.offsets.append(self.offsets[-1] + length)
        self._id_ends.append(self._id_ends[-1] + len(encoded))
        self._contents.append(content)
        self._kinds.append(kind)
        self._ids.append(encoded)

    def data(self) -> bytes:
        """Give the content of the index file."""
        n = len(self._ids)
        hashes = [hash64(encoded) for encoded in self._ids]
        by_hash = sorted(range(n), key=hashes.__getitem__)
        blob = b"".join(self._ids)
        parts = [
            _HEADER.pack(_MAGIC, n, self.offsets[-1], len(blob)),
            self.offsets.tobytes(),
            _padded(self._id_ends.tobytes()),
            self._contents.tobytes(),
            array("Q", (hashes[row] for row in by_hash)).tobytes(),
            _padded(array("I", by_hash).tobytes()),
            _padded(bytes(self._kinds)),
            blob,
        ]
        return b"".join(parts)


class TraceIndex:
    """The index of one data file: read as one piece of memory, of which nothing is unpacked."""

    def __init__(self, data: bytes) -> None:
        """Take the content of an index file.

        Raises:
            ValueError: It is not an index of this version, or not whole.
        """
        view = memoryview(data)
        if len(view) < _HEADER.size:
            raise ValueError("the index is cut short")
        magic, n, self.data_size, blob_size = _HEADER.unpack(view[: _HEADER.size])
        if magic != _MAGIC:
            raise ValueError("not an index of this version")
        self._n: int = n
        at = _HEADER.size

        def take(count: int, code: Literal["Q", "I", "B"], size: int) -> memoryview:
            nonlocal at
            part = view[at : at + count * size]
            if len(part) != count * size:
                raise ValueError("the index is cut short")
            at += count * size + -(count * size) % 8
            return part.cast(code)

        self.offsets = take(n + 1, "Q", 8)
        self._id_ends = take(n + 1, "I", 4)
        self._contents = take(n, "Q", 8)
        self._hashes = take(n, "Q", 8)
        self._rows = take(n, "I", 4)
        self._kinds = take(n, "B", 1)
        self._blob = take(blob_size, "B", 1)
        if self.offsets[n] != self.data_size or self._id_ends[n] != blob_size:
            raise ValueError("the index contradicts itself")

    def __len__(self) -> int:
        return self._n

    def id_at(self, row: int) -> str:
        """Give a row's trace id."""
        return str(self._blob[self._id_ends[row] : self._id_ends[row + 1]], "utf-8")

    def ids(self) -> Iterator[str]:
        """Give all ids in the file's order."""
        return map(self.id_at, range(self._n))

    def content_at(self, row: int) -> int:
        """Give a row's 64-bit content hash."""
        return int(self._contents[row])

    def kind_at(self, row: int) -> int:
        """Give a row's kind: 0 single, 1 pair."""
        return int(self._kinds[row])

    def row_of(self, trace_id: str) -> int | None:
        """Find a trace by its id."""
        wanted = hash64(trace_id.encode())
        hashes: Sequence[int] = self._hashes  # a memoryview of u64 is a sequence of int
        at = bisect_left(hashes, wanted)
        while at < self._n and hashes[at] == wanted:
            row = int(self._rows[at])
            if self.id_at(row) == trace_id:
                return row
            at += 1
        return None


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 8)
