"""What Home says of a project at one moment, worked out away from the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from judging.measuring import Metrics, measure, measure_swap, staleness
from judging.statistics.pairwise import SwapSummary
from store.errors import StoreError
from store.project import JOURNAL_NAME, Project
from store.records import JudgeKind, JudgeVersion, Label, PileName
from store.runs import LOG_NAME
from tui.session.session import Session, Step


@dataclass(frozen=True)
class CriterionLine:
    """One criterion and its labels so far; rows of a sealed hold-out are a number only."""

    name: str
    version: int
    kind: JudgeKind
    traces: int
    """Rows the criterion is about, of either kind."""
    mine: Mapping[str, int]
    everybody: Mapping[str, int]
    """What people agree on, by verdict."""
    conflicts: int
    unsure: int
    sealed: int

    @property
    def labelled(self) -> int:
        """Rows with a label that counts, sealed ones included."""
        return sum(self.everybody.values()) + self.sealed


@dataclass(frozen=True)
class JudgeLine:
    """One judge and what was last found out about it."""

    name: str
    about: str
    """What it asks: recipe and model, or "offline baseline"."""
    metrics: Metrics | None = None
    swap: SwapSummary | None = None
    pile: PileName | None = None
    problem: str = ""
    """Why there are no figures."""
    stale: tuple[str, ...] = ()


@dataclass(frozen=True)
class Overview:
    """A project at one moment."""

    traces: int
    criteria: tuple[CriterionLine, ...]
    piles: Mapping[PileName, int]
    sealed: int
    undealt: int
    """Labelled rows of the criterion at hand that are in no pile."""
    judges: tuple[JudgeLine, ...]
    """Of the criterion at hand, the newest first."""
    step: Step


@dataclass(frozen=True)
class Token:
    """What an overview was made from; another token means that it may have changed."""

    criterion: str | None
    sizes: tuple[tuple[str, int, int], ...]


class OverviewMaker:
    """Makes overviews, and measures a judge anew only when something changed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._measured: dict[tuple[str, PileName | None], tuple[Token, JudgeLine]] = {}

    def token(self) -> Token:
        """Say what the overview would be made from now: a few file sizes, so this is quick."""
        criterion = self.session.criterion
        return Token(criterion.name if criterion else None, tuple(_sizes(self.session.project)))

    def make(self, token: Token) -> Overview:
        """Work everything out; may take long in a large project, so it is not for the app's loop.

        Args:
            token: From before: what changes meanwhile then shows as another token.

        Raises:
            StoreError: A file cannot be read.
        """
        session = self.session
        project = session.project
        criterion = session.criterion
        name = criterion.name if criterion else None
        labelled = project.labels.reference(name).labels if name else {}
        piled = project.piles.of(name) if name else {}
        return Overview(
            traces=len(project.traces),
            criteria=tuple(self._criterion(one) for one in project.criteria.names()),
            piles=session.pile_sizes(),
            sealed=len(project.sealed(name)) if name else 0,
            undealt=sum(trace not in piled for trace in labelled),
            judges=tuple(self._judge(judge, token) for judge in reversed(session.judges())),
            step=session.next_step(),
        )

    def _criterion(self, name: str) -> CriterionLine:
        project = self.session.project
        criterion = project.criteria.latest(name)
        sealed = project.sealed(name)
        reference = project.open_reference(name)
        mine = project.labels.current(name, self.session.annotator)
        everybody = project.labels.reference(name).labels
        return CriterionLine(
            name=name,
            version=criterion.version,
            kind=criterion.kind,
            traces=sum(len(rows) for rows in project.rows_for(name)),
            mine=_counted(label for trace, label in mine.items() if trace not in sealed),
            everybody=_counted(reference.labels.values()),
            conflicts=len(reference.conflicts),
            unsure=len(reference.unsure),
            sealed=sum(trace in everybody for trace in sealed),
        )

    def _judge(self, judge: JudgeVersion, token: Token) -> JudgeLine:
        pile = PileName.DEV if self.session.project.piles.members(judge.criterion, PileName.DEV) else None
        known = self._measured.get((judge.hash, pile))
        if known is None or known[0].sizes != token.sizes:
            known = self._measured[judge.hash, pile] = (token, self._measure(judge, pile))
        return known[1]

    def _measure(self, judge: JudgeVersion, pile: PileName | None) -> JudgeLine:
        project = self.session.project
        name, about = self.session.judge_name(judge), about_judge(judge)
        stale = staleness(project, judge)
        try:
            if judge.kind is JudgeKind.PAIRWISE:
                report = measure_swap(project, project.runs.get("latest", judge=judge.hash))
                return JudgeLine(name, about, swap=report.summary, stale=stale)
            metrics = measure(project, judge, pile=pile)
        except StoreError as error:
            ran = bool(project.runs.all(judge.hash))
            return JudgeLine(name, about, pile=pile, problem=_short(str(error), ran=ran), stale=stale)
        return JudgeLine(name, about, metrics=metrics, pile=pile, stale=stale)


def about_judge(judge: JudgeVersion) -> str:
    """Say in a few words how a judge works."""
    if judge.backend == "baseline":
        return "offline baseline"
    if judge.backend == "imported":
        return "recorded elsewhere"
    several = judge.params.get("n")
    drawn = f" x{several}" if isinstance(several, int) and several > 1 else ""
    return f"{judge.recipe}{drawn} {judge.model}".strip()


def _short(problem: str, *, ran: bool) -> str:
    return problem.partition(": ")[0] if ran else "not run yet"


def _counted(labels: Iterable[Label]) -> Mapping[str, int]:
    return Counter(str(label.verdict) for label in labels)


def _sizes(project: Project) -> Iterable[tuple[str, int, int]]:
    """Give name, size and time of every file that an overview is made from."""
    paths = [project.folder / JOURNAL_NAME]
    paths += [project.runs.folder / run / LOG_NAME for run in project.runs.ids()]
    for path in paths:
        try:
            found = path.stat()
        except OSError:
            continue
        yield path.parent.name, found.st_size, found.st_mtime_ns
