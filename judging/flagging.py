"""Rows that a person's own check fails, to be judged beside a random sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.errors import BadInput
from store.identity import short_hash
from store.project import Project
from store.records import Decision, JudgeKind, JudgeVersion


@dataclass(frozen=True)
class Flagged:
    """What a check found among the rows a sample was drawn from."""

    by: str
    more: tuple[str, ...]
    """Failed and not in the sample, in the order of the rows."""
    drawn: int
    """Failed and in the sample already."""
    unchecked: int
    """The check gave neither pass nor fail."""

    @property
    def words(self) -> str:
        """The counts in words; weighting the rows later needs those of the sample as well."""
        also = f" (it flags {self.drawn} of the sample too)" if self.drawn else ""
        without = f"; it could not decide on {self.unchecked}" if self.unchecked else ""
        return f"plus {len(self.more)} flagged by {self.by}{also}{without}"


def check_flagger(flag: JudgeVersion, judge: JudgeVersion, sample: int | None) -> None:
    """Check that a judge's verdicts can be used to choose rows for another judge.

    Raises:
        BadInput: No sample is asked for, or the judge is none that passes or fails rows by code.
    """
    if sample is None:
        raise BadInput("flagged rows are added to a random sample: say --sample N beside --flag")
    if flag.backend != "code":
        raise BadInput(
            f"judge {flag.name!r} cannot flag rows: its backend is {flag.backend}, and only a code judge is "
            "asked on the spot. Make one with `adjudge judge new NAME --criterion C --backend code`"
        )
    for one in (flag, judge):
        if (one.kind is JudgeKind.PAIRWISE) or (one is flag and one.kind is not JudgeKind.PASS_FAIL):
            raise BadInput(f"judge {one.name!r} is {one.kind}: flags are for single traces, by pass or fail")


def flagged_by(project: Project, flag: JudgeVersion, pool: Sequence[str], *, drawn: Sequence[str]) -> Flagged:
    """Ask a code judge about every row a sample was drawn from; nothing is recorded.

    Args:
        project: The open project.
        flag: The code judge.
        pool: The rows, by trace id.
        drawn: Those of them that are in the sample.

    Raises:
        BadInput: It cannot be run, or gives no verdict on any row.
    """
    from judging.backends.code import check_code

    check = check_code(flag, project)
    sampled = frozenset(drawn)
    failed: list[str] = []
    unchecked, faults, fault = 0, 0, ""
    for trace in pool:
        draft = check.judge(project.traces.get(trace))
        if draft.verdict == Decision.FAIL:
            failed.append(trace)
        elif draft.verdict != Decision.PASS:
            unchecked += 1
        if draft.verdict is None:
            faults, fault = faults + 1, fault or draft.detail
    if faults == len(pool):
        raise BadInput(f"{flag.name!r} gives no verdict on any row: {fault}")
    more = tuple(trace for trace in failed if trace not in sampled)
    name = f"{flag.name}@{short_hash(flag.hash)}"
    return Flagged(name, more, len(failed) - len(more), unchecked)
