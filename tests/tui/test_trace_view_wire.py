"""In a real pseudo-terminal: what the next trace and one step in a list cost in bytes, in one write."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

ROOT = Path(__file__).parents[2]
COLUMNS, ROWS = 120, 40
READY = b"all keys work"

APP = """
import random
from textual.app import App
from textual.widgets import Static
from store.records import Trace
from tui import theme
from tui.text import content
from tui.widgets.lines_list import LinesList
from tui.widgets.trace_view import TraceView

WORDS = "coconut cookies contain nuts flour sugar butter may hold traces of cashew from a shared line".split()

def trace(seed):
    chance = random.Random(seed)
    lines = [" ".join(chance.choices(WORDS, k=chance.randint(5, 60))) for _ in range(60)]
    return Trace(str(seed), lines[0], "\\n".join(lines)[:2000])

class Wire(App[None]):
    BINDINGS = [("n", "next", ""), ("l", "list", ""), ("b", "big", ""), ("q", "quit", "")]
    CSS = "LinesList { display: none; }"

    def __init__(self):
        super().__init__()
        self.animation_level = "none"
        for each in theme.themes():
            self.register_theme(each)
        self.theme = theme.DARK
        self.seed = 0

    def compose(self):
        yield TraceView()
        yield LinesList()
        yield Static("all keys work")

    def on_mount(self):
        self.query_one(TraceView).show(trace(0))
        self.query_one(LinesList).set_rows(100_000, lambda i: content(f"t-{i} coconut cookies nut-free?"))

    def action_next(self):
        self.seed += 1
        self.query_one(TraceView).show(trace(self.seed))

    def action_big(self):
        self.query_one(TraceView).show(Trace("big", "q", "word " * 1_000_000))

    def action_list(self):
        self.query_one(TraceView).display = False
        self.query_one(LinesList).display = True
        self.query_one(LinesList).focus()

Wire().run()
"""


class Terminal:
    """The far end of a pseudo-terminal with our app at the other."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def until(self, mark: bytes) -> bytes:
        """Read until `mark` was seen and nothing more comes."""
        out = b""
        while mark not in out:
            out += self._read(30.0)
        return out + self.settled()

    def settled(self) -> bytes:
        """Read until nothing more comes."""
        out = b""
        while more := self._read(0.3):
            out += more
        return out

    def press(self, key: str) -> bytes:
        """Type a key; return all that it made the app write."""
        os.write(self.fd, key.encode())
        first = self._read(30.0)
        return first + self.settled()

    def _read(self, wait: float) -> bytes:
        ready, _, _ = select.select([self.fd], [], [], wait)
        return os.read(self.fd, 1 << 20) if ready else b""


@contextmanager
def terminal() -> Iterator[Terminal]:
    environ = {
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "PATH": os.environ["PATH"],
    }
    near, far = pty.openpty()
    ioctl(near, TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{APP}"],
        environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, far, fd) for fd in range(3)],
        setsid=True,
    )
    os.close(far)
    try:
        yield Terminal(near)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(near)


def test_the_wire_stays_quiet() -> None:
    with terminal() as far:
        far.until(READY)
        costs = [len(far.press("n")) for _ in range(8)]
        assert max(costs) <= 9_000, costs
        assert min(costs) > 2_000, costs
        assert b"more lines" in far.press("b")
        far.press("l")
        steps = [len(far.press("j")) for _ in range(8)]
        assert max(steps) <= 550, steps
        assert far.press("k").count(b"t-7 ") == 1
