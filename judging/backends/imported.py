"""Verdicts that were made elsewhere: there is nothing to run."""

from __future__ import annotations

from store.errors import BadInput
from store.records import JudgeVersion


def nothing_to_run(judge: JudgeVersion) -> BadInput:
    """Say why a judge of recorded verdicts cannot be run, and what can be done instead."""
    return BadInput(
        f"the verdicts of judge {judge.name!r} were made elsewhere and imported: there is nothing to run. "
        "Import more of them with `adjudge import FILE --judge NAME`, or make a judge that runs with "
        "`adjudge judge new`"
    )
