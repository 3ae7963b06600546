"""Looks for words from other processes, and for news of the backend, while a run goes on."""

from __future__ import annotations

import asyncio

from judging.backends import Backend, CallBackend
from judging.running.clock import Clock, stamp
from judging.running.control import Control, Stop
from judging.running.recording import Recorder
from store.runrecords import RunState, StateChange, Waiting
from store.runs import Control as Word
from store.runs import Entry, RunFolder


async def watch(
    run: RunFolder, backend: Backend, *, control: Control, recorder: Recorder, clock: Clock, poll: float
) -> None:
    """Heed pause, continue and cancel until cancelled.

    Args:
        run: Whose folder the words are left in.
        backend: Whose news are written into the log.
        control: The run's switch.
        recorder: Its log.
        clock: For the times in the log.
        poll: Seconds between looks; real ones, since other processes live in real time.
    """
    heard: Word | None = None
    while True:
        word = run.asked_for()
        if word is not None and word != heard:
            heard = word
            _heed(word, control, recorder, clock)
        tell_news(backend, recorder, clock)
        await asyncio.sleep(poll)


def tell_news(backend: Backend, recorder: Recorder, clock: Clock) -> None:
    """Write what a backend has to say into the log."""
    if isinstance(backend, CallBackend):
        for text in backend.news():
            recorder.put(Entry(waiting=Waiting(text, at=stamp(clock.now()))))


def _heed(word: Word, control: Control, recorder: Recorder, clock: Clock) -> None:
    if word == "cancel":
        control.request_stop(Stop(RunState.CANCELLED, "cancelled", soon=True))
    elif control.stop is None and control.paused is not (word == "pause"):
        control.pause(word == "pause")
        state = RunState.PAUSED if control.paused else RunState.RUNNING
        recorder.put(Entry(state=StateChange(state, "", stamp(clock.now()))))
