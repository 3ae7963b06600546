"""Print what the Label screen costs in a pseudo-terminal: time to the first trace, bytes and time a key.

    python -m benchmarks.label_wire [--traces N] [--keys N] [--starts N]

Times come from the near end of the terminal: from the key's write to the arrival of the bytes. Start is
compared with an empty Textual app started in turn with it, since absolute times drift on a shared machine.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from benchmarks.terminal import Terminal, terminal
from store.project import Project
from store.records import Criterion, Trace

FORBIDDEN = ("anthropic", "aiohttp", "numpy", "scipy", "sklearn", "pydantic")
"""What must not be loaded at first paint."""

FRAME_END = b"\x1b[1;1H"
"""The cursor is put in its corner after each frame."""

EMPTY_APP = """
from textual.app import App
from textual.widgets import Static

class Empty(App[None]):
    def compose(self):
        yield Static("all there is")

Empty().run()
"""

CONSOLE_SCRIPT = ("-c", "import sys; from tui.cli import main; sys.exit(main())")
"""What the installed command `adjudge` runs."""

WATCHED_APP = """
import sys
from tui.app import AdjudgeApp
from tui.cli.main import main

def note(app):
    with open(sys.argv[1], "w") as file:
        file.write("\\n".join(sys.modules))

AdjudgeApp.on_ready = note
main(["--project", sys.argv[2], "label"])
"""

WORDS = """
coconut cookies contain nuts flour sugar butter may hold traces of cashew from a shared line and the
customer asks whether the sourdough is safe for a child who cannot have sesame or milk
""".replace("\n", " ").split(" ")


@dataclass(frozen=True)
class KeyCost:
    """What one label key cost."""

    mark_seconds: float
    mark_bytes: int
    next_seconds: float
    next_bytes: int


def make_project(root: Path, traces: int, size: int = 2_000) -> None:
    """Make a project with traces of `size` characters and a criterion."""
    chance = random.Random(1)
    with Project.create(root) as project:
        project.criteria.add(
            Criterion(
                "allergen",
                0,
                "The reply says whether the item contains, or may contain, the allergen asked about.",
                "It ignores the allergen, states it wrongly, or guesses.",
            )
        )
        with project.traces.writer() as writer:
            for number in range(traces):
                lines = [" ".join(chance.choices(WORDS, k=chance.randint(5, 40))) for _ in range(30)]
                facts = {"ingredients": ", ".join(chance.sample(WORDS, 8))}
                writer.add(Trace(f"t-{number:05}", lines[0], "\n".join(lines)[:size], facts=facts))
            writer.publish()


def press(far: Terminal, key: str) -> KeyCost:
    """Label one trace and read until all of the next one has come."""
    start = far.type(key)
    chunks = far.until(b"saved")
    chunks += far.settled(0.06)
    out = b""
    marked = None
    for chunk in chunks:
        out += chunk.data
        if marked is None and b"saved" in out:
            marked = chunk.at
    split = out.index(FRAME_END, out.index(b"saved")) + len(FRAME_END)
    return KeyCost((marked or start) - start, split, chunks[-1].at - start, len(out) - split)


def start_seconds(argv: Sequence[str], mark: bytes) -> float:
    """Start a program and read until `mark` is on the screen."""
    from time import perf_counter

    start = perf_counter()
    with terminal(argv) as far:
        return far.until(mark)[-1].at - start


def loaded_at_first_paint(root: Path, aside: Path) -> list[str]:
    """Name the heavy packages that are loaded when the first trace is on the screen."""
    with terminal(["-c", WATCHED_APP, str(aside), str(root)]) as far:
        far.until(b"reply under judgment")
        far.settled(0.5)
    loaded = {name.partition(".")[0] for name in aside.read_text().split()}
    return [name for name in FORBIDDEN if name in loaded]


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def report_keys(costs: Sequence[KeyCost]) -> None:
    """Print one row for the mark and one for the next trace."""
    marks = [1000 * cost.mark_seconds for cost in costs]
    nexts = [1000 * cost.next_seconds for cost in costs]
    mark_bytes = [cost.mark_bytes for cost in costs]
    next_bytes = [cost.next_bytes for cost in costs]
    print(
        f"label key -> mark        {median(mark_bytes):6.0f} B (max {max(mark_bytes)})   "
        f"p50 {median(marks):5.1f} ms   p95 {p95(marks):5.1f} ms    target <= 500 B, p95 <= 10 ms"
    )
    print(
        f"label key -> next trace  {median(next_bytes):6.0f} B (max {max(next_bytes)})   "
        f"p50 {median(nexts):5.1f} ms   p95 {p95(nexts):5.1f} ms    target <= 9 kB, p50 <= 20, p95 <= 40 ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--traces", type=int, default=10_000)
    parser.add_argument("--keys", type=int, default=120)
    parser.add_argument("--starts", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        make_project(root, options.traces)
        argv = [*CONSOLE_SCRIPT, "--project", str(root), "label"]
        print(f"{options.traces:,} traces of 2 kB, 120x40, truecolor")
        ours: list[float] = []
        floor: list[float] = []
        for _ in range(options.starts):
            floor.append(start_seconds(["-c", EMPTY_APP], b"all there is"))
            ours.append(start_seconds(argv, b"reply under judgment"))
        ratio = median(ours) / median(floor)
        print(
            f"start -> first trace     {1000 * median(ours):6.0f} ms, empty Textual app "
            f"{1000 * median(floor):.0f} ms: {ratio:.2f}x    target <= 1.5x"
        )
        with terminal(argv) as far:
            far.until(b"reply under judgment")
            far.settled(1.0)
            report_keys([press(far, "pf"[number % 2]) for number in range(options.keys)])
        loaded = loaded_at_first_paint(root, Path(folder) / "modules")
        print(f"heavy modules at first paint: {', '.join(loaded) or 'none'}    target none")


if __name__ == "__main__":
    main()
