"""Recorded cases, and the few helpers that tests of figures share."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[2]


@pytest.fixture
def table_case() -> Callable[[str], list[tuple[str, str]]]:
    """Read a recorded CSV case as (human, judge) pairs."""

    def read(name: str) -> list[tuple[str, str]]:
        with (TESTS / "cases" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return [(row["human"], row["judge"]) for row in csv.DictReader(file)]

    return read


@pytest.fixture
def json_case() -> Callable[[str], Any]:
    """Read a recorded JSON or JSON lines case."""

    def read(name: str) -> Any:
        folder = TESTS / "cases"
        if (folder / f"{name}.json").exists():
            return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line]

    return read


@pytest.fixture
def expected(json_case: Callable[[str], Any]) -> Any:
    """What each recorded case shall give."""
    return json_case("expected")


@pytest.fixture
def llmbar() -> Callable[[str], list[dict[str, str]]]:
    """Read one recorded LLMBar judge."""

    def read(name: str) -> list[dict[str, str]]:
        with (TESTS / "data" / "llmbar" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    return read
