"""Whether a run goes on: paused, stopping, and whoever sleeps meanwhile woken at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from judging.running.clock import Clock
from store.runrecords import RunState

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class RunStopping(Exception):
    """Nothing new is begun any more; raised wherever a call waits for its turn."""


@dataclass(frozen=True)
class Stop:
    """Why a run stops."""

    state: RunState
    detail: str
    soon: bool = False
    """Calls in flight get a grace only; otherwise they are waited for, since they are paid for."""


class Control:
    """The one switch of a run."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sleepers: set[asyncio.Task[None]] = set()
        self._listeners: list[Callable[[], None]] = []
        self._going = asyncio.Event()
        self._going.set()
        self.paused = False
        self.stop: Stop | None = None
        self.stopped = asyncio.Event()
        """Set when `stop` is."""
        self.hurried = asyncio.Event()
        """Set by the second wish to stop: nobody wants to wait for the grace."""

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call a function after every change."""
        self._listeners.append(listener)

    def pause(self, paused: bool) -> None:
        """Hold the beginning of new calls, or let it go on."""
        self.paused = paused
        (self._going.clear if paused and self.stop is None else self._going.set)()
        self._changed()

    def request_stop(self, stop: Stop) -> None:
        """Begin nothing new; the first reason counts, and a second wish to stop soon hurries."""
        if self.stop is not None:
            if stop.soon:
                self.hurried.set()
            return
        self.stop = stop
        self.stopped.set()
        self._going.set()
        for sleeper in self._sleepers:
            sleeper.cancel()
        self._changed()

    def check(self) -> None:
        """Let work go on.

        Raises:
            RunStopping: Nothing new is to be begun.
        """
        if self.stop is not None:
            raise RunStopping

    async def going_on(self) -> None:
        """Wait for the end of a pause.

        Raises:
            RunStopping: The run stops.
        """
        await self._going.wait()
        self.check()

    async def sleep(self, seconds: float) -> None:
        """Wait, unless the run stops first.

        Raises:
            RunStopping: The run stops.
        """
        self.check()
        sleeper = asyncio.ensure_future(self._clock.sleep(seconds))
        self._sleepers.add(sleeper)
        try:
            # Unlike awaiting it, this tells a cancelled sleeper from a cancelled caller.
            await asyncio.wait({sleeper})
        finally:
            self._sleepers.discard(sleeper)
            sleeper.cancel()
        self.check()

    def _changed(self) -> None:
        for listener in self._listeners:
            listener()


@contextmanager
def signals_stop(control: Control) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP stop a run in an orderly way for the length of a block.

    Outside the main thread, where signals cannot be had, nothing is changed.
    """
    loop = asyncio.get_running_loop()
    before = {}
    for number in _SIGNALS:
        previous = signal.getsignal(number)
        try:
            loop.add_signal_handler(number, _interrupt, control, number)
        except (ValueError, RuntimeError, NotImplementedError):
            continue
        before[number] = previous
    try:
        yield
    finally:
        for number, previous in before.items():
            loop.remove_signal_handler(number)
            # None: a handler that was not installed from Python and cannot be put back.
            if previous is not None:
                signal.signal(number, previous)


def _interrupt(control: Control, number: signal.Signals) -> None:
    control.request_stop(Stop(RunState.INTERRUPTED, f"interrupted by {number.name}", soon=True))
