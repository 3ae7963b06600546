"""A program at the far end of a pseudo-terminal: what it writes, byte by byte, and when."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

ROOT = Path(__file__).parents[1]
PATIENCE = 30.0
"""Seconds to wait for something that must come."""


@dataclass(frozen=True)
class Chunk:
    """Bytes that came at once, and when."""

    at: float
    """By `time.perf_counter`."""
    data: bytes


class Terminal:
    """The near end; keys go in, bytes come out."""

    def __init__(self, pid: int, fd: int) -> None:
        self.pid = pid
        self.fd = fd

    def type(self, keys: str | bytes) -> float:
        """Send keys; return when."""
        at = time.perf_counter()
        os.write(self.fd, keys.encode() if isinstance(keys, str) else keys)
        return at

    def read(self, seconds: float) -> Chunk | None:
        """Return what comes within some seconds, or None: nothing came, or the far end is closed."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        try:
            data = os.read(self.fd, 1 << 20)
        except OSError:  # Linux says EIO when the far end is closed
            data = b""
        return Chunk(time.perf_counter(), data) if data else None

    def until(self, mark: bytes, *, patience: float = PATIENCE) -> list[Chunk]:
        """Read until `mark` was seen.

        Raises:
            TimeoutError: It did not come.
        """
        chunks: list[Chunk] = []
        end = time.perf_counter() + patience
        while mark not in b"".join(chunk.data for chunk in chunks[-2:]):
            chunk = self.read(max(0.0, end - time.perf_counter()))
            if chunk is None:
                raise TimeoutError(f"{mark!r} did not come: {b''.join(c.data for c in chunks)[-2000:]!r}")
            chunks.append(chunk)
        return chunks

    def settled(self, quiet: float = 0.15) -> list[Chunk]:
        """Read until nothing came for `quiet` seconds."""
        chunks: list[Chunk] = []
        while chunk := self.read(quiet):
            chunks.append(chunk)
        return chunks

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size; the program is told by the kernel."""
        ioctl(self.fd, TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def hang_up(self) -> None:
        """Close the near end, as a dropped connection does."""
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, self.fd)
        os.close(null)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def wait(self, patience: float = PATIENCE) -> int:
        """Read on until the program has ended; return its exit code, or minus the signal.

        Raises:
            TimeoutError: It did not end.
        """
        end = time.perf_counter() + patience
        while time.perf_counter() < end:
            self.read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise TimeoutError("the program did not end")


@contextmanager
def terminal(
    argv: Sequence[str],
    *,
    columns: int = 120,
    rows: int = 40,
    environ: Mapping[str, str] | None = None,
) -> Iterator[Terminal]:
    """Run Python with some arguments in a pseudo-terminal, from the root of the project.

    Args:
        argv: What follows `python`.
        columns: Of the terminal.
        rows: Of the terminal.
        environ: Added to a bare environment: truecolor, UTF-8, no settings of the person at hand.
    """
    near, far = pty.openpty()
    ioctl(near, TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, *argv],
        {
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "PYTHONPATH": str(ROOT),
            "ADJUDGE_ANNOTATOR": "asha",
            **(environ or {}),
        },
        # Opened and not only duplicated: it is then the session's own terminal, whose end is a hang-up.
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.ttyname(far), os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ],
        setsid=True,
    )
    os.close(far)
    here = Terminal(pid, near)
    try:
        yield here
    finally:
        if here.pid:
            with suppress(ProcessLookupError):
                here.kill()
            os.waitpid(here.pid, 0)
        os.close(near)
