"""Bring the anthropic SDK in quietly: its import is heavy, its warnings are for us, not for a terminal."""

from __future__ import annotations

import gc
import logging
import sys
import warnings
from typing import Final, TextIO

_SPEAKER: Final = r"judging\.backends\.anthropic_live"
"""The SDK's warnings are issued in the name of the module that calls it."""


def import_sdk() -> None:
    """Import the SDK, 2 seconds the first time, without a word on standard error."""
    if "anthropic" in sys.modules:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import anthropic  # noqa: F401
    logging.getLogger("anthropic").addHandler(logging.NullHandler())
    # A full collection over its hundred thousand objects takes 120 ms; none of them ever goes away.
    gc.collect()
    gc.freeze()


class WarningsKept:
    """Keeps the SDK's Python warnings, e.g. that a model is about to end, instead of printing them."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._before = warnings.showwarning
        warnings.filterwarnings("always", module=_SPEAKER)
        self._mine = self._show
        warnings.showwarning = self._mine

    def taken(self) -> list[str]:
        """Give what was kept since the last time, each text once."""
        kept, self._kept = self._kept, []
        return list(dict.fromkeys(kept))

    def close(self) -> None:
        """Let warnings go where they went before."""
        if warnings.showwarning is self._mine:
            warnings.showwarning = self._before

    def _show(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if filename.endswith("anthropic_live.py"):
            self._kept.append(" ".join(str(message).split()))
        else:
            self._before(message, category, filename, lineno, file, line)
