"""Make another verdict of the candidates that a run recorded: no call is made or paid for again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from judging.recipes.votes import DEFAULT_RULE, count_votes
from store.errors import BadInput
from store.project import Project
from store.records import Candidate, JudgeVersion, Reason, Usage, Verdict
from store.runrecords import CallRecord

WAYS: Final = "RUN, RUN:first, RUN:majority or RUN:majority5 (a vote of the first 5 candidates)"
_REFERENCE: Final = re.compile(r"(?P<run>[^:]+)(:(?P<way>first|majority)(?P<number>[1-9]\d{0,2})?)?")


@dataclass(frozen=True)
class StepReference:
    """Which run a step is of, and what is made of its candidates."""

    run: str
    way: str = ""
    """"first" or "majority" of the recorded candidates; empty: the run's own verdicts."""
    number: int | None = None
    """Only so many of the candidates, in the order drawn; None: all."""

    @classmethod
    def of(cls, text: str) -> StepReference:
        """Read RUN, RUN:first, RUN:majority or RUN:majorityN.

        Raises:
            BadInput: It is none of these.
        """
        found = _REFERENCE.fullmatch(text.strip())
        if found is None or (found["way"] == "first" and found["number"]):
            raise BadInput(f"{text!r} names no step: say {WAYS}")
        return cls(found["run"], found["way"] or "", int(found["number"]) if found["number"] else None)


def calls_of(project: Project, judges: Iterable[str]) -> dict[str, CallRecord]:
    """Give every recorded call of some judge versions by key.

    All their runs are read: an answer that a run reused is in the log of the run that paid for it.

    Args:
        project: Whose runs.
        judges: Hashes of judge versions.
    """
    found: dict[str, CallRecord] = {}
    for judge in dict.fromkeys(judges):
        for run in project.runs.all(judge):
            for entry in run.entries():
                # A failed call may have been asked again since; its answer is what the verdict stands on.
                if entry.call is not None and (entry.call.reason is None or entry.call.key not in found):
                    found[entry.call.key] = entry.call
    return found


def rederive(
    verdicts: Mapping[str, Verdict],
    reference: StepReference,
    judge: JudgeVersion,
    calls: Mapping[str, CallRecord],
) -> dict[str, Verdict]:
    """Make a verdict of each row's candidates, with the tokens and money behind those alone.

    A row that ended before any candidate was drawn stays without a verdict.

    Args:
        verdicts: A run's, by row.
        reference: What to make of them.
        judge: Whose run it is; a vote is decided by its rule.
        calls: Recorded calls by key; see `calls_of`.

    Raises:
        BadInput: There are no candidates, or fewer than asked for.
    """
    adaptive = judge.params.get("reducer") == "adaptive"
    if adaptive and reference.number:
        raise BadInput(
            f"{judge.name!r} draws as many candidates as a row needs: there is no vote of a number"
        )
    needed = reference.number or 1
    drawn = max((len(candidates_of(verdict)) for verdict in verdicts.values()), default=0)
    if drawn < needed:
        raise BadInput(f"run {reference.run}: {needed} candidates a row are needed, {drawn} are recorded")
    if adaptive and reference.way == "majority":
        return dict(verdicts)
    rule = str(judge.params.get("vote", DEFAULT_RULE))
    return {row: _of_candidates(verdict, reference, rule, calls) for row, verdict in verdicts.items()}


def candidates_of(verdict: Verdict) -> tuple[Candidate, ...]:
    """Give the candidates in the order drawn, without advocates and critic."""
    return tuple(one for one in verdict.candidates if one.role == "candidate")


def _of_candidates(
    verdict: Verdict, reference: StepReference, rule: str, calls: Mapping[str, CallRecord]
) -> Verdict:
    first = reference.way == "first"
    used = candidates_of(verdict)[: 1 if first else reference.number]
    if not used:
        return verdict
    word = used[0].verdict if first else count_votes([one.verdict for one in used], rule).verdict
    winner = next((one for one in used if one.verdict == word), used[0])
    lacking = (used[0].reason or Reason.UNPARSED) if first else Reason.UNDECIDED
    behind = [calls.get(one.call) for one in used]
    return replace(
        verdict,
        verdict=word,
        critique=winner.critique if word is not None else "",
        reason=None if word is not None else lacking,
        detail="",
        flags=(),
        candidates=used,
        usage=_usage(behind),
        cost_usd=_cost(behind),
        seconds=None,
        reused=True,
    )


def _usage(calls: Sequence[CallRecord | None]) -> Usage:
    total = Usage()
    for call in calls:
        if call is None:
            return Usage()
        total += call.usage
    return total


def _cost(calls: Sequence[CallRecord | None]) -> float | None:
    total = 0.0
    for call in calls:
        if call is None or call.cost_usd is None:
            return None
        total += call.cost_usd
    return total
