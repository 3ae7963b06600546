"""One line of progress on standard error while a run goes on."""

from __future__ import annotations

import sys
import time

from store.runs import Entry
from tui.cli.output import Output

EVERY_SECONDS = 0.5


class ProgressLine:
    """Counts what a run reports and says it now and then; on a terminal in place, else line by line."""

    def __init__(self, output: Output, asked: int) -> None:
        self._output = output
        self._asked = asked
        self._done = 0
        self._missing = 0
        self._said = 0.0
        self._started = time.monotonic()

    def on_event(self, entry: Entry) -> None:
        """Take in one entry of the run's log."""
        if entry.verdict is not None:
            self._done += 1
            self._missing += entry.verdict.verdict is None
        if entry.waiting is not None:
            self._output.progress(entry.waiting.text)
        now = time.monotonic()
        if now - self._said >= EVERY_SECONDS:
            self._said = now
            self._say()

    def end(self) -> None:
        """Say where it ended."""
        self._say()
        if sys.stderr.isatty():
            print(file=sys.stderr)

    def _say(self) -> None:
        passed = time.monotonic() - self._started
        rate = self._done / passed * 60 if passed else 0.0
        text = f"{self._done}/{self._asked} judged, {rate:.0f}/min"
        if self._missing:
            text += f", {self._missing} without a verdict"
        if sys.stderr.isatty():
            print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)
        else:
            self._output.progress(text)
