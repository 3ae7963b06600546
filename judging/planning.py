"""What a run is going to do and what it will cost, before it does anything."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from judging.backends import calls_models
from judging.contexts import JudgeContexts
from judging.flagging import check_flagger, flagged_by
from judging.pricing import Planned, PriceTable, RunEstimate, estimate_run
from judging.readiness import check_ready
from judging.recipes import planned
from store.errors import BadInput, NotFound, Sealed
from store.identity import new_run_id
from store.project import Project, default_annotator
from store.records import JudgeKind, JudgeVersion, Order, PileName
from store.runrecords import RunPlan

_LOOKED_AT: Final = 40
"""Rows whose prompts are built for an estimate; the rest is taken to be like them."""

MOST_CALLS_AT_ONCE: Final = 1000


@dataclass(frozen=True)
class _Slice:
    traces: tuple[str, ...]
    words: str


def plan_run(
    project: Project,
    judge: JudgeVersion,
    *,
    pile: PileName | None = None,
    every: bool = False,
    sample: int | None = None,
    seed: int = 0,
    flag: JudgeVersion | None = None,
    ids: Sequence[str] | None = None,
    swap: bool = False,
    repeat: int = 1,
    concurrency: int = 8,
    budget_usd: float | None = None,
    prices: PriceTable | None = None,
) -> RunPlan:
    """Decide which rows a run judges; nothing is written and nothing is asked.

    Args:
        project: The open project.
        judge: Which judge version.
        pile: The rows of a pile; with `sample`, some of them. Without any choice of rows: dev.
        every: All rows the criterion is about, except those of the sealed hold-out.
        sample: So many of them (or of the pile) at random.
        seed: Of the sample.
        flag: With `sample`: a code judge; every other row that it fails follows after the random ones.
        ids: Exactly these traces, in this order.
        swap: For pairs: in both orders.
        repeat: How often each row is judged, to measure noise.
        concurrency: Calls at once, at most.
        budget_usd: US dollars that are not to be exceeded.
        prices: The shipped table when not given.

    Raises:
        BadInput: A number makes no sense, no row is left, or the judge cannot be run.
        NotFound: There is no such trace.
        Sealed: The hold-out is asked for and is not open.
    """
    _check_numbers(sample, repeat, concurrency, budget_usd)
    pairwise = judge.kind is JudgeKind.PAIRWISE
    if swap and not pairwise:
        raise BadInput(f"judge {judge.name!r} judges single traces: only pairs can be judged in both orders")
    if flag is not None:
        check_flagger(flag, judge, sample)
    chosen = _choose(project, judge, pile=pile, every=every, sample=sample, seed=seed, flag=flag, ids=ids)
    if not chosen.traces:
        raise BadInput(f"there are no rows to judge: {_why_none(project, judge, pile)}")
    plan = RunPlan(
        id=new_run_id(),
        judge=judge.hash,
        judge_name=judge.name,
        criterion=judge.criterion,
        backend=judge.backend,
        traces=chosen.traces,
        slice=chosen.words,
        orders=((Order.AB, Order.BA) if swap else (Order.AB,)) if pairwise else (),
        repeat=repeat,
        concurrency=concurrency,
        budget_usd=budget_usd,
        starter=default_annotator(),
    )
    check_ready(project, judge, plan, prices=prices)
    return plan


def _check_numbers(sample: int | None, repeat: int, concurrency: int, budget_usd: float | None) -> None:
    if sample is not None and sample < 1:
        raise BadInput(f"a sample needs at least 1 row, not {sample}")
    if repeat < 1:
        raise BadInput(f"each row is judged at least once, not {repeat} times")
    if not 1 <= concurrency <= MOST_CALLS_AT_ONCE:
        raise BadInput(f"calls at once have to be from 1 to {MOST_CALLS_AT_ONCE}, not {concurrency}")
    if budget_usd is not None and not (budget_usd > 0 and math.isfinite(budget_usd)):
        raise BadInput(f"a budget has to be above $0, not {budget_usd:g}")


def _choose(
    project: Project,
    judge: JudgeVersion,
    *,
    pile: PileName | None,
    every: bool,
    sample: int | None,
    seed: int,
    flag: JudgeVersion | None,
    ids: Sequence[str] | None,
) -> _Slice:
    sealed = project.sealed(judge.criterion)
    if ids is not None:
        return _by_ids(project, judge, ids, sealed)
    if pile is None and not every and sample is None:
        if not project.piles.of(judge.criterion):
            raise BadInput(
                f"which rows? No piles are dealt for {judge.criterion!r} yet (`adjudge split`): "
                "say --all, --sample N or --ids FILE"
            )
        pile = PileName.DEV
    if pile is not None:
        pool = _Slice(_members(project, judge, pile, sealed), str(pile))
    else:
        without = f" without the {len(sealed)} sealed hold-out rows" if sealed else ""
        rows = tuple(trace for trace in _fitting(project, judge) if trace not in sealed)
        pool = _Slice(rows, f"all{without}")
    if sample is None or sample >= len(pool.traces):
        return pool
    drawn = tuple(Random(seed).sample(pool.traces, sample))
    words = f"sample of {sample} of {len(pool.traces)} ({pool.words}), seed {seed}"
    if flag is None:
        return _Slice(drawn, words)
    flagged = flagged_by(project, flag, pool.traces, drawn=drawn)
    return _Slice((*drawn, *flagged.more), f"{words}, {flagged.words}")


def _by_ids(project: Project, judge: JudgeVersion, ids: Sequence[str], sealed: frozenset[str]) -> _Slice:
    wanted = tuple(dict.fromkeys(ids))
    missing = [trace for trace in wanted if trace not in project.traces]
    if missing:
        more = f" and {len(missing) - 1} more of the ids given" if len(missing) > 1 else ""
        raise NotFound(f"there is no trace {missing[0]!r}{more}")
    for trace in wanted:
        _check_fits(project, judge, trace)
    closed = [trace for trace in wanted if trace in sealed]
    if closed:
        raise Sealed(f"trace {closed[0]!r} is in the sealed hold-out: {_HOW_TO_OPEN}")
    return _Slice(wanted, f"{len(wanted)} chosen rows")


_HOW_TO_OPEN: Final = "it is opened once, for one judge version, with `adjudge open-holdout`"


def _members(
    project: Project, judge: JudgeVersion, pile: PileName, sealed: frozenset[str]
) -> tuple[str, ...]:
    if pile is PileName.HOLDOUT and sealed:
        raise Sealed(f"the hold-out of {judge.criterion!r} is sealed: {_HOW_TO_OPEN}")
    members = project.piles.members(judge.criterion, pile)
    for trace in members:
        _check_fits(project, judge, trace)
    return members


def _check_fits(project: Project, judge: JudgeVersion, trace: str) -> None:
    row = project.traces.row_of(trace)
    if row is None:
        raise NotFound(f"there is no trace {trace!r}")
    if project.traces.is_pair(row) is not (judge.kind is JudgeKind.PAIRWISE):
        what = "a pair" if project.traces.is_pair(row) else "a single trace"
        raise BadInput(f"trace {trace!r} is {what}; judge {judge.name!r} is {judge.kind}")


def _fitting(project: Project, judge: JudgeVersion) -> Iterator[str]:
    pairs = judge.kind is JudgeKind.PAIRWISE
    for rows in project.rows_for(judge.criterion):
        for row in rows:
            if project.traces.is_pair(row) is pairs:
                yield project.traces.id_at(row)


def _why_none(project: Project, judge: JudgeVersion, pile: PileName | None) -> str:
    if pile is not None:
        return f"{pile} of {judge.criterion!r} is empty; `adjudge split` deals labelled rows"
    if not len(project.traces):
        return "no traces are here; `adjudge import FILE` brings them"
    kind = "pairs" if judge.kind is JudgeKind.PAIRWISE else "single traces"
    return f"{judge.criterion!r} is about no {kind} outside the sealed hold-out"


# Estimates ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """What a run is expected to take."""

    judge: str
    rows: int
    """Verdicts asked for."""
    calls: int
    input_tokens: int
    output_tokens: int
    low_usd: float | None
    """None when a price is unknown, 0 when nothing is asked of a model."""
    expected_usd: float | None
    high_usd: float | None
    """More tokens than estimated, and every answer as long as max_tokens allows."""
    price: str
    note: str
    """How it was estimated, or why there is no sum."""

    def document(self) -> dict[str, object]:
        """Give the estimate as JSON values."""
        return {
            "judge": self.judge,
            "rows": self.rows,
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "low_usd": self.low_usd,
            "expected_usd": self.expected_usd,
            "high_usd": self.high_usd,
            "price": self.price,
            "note": self.note,
        }

    def lines(self) -> tuple[str, ...]:
        """Give the estimate for people."""
        if not self.calls:
            return (f"{self.rows} rows; {self.note}",)
        size = (
            f"{self.rows} rows, about {self.calls} calls, {self.input_tokens:,} tokens in and "
            f"{self.output_tokens:,} out"
        )
        if self.low_usd is None:
            return (size, self.note)
        return (
            size,
            f"about ${self.expected_usd:.4f}, between ${self.low_usd:.4f} and ${self.high_usd:.4f}",
            self.note,
        )


def estimate(project: Project, plan: RunPlan, *, prices: PriceTable | None = None) -> Estimate:
    """Say what a plan will take, from the prompts of some of its rows spread evenly over all.

    Raises:
        NotFound: The judge version or a trace is not there.
    """
    judge = project.judges.get(plan.judge)
    name = judge.name
    if not calls_models(judge):
        note = "judged on this machine, no model is asked, nothing to pay"
        return Estimate(name, plan.asked, 0, 0, 0, 0.0, 0.0, 0.0, "", note)
    contexts = JudgeContexts.of(project, judge)
    order = plan.orders[0] if plan.orders else None
    step = max(1, len(plan.traces) // _LOOKED_AT)
    looked_at = plan.traces[::step][:_LOOKED_AT]
    calls: list[Planned] = []
    for trace in looked_at:
        calls += planned(judge.recipe, contexts.at(trace, order))
    return _scaled(name, plan.asked, plan.asked / len(looked_at), estimate_run(calls, prices=prices))


def _scaled(judge: str, rows: int, factor: float, some: RunEstimate) -> Estimate:
    notes = ["tokens are estimated from the text; thinking, retries and cached prompts are not counted"]
    usd = some.usd
    if usd is None:
        notes.insert(0, "; ".join(unknown.reason for unknown in some.unknown))
    return Estimate(
        judge=judge,
        rows=rows,
        calls=round(some.calls * factor),
        input_tokens=round(some.input_tokens * factor),
        output_tokens=round(some.output_tokens * factor),
        low_usd=None if usd is None else usd.low * factor,
        expected_usd=None if usd is None else usd.expected * factor,
        high_usd=None if usd is None else usd.high * factor,
        price="" if usd is None else usd.price,
        note="; ".join(notes),
    )
