"""A process that labels and says so: one line on standard output for each label that was confirmed.

Usage: labeller.py ROOT NAME FIRST COUNT [compact]. Waits for one line on standard input before it begins.
"""

from __future__ import annotations

import sys
from pathlib import Path

from store.errors import StoreError
from store.project import Project
from store.records import Label


def main(root: str, name: str, first: int, count: int, compact: bool) -> None:
    project = Project(Path(root))
    say("ready")
    sys.stdin.readline()
    for number in range(first, first + count):
        try:
            project.labels.add(
                Label(trace=f"{name}-{number}", criterion="c", version=1, verdict="pass", annotator=name)
            )
        except StoreError as error:
            say(f"refused {error}")
            return
        say(str(number))
        if compact:
            project.compact()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), "compact" in sys.argv[5:])
