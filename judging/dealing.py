"""Deal labelled traces into train, dev and hold-out, once and for ever.

Every pile gets its share of every verdict as nearly as whole traces allow; traces that must stay together
do; what was dealt before never moves, and new labels are dealt so that the shares of the whole hold.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Final

from judging.grouping import groups_of
from store.errors import BadInput, NotFound
from store.identity import utc_now
from store.project import Project
from store.records import AnyTrace, Decision, Piled, PileName

__all__ = ["SHARES", "Labelled", "PileCounts", "SplitReport", "deal", "groups_of", "split"]

PILES: Final = (PileName.TRAIN, PileName.DEV, PileName.HOLDOUT)
"""In the order in which a judge comes to know them: examples, tuning, exam."""
SHARES: Final = (0.15, 0.40, 0.45)
"""Of train, dev and hold-out."""


@dataclass(frozen=True)
class Labelled:
    """One trace to deal, or one that was dealt before."""

    trace: str
    verdict: str | None
    """None when its label was taken back; such a trace only holds its group together."""
    group: str
    """Hash that traces which must stay together share."""


def deal(
    labelled: Sequence[Labelled],
    existing: Mapping[str, PileName],
    *,
    seed: int,
    shares: Sequence[float] = SHARES,
) -> Mapping[str, PileName]:
    """Choose a pile for every labelled trace that has none.

    A trace whose group is in a pile follows it. Then groups of several traces go, the largest first, where
    they are missed most. Traces on their own fill up what each pile still lacks of each verdict.

    Args:
        labelled: Every labelled trace of a criterion, and those dealt before whose label is gone.
        existing: The piles dealt before; none of them changes.
        seed: Which traces go where; the same labels and seed give the same piles in any order.
        shares: Of train, dev and hold-out.

    Returns:
        The piles of the traces that had none.
    """
    table = _Table(labelled, existing, shares)
    fresh = _follow(labelled, existing, table)
    random.Random(seed).shuffle(fresh)
    for group in sorted((group for group in fresh if len(group) > 1), key=len, reverse=True):
        table.put(group, table.misses_most(group))
    _fill_up([group[0] for group in fresh if len(group) == 1], table)
    return table.dealt


def _follow(
    labelled: Sequence[Labelled], existing: Mapping[str, PileName], table: _Table
) -> list[list[Labelled]]:
    """Put traces where their group is; give the groups that are nowhere yet, by trace id."""
    groups: defaultdict[str, list[Labelled]] = defaultdict(list)
    for one in sorted(labelled, key=lambda one: one.trace):
        groups[one.group].append(one)
    fresh: list[list[Labelled]] = []
    for group in groups.values():
        new = [one for one in group if one.trace not in existing and one.verdict is not None]
        pile = _most_seen(existing[one.trace] for one in group if one.trace in existing)
        if pile is not None:
            table.put(new, pile)
        elif new:
            fresh.append(new)
    return fresh


def _most_seen(piles: Iterable[PileName]) -> PileName | None:
    """Choose for a group that earlier labels put into several piles: the one that keeps the exam cleanest."""
    return min(piles, key=PILES.index, default=None)


def _fill_up(singles: Sequence[Labelled], table: _Table) -> None:
    """Put traces on their own where each verdict is lacking."""
    by_verdict: defaultdict[str, list[Labelled]] = defaultdict(list)
    for one in singles:
        by_verdict[str(one.verdict)].append(one)
    wanted = table.wanted({verdict: len(traces) for verdict, traces in sorted(by_verdict.items())})
    for verdict, traces in by_verdict.items():
        left = iter(traces)
        for pile in PILES:
            table.put(list(islice(left, wanted[verdict, pile])), pile)


class _Table:
    """How many traces of each verdict each pile has, and ought to have."""

    def __init__(
        self, labelled: Sequence[Labelled], existing: Mapping[str, PileName], shares: Sequence[float]
    ) -> None:
        self.dealt: dict[str, PileName] = {}
        exact = [Fraction(str(share)) for share in shares]
        self._shares = {pile: share / sum(exact) for pile, share in zip(PILES, exact, strict=True)}
        self._totals = Counter(str(one.verdict) for one in labelled if one.verdict is not None)
        self._has: Counter[tuple[str, PileName]] = Counter(
            (str(one.verdict), existing[one.trace])
            for one in labelled
            if one.verdict is not None and one.trace in existing
        )

    def put(self, traces: Sequence[Labelled], pile: PileName) -> None:
        """Put traces into a pile."""
        self._has.update((str(one.verdict), pile) for one in traces)
        self.dealt |= dict.fromkeys((one.trace for one in traces), pile)

    def lacks(self, verdict: str, pile: PileName) -> Fraction:
        """Say how many traces of a verdict a pile lacks of its share; below 0: has too many."""
        return self._shares[pile] * self._totals[verdict] - self._has[verdict, pile]

    def misses_most(self, group: Sequence[Labelled]) -> PileName:
        """Give the pile whose shares a group brings nearest to what they ought to be."""
        verdicts = [str(one.verdict) for one in group]
        return max(PILES, key=lambda pile: sum(self.lacks(verdict, pile) for verdict in verdicts))

    def wanted(self, singles: Mapping[str, int]) -> dict[tuple[str, PileName], int]:
        """Say how many single traces of each verdict go into each pile.

        Args:
            singles: How many there are of each verdict.

        Returns:
            Whole numbers next to what each pile lacks, chosen so that the piles' sizes are right too.
        """
        exact = {verdict: self._level(verdict, count) for verdict, count in singles.items()}
        whole = {
            (verdict, pile): int(amount) for verdict, row in exact.items() for pile, amount in row.items()
        }
        for verdict, count in singles.items():
            left = count - sum(whole[verdict, pile] for pile in PILES)
            by_rest = sorted(PILES, key=lambda pile: whole[verdict, pile] - exact[verdict][pile])
            for pile in by_rest[:left]:
                whole[verdict, pile] += 1
        while (better := self._better(exact, whole)) is not None:
            verdict, giver, taker = better
            whole[verdict, giver] -= 1
            whole[verdict, taker] += 1
        return whole

    def _level(self, verdict: str, count: int) -> dict[PileName, Fraction]:
        """Share a verdict's traces out over the piles that lack some, without rounding.

        When a pile has too many already the others cannot all be filled: each then stays short by the same.
        """
        lacking = {pile: self.lacks(verdict, pile) for pile in PILES}
        open_piles = [pile for pile in PILES if lacking[pile] > 0]
        short = Fraction(0)
        while open_piles:
            short = (sum((lacking[pile] for pile in open_piles), Fraction(0)) - count) / len(open_piles)
            still = [pile for pile in open_piles if lacking[pile] > short]
            if still == open_piles:
                break
            open_piles = still
        return {pile: lacking[pile] - short if pile in open_piles else Fraction(0) for pile in PILES}

    def _better(
        self, exact: Mapping[str, Mapping[PileName, Fraction]], whole: Mapping[tuple[str, PileName], int]
    ) -> tuple[str, PileName, PileName] | None:
        """Find one trace to move from a pile that rounding made too large to one it made too small."""
        over = {
            pile: sum((whole[verdict, pile] - exact[verdict][pile] for verdict in exact), Fraction(0))
            for pile in PILES
        }
        moves = [
            (over[giver] - over[taker], verdict, giver, taker)
            for verdict, row in exact.items()
            for giver in PILES
            for taker in PILES
            if whole[verdict, giver] > row[giver] and whole[verdict, taker] < row[taker]
        ]
        gain, *move = max(moves, key=lambda move: move[0], default=(Fraction(0), "", PILES[0], PILES[0]))
        verdict, giver, taker = move
        return (str(verdict), PileName(giver), PileName(taker)) if gain > 1 else None


# --- a project's piles -------------------------------------------------------------------------


@dataclass(frozen=True)
class PileCounts:
    """One pile in numbers."""

    n: int
    passes: int | None
    """None while the pile is sealed."""
    fails: int | None
    """None while the pile is sealed."""


@dataclass(frozen=True)
class SplitReport:
    """The piles of a criterion after dealing."""

    train: PileCounts
    dev: PileCounts
    holdout: PileCounts
    dealt: int
    """How many traces were dealt this time."""


def split(project: Project, criterion: str, *, seed: int) -> SplitReport:
    """Deal every labelled trace that is in no pile; those dealt before stay where they are.

    Unsure rows and rows on which people differ wait until they are decided.

    Raises:
        NotFound: There is no such criterion.
        BadInput: Nothing is labelled, or another process dealt at the same moment.
        StoreError: The disk did not take it; nothing was dealt.
    """
    project.criteria.latest(criterion)
    project.refresh()
    labels = project.labels.reference(criterion).labels
    piled = project.piles.of(criterion)
    if not labels and not piled:
        raise BadInput(f"there are no labels for {criterion!r} yet: label some with `adjudge label`")
    known = sorted({*labels, *piled}, key=lambda trace: (_row(project, trace), trace))
    groups = groups_of(_traces(project, known))
    rows = [
        Labelled(trace, str(labels[trace].verdict) if trace in labels else None, groups.get(trace, trace))
        for trace in known
    ]
    dealt = deal(rows, {trace: one.pile for trace, one in piled.items()}, seed=seed)
    group_of = {row.trace: row.group for row in rows}
    now = utc_now()
    project.piles.deal(
        Piled(trace, criterion, pile, group_of[trace], seed=seed, at=now) for trace, pile in dealt.items()
    )
    train, dev, holdout = (_counts(project, criterion, pile) for pile in PILES)
    return SplitReport(train, dev, holdout, len(dealt))


def _row(project: Project, trace: str) -> int:
    row = project.traces.row_of(trace)
    return len(project.traces) if row is None else row


def _traces(project: Project, ids: Sequence[str]) -> Iterable[AnyTrace]:
    """Read traces; one that is no longer there is a group of its own."""
    for trace in ids:
        try:
            yield project.traces.get(trace)
        except NotFound:
            continue


def _counts(project: Project, criterion: str, pile: PileName) -> PileCounts:
    members = project.piles.members(criterion, pile)
    if pile is PileName.HOLDOUT and project.sealed(criterion):
        return PileCounts(len(members), None, None)
    labels = project.labels.reference(criterion).labels
    verdicts = Counter(labels[trace].verdict for trace in members if trace in labels)
    return PileCounts(len(members), verdicts[Decision.PASS], verdicts[Decision.FAIL])
