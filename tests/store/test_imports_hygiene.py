"""The store loads without any of the heavy or screen libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import store

FORBIDDEN = ("textual", "rich", "anthropic", "numpy", "scipy", "sklearn", "pydantic", "judging", "tui")


def test_every_store_module_loads_without_heavy_or_screen_libraries() -> None:
    folder = Path(store.__file__).parent
    modules = sorted(
        ".".join(path.relative_to(folder.parent).with_suffix("").parts) for path in folder.rglob("*.py")
    )
    assert len(modules) > 15
    code = (
        "import importlib, sys\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        f"print([name for name in {FORBIDDEN!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(folder.parent)},
    )
    assert done.stdout.strip() == "[]"
