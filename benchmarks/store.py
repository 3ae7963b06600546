"""Print what the store costs against its floors.

    python -m benchmarks.store [--writes N] [--labels N] [--traces N] [--folder DIR]

One label's durable write against a bare append and flush of the same bytes, in turns, at 100 labels and
at many; opening a project with many labels; loading the index of many traces; reading one trace. Medians;
only the ratios are comparable between machines.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import msgspec

from store.appendlog import AppendLog
from store.files import flush_to_disk
from store.identity import canonical_json
from store.journal import Change
from store.lines import encode_line
from store.project import FOLDER, JOURNAL_NAME, Project
from store.records import Label, Trace
from store.traces import TraceShelf

TEXT = "The almond croissant is made on the line that also handles hazelnuts, says the list. " * 24
"""About 2 kB, as a trace is."""


def label(number: int) -> Label:
    """Make a label as a person's key does."""
    return Label(
        trace=f"trace-{number:06d}",
        criterion="allergens",
        version=1,
        verdict="fail" if number % 3 == 0 else "pass",
        annotator="anna",
        note="says safe, the list says may contain" if number % 9 == 0 else "",
        at="2026-12-01T08:30:00+00:00",
        seconds=4.5,
        queue="random",
        probability=0.01,
    )


def fill_labels(root: Path, count: int) -> None:
    """Write a journal of so many labels, one line each, as labelling one by one leaves it."""
    log = AppendLog(root / FOLDER / JOURNAL_NAME)
    with log.exclusive():
        log.append(
            [
                canonical_json(Change(put={"labels": {str(n): msgspec.Raw(canonical_json(label(n)))}}))
                for n in range(1, count + 1)
            ]
        )
    log.close()


def fill_traces(root: Path, count: int) -> None:
    """Import so many traces of 2 kB."""
    with Project(root) as project, project.traces.writer() as writer:
        for number in range(count):
            writer.add(Trace(f"trace-{number:06d}", f"question {number}", TEXT))
        writer.publish()


@dataclass(frozen=True)
class Writes:
    """Seconds of each write, both kinds taken in turns."""

    bare: list[float]
    ours: list[float]

    @property
    def ratio(self) -> float:
        """Our median over the bare one."""
        return median(self.ours) / median(self.bare)


def timed(action: Callable[[], object]) -> float:
    """Give the seconds that something takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def measure_writes(root: Path, labels: int, writes: int) -> Writes:
    """Write labels to a project that holds so many, and the same bytes to a bare file beside it."""
    Project.create(root).close()
    fill_labels(root, labels)
    line = encode_line(canonical_json(Change(put={"labels": {"1": msgspec.Raw(canonical_json(label(1)))}})))
    fd = os.open(root / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def bare() -> None:
        os.write(fd, line)
        flush_to_disk(fd)

    result = Writes([], [])
    with Project(root) as project:
        for number in range(writes + 20):
            of_bare, of_ours = timed(bare), timed(partial(project.labels.add, label(number)))
            if number >= 20:
                result.bare.append(of_bare)
                result.ours.append(of_ours)
    os.close(fd)
    return result


def resident_megabytes(root: Path) -> float:
    """Open a project in a process of its own and give what that process holds, less its imports."""
    code = (
        "import sys; from pathlib import Path; from store.project import Project\n"
        "def held():\n"
        "    lines = open('/proc/self/status').readlines()\n"
        "    return next(int(line.split()[1]) for line in lines if line.startswith('VmRSS'))\n"
        "before = held(); project = Project(Path(sys.argv[1])); print((held() - before) / 1000)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def milliseconds(values: list[float]) -> str:
    """Show a median and the 95th percentile."""
    return f"{median(values) * 1e3:8.3f} ms  (p95 {quantiles(values, n=20)[-1] * 1e3:.3f})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store", description=__doc__)
    parser.add_argument("--writes", type=int, default=400)
    parser.add_argument("--labels", type=int, default=100_000)
    parser.add_argument("--traces", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="on the disk to measure; default: a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        few, many = folder / "few", folder / "many"
        few.mkdir()
        many.mkdir()
        at_few = measure_writes(few, 100, options.writes)
        at_many = measure_writes(many, options.labels, options.writes)
        for count, writes in ((100, at_few), (options.labels, at_many)):
            print(f"one label, durable, at {count:>7,} labels   {milliseconds(writes.ours)}")
            print(f"  bare append and flush of its bytes     {milliseconds(writes.bare)}")
            print(f"  ratio {writes.ratio:.2f}  (target: at most 2)")
        flat = at_many.ratio / at_few.ratio
        print(f"flat: {options.labels:,} against 100 labels {flat:.2f}  (target: at most 1.2)")
        opened = [timed(lambda: Project(many).close()) for _ in range(5)]
        print(f"open a project of {options.labels:,} labels     {median(opened) * 1e3:8.1f} ms")
        fill_traces(many, options.traces)
        shelf_folder = many / FOLDER / "traces"
        loads = [timed(lambda: TraceShelf(shelf_folder).close()) for _ in range(20)]
        print(f"load the index of {options.traces:,} traces     {median(loads) * 1e3:8.2f} ms  (target: 5)")
        shelf = TraceShelf(shelf_folder)
        rows = [(number * 7919) % options.traces for number in range(2000)]
        reads = [timed(partial(shelf.at, row)) for row in rows]
        print(f"read one trace of 2 kB by row, warm      {median(reads) * 1e6:8.1f} µs")
        finds = [timed(partial(shelf.row_of, f"trace-{row:06d}")) for row in rows]
        print(f"find a trace's row by its id             {median(finds) * 1e6:8.1f} µs")
        shelf.close()
        if sys.platform == "linux":
            print(f"memory of both, less the imports         {resident_megabytes(many):8.1f} MB")


if __name__ == "__main__":
    main()
