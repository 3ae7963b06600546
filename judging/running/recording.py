"""Writes a run's log off the hot path: many entries share one flush to the disk.

Entries keep their order, so an answer is always on disk before the verdict that was read from it.
Watchers are told of an entry only when it is safe.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from store.errors import StoreError
from store.runs import Entry, RunWriter

_BACKLOG: Final = 500
"""Entries not yet on disk at which rows are held back: a disk that hangs must not fill the memory."""

_APART: Final = 0.02
"""Seconds between the beginnings of two writes: flushing for every answer of a fast run costs more
processor time than the answers do. After a quiet moment an entry is written at once."""


class Recorder:
    """The queue between a run and its log."""

    def __init__(
        self,
        writer: RunWriter,
        *,
        on_event: Callable[[Entry], None] | None,
        on_failure: Callable[[StoreError], None],
    ) -> None:
        """Begin to write; needs a running event loop.

        Args:
            writer: The log.
            on_event: Told of every entry that is on disk.
            on_failure: Told when the disk does not take any more.
        """
        self._writer = writer
        self._on_event = on_event
        self._on_failure = on_failure
        self._queue: list[Entry] = []
        self._wake = asyncio.Event()
        self._written = asyncio.Event()
        self._unsafe = 0
        self._unsafe_answers = 0
        self._closing = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="run-log")
        self._task = asyncio.ensure_future(self._write_on())
        self.error: StoreError | None = None
        """Why nothing more is written."""

    def put(self, entry: Entry) -> None:
        """Hand an entry over; it is written soon, together with whatever comes meanwhile."""
        if self.error is None:
            self._queue.append(entry)
            self._unsafe += 1
            self._unsafe_answers += entry.call is not None
            self._wake.set()

    async def room(self) -> None:
        """Wait while the disk is far behind."""
        while self._unsafe > _BACKLOG and self.error is None:
            await self._written.wait()

    async def answers_safe(self, *, but: int) -> None:
        """Wait while so many answers or more are not on disk yet: a kill now would lose what they cost."""
        while self._unsafe_answers >= but and self.error is None:
            await self._written.wait()

    async def close(self) -> None:
        """Write what is left.

        Raises:
            StoreError: The disk did not take everything.
        """
        self._closing = True
        self._wake.set()
        await self._task
        self._thread.shutdown()
        if self.error is not None:
            raise self.error

    async def _write_on(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                batch, self._queue = self._queue, []
                due = loop.time() + _APART
                try:
                    await loop.run_in_executor(self._thread, self._append, batch)
                except StoreError as error:
                    self.error = error
                    self._queue.clear()
                    self._on_failure(error)
                else:
                    self._tell(batch)
                self._unsafe -= len(batch)
                self._unsafe_answers -= sum(entry.call is not None for entry in batch)
                self._written.set()
                self._written.clear()
                if not self._closing and due > loop.time():
                    await asyncio.sleep(due - loop.time())
            if self._closing or self.error is not None:
                return

    def _append(self, batch: list[Entry]) -> None:
        self._writer.append(*batch)

    def _tell(self, batch: list[Entry]) -> None:
        if self._on_event is not None:
            for entry in batch:
                self._on_event(entry)
