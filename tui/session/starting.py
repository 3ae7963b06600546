"""What the start of a run asks for, checked and priced before anything is written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from judging.authoring import JudgeOrder, make_judge
from judging.planning import Estimate, estimate, plan_run
from store.errors import BadInput, StoreError
from store.project import Project
from store.records import JudgeKind, JudgeVersion, PileName
from store.runrecords import RunPlan
from store.runs import RunFolder
from tui.session.naming import about_judge, versioned_name

CONCURRENCY: Final = 8
_SAMPLE: Final = 20
_KEYS: Final = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


@dataclass(frozen=True)
class SliceChoice:
    """One choice of rows."""

    words: str
    pile: PileName | None = None
    is_sample: bool = False


@dataclass(frozen=True)
class StartChoices:
    """What a person has chosen so far; texts are as typed."""

    judge: int = 0
    slice: int = 0
    sample: str = str(_SAMPLE)
    both_orders: bool = True
    concurrency: str = str(CONCURRENCY)
    budget: str = ""


@dataclass(frozen=True)
class Offer:
    """What would happen; a plan when it may."""

    plan: RunPlan | None
    estimate: Estimate | None
    problem: str = ""
    """Why it may not begin, with the next step."""
    warning: str = ""
    """What a person should know before they begin."""


class StartForm:
    """The choices of one criterion, and what they come to.

    Args:
        project: The open project.
        criterion: Whose judges are offered, the newest first.
        at_hand: The judge offered first; None, or one that cannot be run: the newest.
        environ: Where a key would be found; None: this process's.
    """

    def __init__(
        self,
        project: Project,
        criterion: str,
        *,
        at_hand: JudgeVersion | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.project = project
        self.criterion = criterion
        self._environ = os.environ if environ is None else environ
        self.judges = self._runnable()
        self.slices = slices_of(project, criterion)
        first = next((at for at, one in enumerate(self.judges) if at_hand and one.hash == at_hand.hash), 0)
        self.choices = StartChoices(judge=first)

    def _runnable(self) -> tuple[JudgeVersion, ...]:
        found = self.project.judges.all(self.criterion)
        return tuple(one for one in reversed(found) if one.backend != "imported")

    @property
    def judge(self) -> JudgeVersion | None:
        """The judge chosen; None when the criterion has none that can be run."""
        return self.judges[self.choices.judge] if self.judges else None

    @property
    def judge_name(self) -> str:
        """The judge chosen in words; "" when there is none."""
        judge = self.judge
        return f"{versioned_name(self.project, judge)}, {about_judge(judge)}" if judge else ""

    @property
    def slice(self) -> SliceChoice:
        """The rows chosen."""
        return self.slices[self.choices.slice]

    @property
    def is_pairwise(self) -> bool:
        """Whether rows are pairs, which can be judged in both orders."""
        return self.project.criteria.latest(self.criterion).kind is JudgeKind.PAIRWISE

    @property
    def asks_model(self) -> bool:
        """Whether the judge chosen calls a model, so that pace and money matter."""
        return self.judge is not None and self.judge.backend != "baseline"

    @property
    def offers_baseline(self) -> bool:
        """Whether an offline baseline can be made for this criterion."""
        return self.project.criteria.latest(self.criterion).kind is JudgeKind.PASS_FAIL

    def choose(self, choices: StartChoices) -> None:
        """Take other choices."""
        self.choices = choices

    def turn_judge(self, by: int) -> None:
        """Go to the next or previous judge, round and round."""
        if self.judges:
            self.choose(replace(self.choices, judge=(self.choices.judge + by) % len(self.judges)))

    def turn_slice(self, by: int) -> None:
        """Go to the next or previous choice of rows, round and round."""
        self.choose(replace(self.choices, slice=(self.choices.slice + by) % len(self.slices)))

    def turn_orders(self) -> None:
        """Judge pairs in both orders, or in one."""
        self.choose(replace(self.choices, both_orders=not self.choices.both_orders))

    def make_baseline(self) -> JudgeVersion:
        """Make the criterion's offline baseline, fitted on the labels of train as they are, and choose it.

        Raises:
            BadInput: Its name is taken by another sort of judge.
            StoreError: It could not be written.
        """
        judge = make_baseline(self.project, self.criterion)
        self.judges = self._runnable()
        at = next(index for index, one in enumerate(self.judges) if one.hash == judge.hash)
        self.choose(replace(self.choices, judge=at))
        return judge

    def offer(self) -> Offer:
        """Say what the choices come to; reads some rows, so it is not for the app's loop."""
        judge = self.judge
        if judge is None:
            more = "b makes the offline baseline, or: " if self.offers_baseline else ""
            return Offer(
                None,
                None,
                f"no judge can be run for {self.criterion} yet: {more}"
                f"adjudge judge new NAME --criterion {self.criterion} --model MODEL",
            )
        try:
            plan = self._plan(judge)
            return Offer(plan, estimate(self.project, plan), warning=self._warning(judge))
        except (StoreError, ValueError) as error:
            return Offer(None, None, str(error))

    def _plan(self, judge: JudgeVersion) -> RunPlan:
        choices, rows = self.choices, self.slice
        return plan_run(
            self.project,
            judge,
            pile=rows.pile,
            every=rows.pile is None and not rows.is_sample,
            sample=_whole(choices.sample, "sample") if rows.is_sample else None,
            swap=self.is_pairwise and choices.both_orders,
            concurrency=_whole(choices.concurrency, "calls at once") if self.asks_model else CONCURRENCY,
            budget_usd=_dollars(choices.budget) if self.asks_model else None,
        )

    def _warning(self, judge: JudgeVersion) -> str:
        if self.slice.pile is PileName.TRAIN:
            return "judges learn from train: figures on it say nothing about new rows"
        if judge.backend == "anthropic" and not any(self._environ.get(name) for name in _KEYS):
            return (
                f"no {_KEYS[0]} is set here: unless the SDK finds a key elsewhere, the run stops at its "
                "first call; leave, set it, open the app again"
            )
        return ""

    def write(self, plan: RunPlan) -> RunFolder:
        """Write the plan: the run exists when this returns, and can be carried out.

        Raises:
            StoreError: The disk did not take it.
        """
        return self.project.runs.create(plan)


