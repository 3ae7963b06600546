"""What a judge would be sent for any trace, exactly, with its size and the price of 100 rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from judging.backends import calls_models
from judging.calls import Request
from judging.contexts import JudgeContexts
from judging.planning import Estimate, estimate
from judging.pricing import estimate_request_tokens
from judging.recipes import first_request
from store.errors import StoreError
from store.project import Project
from store.records import JudgeKind, JudgeVersion, Order, PileName
from store.runrecords import RunPlan

_SAMPLE: Final = 40
"""Rows the price of 100 is estimated from, spread evenly."""

_PRICED: Final = 100


@dataclass(frozen=True)
class Preview:
    """The request for one trace, or why there is none."""

    trace: str
    where: str
    """Its pile in words; "" when it is in none."""
    request: Request | None
    tokens: int = 0
    """Of the prompt, estimated."""
    is_example: bool = False
    """Whether the row is an example of this judge, which then is left out of its own prompt."""
    order: Order | None = None
    problem: str = ""


class PromptReader:
    """Goes through the traces of a judge's criterion and builds the prompt of each.

    Args:
        project: The open project.
        judge: Whose prompt.
    """

    def __init__(self, project: Project, judge: JudgeVersion) -> None:
        self.project = project
        self.judge = judge
        pairs = self.is_pairwise = judge.kind is JudgeKind.PAIRWISE
        traces = project.traces
        self.rows = tuple(
            row for part in project.rows_for(judge.criterion) for row in part if traces.is_pair(row) is pairs
        )
        self.position = 0
        self.order = Order.AB
        self._contexts: JudgeContexts | None = None

    @property
    def asks_model(self) -> bool:
        """Whether there is a prompt at all."""
        return calls_models(self.judge)

    # Going about --------------------------------------------------------------------------------

    def step(self, by: int) -> bool:
        """Go to another trace; say whether there was one."""
        return self.go(self.position + by)

    def go(self, position: int) -> bool:
        """Go to a position; say whether there is one."""
        if not 0 <= position < len(self.rows):
            return False
        self.position = position
        return True

    def turn_order(self) -> None:
        """Show the answers of a pair in the other order."""
        self.order = Order.BA if self.order is Order.AB else Order.AB

    def scan(self, text: str, *, here: bool) -> Iterator[int | None]:
        """Look for traces that hold a text, all around, one a step.

        Args:
            text: What to look for, case ignored.
            here: Whether to begin with the trace at hand, or with the next one.

        Yields:
            The position of a trace that holds it, or None for one that does not.
        """
        shelf, count = self.project.traces, len(self.rows)
        first = self.position if here else self.position + 1
        for position in (step % count for step in range(first, first + count)):
            found = next(shelf.search(text, iter((self.rows[position],))), None)
            yield None if found is None else position

    # Building -----------------------------------------------------------------------------------

    def preview(self) -> Preview | None:
        """Build the prompt of the trace at hand; None when there are no traces."""
        if not self.rows:
            return None
        trace = self.project.traces.id_at(self.rows[self.position])
        order = self.order if self.is_pairwise else None
        where = self._pile_of(trace)
        try:
            if self._contexts is None:
                self._contexts = JudgeContexts.of(self.project, self.judge)
            request = first_request(self.judge.recipe, self._contexts.at(trace, order))
        except (StoreError, ValueError) as error:
            return Preview(trace, where, None, order=order, problem=str(error))
        is_example = any(example.trace == trace for example in self.judge.examples)
        return Preview(trace, where, request, estimate_request_tokens(request), is_example, order)

    def _pile_of(self, trace: str) -> str:
        pile = self.project.piles.pile_of(self.judge.criterion, trace)
        if pile is PileName.HOLDOUT:
            return "hold-out, sealed" if trace in self.project.sealed(self.judge.criterion) else "hold-out"
        return str(pile) if pile else ""

    def price(self) -> str:
        """Say what 100 rows take and cost; reads some rows, so it is not for the app's loop."""
        if not self.rows:
            return ""
        step = max(1, len(self.rows) // _SAMPLE)
        traces = tuple(self.project.traces.id_at(row) for row in self.rows[::step][:_SAMPLE])
        plan = RunPlan(
            id="",
            judge=self.judge.hash,
            judge_name=self.judge.name,
            criterion=self.judge.criterion,
            backend=self.judge.backend,
            traces=traces,
            slice="estimate",
            orders=(Order.AB,) if self.is_pairwise else (),
        )
        try:
            return price_words(estimate(self.project, plan))
        except (StoreError, ValueError) as error:
            return f"100 rows: {error}"


def price_words(found: Estimate) -> str:
    """Say in a line what 100 rows take, from an estimate over any number of rows."""
    factor = _PRICED / max(1, found.rows)
    if not found.calls:
        return f"{_PRICED} rows: {found.note}"
    calls = f"{_PRICED} rows: about {round(found.calls * factor):,} calls"
    if found.expected_usd is None or found.low_usd is None or found.high_usd is None:
        return f"{calls}, price unknown: {found.note}"
    low, expected, high = (usd * factor for usd in (found.low_usd, found.expected_usd, found.high_usd))
    return f"{calls}, ${expected:.2f} (${low:.2f} to ${high:.2f}), {found.price}"
