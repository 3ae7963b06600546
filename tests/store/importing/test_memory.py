"""A large file is imported in memory that does not grow with the length of its traces."""

from __future__ import annotations

import csv
import json
import tracemalloc
from pathlib import Path

import pytest

from store.importing.importer import ImportOptions, import_files
from store.project import Project

ROWS = 1500
LENGTH = 20_000
LIMIT = 10_000_000
"""Bytes: a third of what the traces hold, and several times the buffers."""


def write(path: Path) -> None:
    rows = [{"id": str(number), "input": "q", "output": "word " * (LENGTH // 5)} for number in range(ROWS)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            table = csv.DictWriter(file, ["id", "input", "output"])
            table.writeheader()
            table.writerows(rows)
        elif path.suffix == ".json":
            json.dump({"data": rows}, file)
        else:
            file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv"])
def test_a_large_file_never_stands_in_memory(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows.{suffix}"
    write(path)
    assert path.stat().st_size > 3 * LIMIT
    with Project.create(tmp_path / "project") as project:
        tracemalloc.start()
        try:
            report = import_files(project, [path], ImportOptions())
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert report.traces == ROWS
    assert peak < LIMIT