def make_baseline(project: Project, criterion: str) -> JudgeVersion:
    """Make a criterion's offline baseline, or its next version where the labels of train have changed.

    Raises:
        BadInput: The criterion is not about pass and fail.
        StoreError: It could not be written.
    """
    if project.criteria.latest(criterion).kind is not JudgeKind.PASS_FAIL:
        raise BadInput(f"{criterion} is about pairs: the baseline judges pass or fail only")
    return make_judge(
        project,
        JudgeOrder(
            name=f"{criterion}_baseline",
            criterion=criterion,
            backend="baseline",
        ),
    )


def slices_of(project: Project, criterion: str) -> tuple[SliceChoice, ...]:
    """Give the choices of rows that make sense; the first is what one usually wants."""
    found = []
    for pile in (PileName.DEV, PileName.TRAIN, PileName.HOLDOUT):
        size = len(project.piles.members(criterion, pile))
        if size:
            sealed = pile is PileName.HOLDOUT and bool(project.sealed(criterion))
            name = "hold-out" if pile is PileName.HOLDOUT else str(pile)
            found.append(SliceChoice(f"{name}, {size} rows{', sealed' if sealed else ''}", pile))
    found.append(SliceChoice("all rows that are not sealed"))
    found.append(SliceChoice("a random sample of them", is_sample=True))
    return tuple(found)


def _whole(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise BadInput(f"{what}: type a whole number, not {text.strip() or 'nothing'}") from error


def _dollars(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError as error:
        raise BadInput(f"budget: type US dollars, e.g. 2.50, or nothing for none, not {text!r}") from error
