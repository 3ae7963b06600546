"""Workers that take rows until none is left or the run stops, and how they come to an end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from judging.running.control import Control, RunStopping
from judging.running.recording import Recorder
from judging.running.rows import RowJudge, WorkItem
from store.records import Verdict
from store.runs import Entry


async def work_through(
    items: Iterable[WorkItem],
    rows: RowJudge,
    *,
    workers: int,
    control: Control,
    recorder: Recorder,
    grace: float,
    noted: Callable[[Verdict], None],
) -> None:
    """Judge rows side by side; return when all are judged or the run stops.

    Args:
        items: The rows, taken in order.
        rows: What judges one.
        workers: Rows in progress at once.
        control: Says when to stop.
        recorder: Where verdicts go.
        grace: Seconds that calls in flight are given when the run is to stop soon.
        noted: Told of every verdict as it is handed to the recorder.
    """
    left = iter(items)

    async def take_rows() -> None:
        for item in left:
            await recorder.room()
            if control.stop is not None:
                return
            try:
                verdict = await rows.verdict(item)
            except RunStopping:
                return
            recorder.put(Entry(verdict=verdict))
            noted(verdict)

    crew = [asyncio.ensure_future(take_rows()) for _ in range(workers)]
    all_done = asyncio.ensure_future(_all_done(crew))
    try:
        await _first(all_done, control.stopped)
        if not all_done.done():
            soon = control.stop is not None and control.stop.soon
            await _first(all_done, control.hurried, at_most=grace if soon else None)
        if all_done.done():
            all_done.result()
    finally:
        for task in (all_done, *crew):
            task.cancel()
        await asyncio.gather(all_done, *crew, return_exceptions=True)


async def _all_done(crew: list[asyncio.Task[None]]) -> None:
    """Wait for all workers; a fault in one, which would be a fault of ours, ends the waiting."""
    await asyncio.gather(*crew)


async def _first(task: asyncio.Task[None], event: asyncio.Event, at_most: float | None = None) -> None:
    """Wait for a task or an event, whichever comes first, or until seconds are up."""
    waiting = asyncio.ensure_future(_occurs(event))
    try:
        await asyncio.wait({task, waiting}, timeout=at_most, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()


async def _occurs(event: asyncio.Event) -> None:
    await event.wait()
