"""What Home says of a project at one moment, worked out away from the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from judging.measuring import staleness
from store.project import JOURNAL_NAME, Project
from store.records import JudgeKind, JudgeVersion, Label, PileName
from store.runs import LOG_NAME
from tui.session.metrics import MetricsView, read_metrics
from tui.session.naming import about_judge
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
    is_baseline: bool
    about: str
    """What it asks: recipe and model, or "offline baseline"."""
    figures: MetricsView
    pile: PileName | None
    """Which rows the figures are from; None is every labelled row that is not sealed."""
    stale: tuple[str, ...]
    """Why the figures may no longer hold."""


@dataclass(frozen=True)
class Overview:
    """A project at one moment."""

    criterion: str | None
    """The one at hand, which piles, judges and the next step are about."""
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

    def token(self, without: Collection[str] = ()) -> Token:
        """Say what the overview would be made from now: a few file sizes, so this is quick.

        Args:
            without: Runs whose logs do not count, e.g. those that grow right now.
        """
        criterion = self.session.criterion
        return Token(criterion.name if criterion else None, tuple(_sizes(self.session.project, without)))

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
            criterion=name,
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
            project = self.session.project
            line = JudgeLine(
                name=self.session.judge_name(judge),
                is_baseline=judge.backend == "baseline",
                about=about_judge(judge),
                figures=read_metrics(project, judge, pile),
                pile=pile,
                stale=staleness(project, judge),
            )
            known = self._measured[judge.hash, pile] = (token, line)
        return known[1]


def _counted(labels: Iterable[Label]) -> Mapping[str, int]:
    return Counter(str(label.verdict) for label in labels)


def _sizes(project: Project, without: Collection[str]) -> Iterable[tuple[str, int, int]]:
    """Give name, size and time of every file that an overview is made from."""
    paths = [project.folder / JOURNAL_NAME]
    paths += [project.runs.folder / run / LOG_NAME for run in project.runs.ids() if run not in without]
    for path in paths:
        try:
            found = path.stat()
        except OSError:
            continue
        yield path.parent.name, found.st_size, found.st_mtime_ns
