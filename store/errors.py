"""Everything that can go wrong in the store, as one tree.

StoreError
├── ProjectNotFound      no project here or in any parent folder
├── ProjectExists        a project is already here
├── StoreDamaged         a file of the project cannot be read back
├── StoreBusy            another process holds what is needed
├── BadInput             what was asked for is wrong; nothing was changed
│   └── NotFound         no such trace, criterion, judge or run
├── LeakRefused          a row of dev or hold-out was to be used as an example
└── Sealed               a hold-out label was asked for before it was opened
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class StoreError(Exception):
    """Anything the store refuses or cannot do; the message is fit to be shown."""


class ProjectNotFound(StoreError):
    """No project folder here or in any parent."""


class ProjectExists(StoreError):
    """A project is already here."""


class StoreDamaged(StoreError):
    """A file of the project cannot be read back; nothing was written over it."""

    def __init__(self, path: Path, line: int | None, detail: str) -> None:
        self.path = path
        """The damaged file."""
        self.line = line
        """1-based line of the damage, or None when it is the whole file."""
        self.detail = detail
        where = f"{path}" if line is None else f"{path}, line {line}"
        super().__init__(
            f"{where} is damaged: {detail}. It was left as it is; "
            "`adjudge doctor --repair` copies it aside and keeps every good line."
        )


class StoreBusy(StoreError):
    """Another process holds what is needed."""


class BadInput(StoreError):
    """What was asked for is wrong; nothing was changed."""


class NotFound(BadInput):
    """No such trace, criterion, judge or run."""


class LeakRefused(StoreError):
    """A labelled row outside train was to be used as an example in a prompt."""


class Sealed(StoreError):
    """A hold-out label was asked for before the hold-out was opened."""
