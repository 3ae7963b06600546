"""Exit codes that scripts rely on."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """How a command ended."""

    DONE = 0
    GATE = 1
    """A gate such as --require-tpr was breached."""
    USAGE = 2
    """Wrong usage or bad input; nothing was changed."""
    NO_VERDICTS = 3
    """Finished, with rows that have no verdict."""
    STOPPED = 4
    """Stopped by budget, outage or key."""
    STORE = 5
    """The store is damaged or held by another process."""
    INTERRUPTED = 130
    """Interrupted; everything so far is kept."""
