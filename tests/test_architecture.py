"""The arrows run tui -> judging -> store, never back, and nothing heavy is loaded before it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui.cli.parser import build_parser

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("store", "judging", "tui")
FORBIDDEN = {
    "store": {"judging", "tui", "textual", "rich", "anthropic", "sklearn", "numpy", "scipy", "pydantic"},
    "judging": {"tui", "textual", "rich"},
    "tui": {"anthropic", "sklearn", "numpy", "scipy", "tinydb", "pydantic"},
}
HEAVY = {"anthropic", "aiohttp", "sklearn", "numpy", "scipy", "pydantic"}


def files_of(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imports_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("room", ROOMS)
def test_no_arrow_runs_back(room: str) -> None:
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files_of(room)
        for name in imports_of(ast.parse(path.read_text(encoding="utf-8")))
        if name in FORBIDDEN[room]
    }
    assert not wrong


@pytest.mark.parametrize("path", [*files_of("judging"), *files_of("tui")], ids=str)
def test_heavy_libraries_are_imported_inside_the_functions_that_need_them(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    at_top = ast.Module(
        body=[node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], type_ignores=[]
    )
    assert not HEAVY & set(imports_of(at_top))


def test_no_screen_and_no_widget_touches_the_store_books_or_another_screen() -> None:
    wrong = []
    for path in files_of("tui/widgets"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                if node.module.startswith("tui.screens"):
                    wrong.append(f"{path.name} imports {node.module}")
                if node.module.startswith("store.") and node.module not in (
                    "store.records",
                    "store.runrecords",
                ):
                    wrong.append(f"{path.name} imports {node.module}")
    assert not wrong


def test_no_file_holds_two_things() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for room in ROOMS
        for path in files_of(room)
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert not long


def loaded_after(code: str) -> set[str]:
    """Run code in a fresh interpreter and name the top-level modules it loaded."""
    script = (
        f"{code}\nimport sys\nprint(' '.join(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def importable(room: str) -> str:
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files_of(room)]
    return "\n".join(f"import {name.removesuffix('.__init__')}" for name in names)


def test_the_store_loads_nothing_that_draws_or_judges() -> None:
    assert not loaded_after(importable("store")) & (HEAVY | {"textual", "rich", "judging", "tui"})


def test_judging_loads_nothing_that_draws() -> None:
    assert not loaded_after(importable("judging")) & (HEAVY | {"textual", "rich", "tui"})


def test_help_loads_neither_the_app_nor_the_store() -> None:
    code = "from tui.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    assert not loaded_after(code) & (
        HEAVY | {"textual", "rich", "tinydb", "msgspec", "judging", "dataclasses"}
    )


def test_every_command_is_built_whether_it_is_typed_or_not() -> None:
    def commands(words: list[str] | None) -> set[str]:
        actions = build_parser(words)._subparsers
        assert actions is not None
        return {name for action in actions._group_actions for name in action.choices or ()}

    everything = commands(None)
    assert {"init", "import", "label", "criterion", "judge", "run", "metrics", "cause"} <= everything
    assert commands([]) == set()
    assert commands(["nothing"]) == everything
    for name in everything:
        assert name in commands(["--json", name])


def test_the_app_itself_loads_nothing_heavy() -> None:
    assert not loaded_after("import tui.app, tui.session.session, tui.screens.label") & HEAVY
