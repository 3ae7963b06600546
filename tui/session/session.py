"""One person at one project: which criterion and judge they are on, and how to get at the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.identity import short_hash
from store.project import Project
from store.records import Criterion, JudgeKind, JudgeVersion, PileName
from tui.session.labelling import LabelSession
from tui.session.naming import versioned_name

if TYPE_CHECKING:
    from tui.session.overview import OverviewMaker
    from tui.session.rundesk import RunDesk


@dataclass(frozen=True)
class Step:
    """The next thing to do, and where."""

    text: str
    screen: str
    """Name of the screen that does it, or "" when it is a command outside the app."""
    command: str = ""
    """Id of a command that does it at once."""


class Session:
    """What every screen shares; the project underneath is open as long as the app is."""

    def __init__(
        self,
        project: Project,
        annotator: str,
        *,
        criterion: str | None = None,
        desk: RunDesk | None = None,
    ) -> None:
        self.project = project
        self.annotator = annotator
        names = project.criteria.names()
        self._criterion = criterion or (names[0] if names else None)
        self._judges: dict[str, str] = {}
        self._labelling: dict[tuple[str, int], LabelSession] = {}
        self._desk = desk
        self._overviews: OverviewMaker | None = None

    @property
    def criterion(self) -> Criterion | None:
        """The newest version of the criterion at hand; None when the project has none."""
        return self.project.criteria.latest(self._criterion) if self._criterion else None

    def choose_criterion(self, name: str) -> None:
        """Put another criterion at hand."""
        self._criterion = self.project.criteria.latest(name).name

    def judges(self) -> tuple[JudgeVersion, ...]:
        """Give the judge versions of the criterion at hand, oldest first."""
        return self.project.judges.all(self._criterion) if self._criterion else ()

    @property
    def judge(self) -> JudgeVersion | None:
        """The judge at hand: the one chosen, else the newest that has a run, else the newest."""
        judges = self.judges()
        if not judges or self._criterion is None:
            return None
        return self.chosen_judge or next(
            (judge for judge in reversed(judges) if self.project.runs.all(judge.hash)), judges[-1]
        )

    @property
    def chosen_judge(self) -> JudgeVersion | None:
        """The judge that was put at hand by choice; None when nobody chose."""
        chosen = self._judges.get(self._criterion or "")
        return self.project.judges.get(chosen) if chosen is not None else None

    def choose_judge(self, judge: JudgeVersion) -> None:
        """Put another judge of the criterion at hand."""
        self._judges[judge.criterion] = judge.hash

    def judge_name(self, judge: JudgeVersion) -> str:
        """Name a judge version for people: name and number, e.g. "teach v2"."""
        return versioned_name(self.project, judge)

    @property
    def labelling(self) -> LabelSession | None:
        """The labelling of the criterion at hand, kept while the app is open."""
        criterion = self.criterion
        if criterion is None:
            return None
        key = (criterion.name, criterion.version)
        if key not in self._labelling:
            self._labelling[key] = LabelSession(self.project, criterion, self.annotator)
        return self._labelling[key]

    @property
    def desk(self) -> RunDesk:
        """The project's runs, kept up to date by whoever polls it."""
        if self._desk is None:
            from tui.session.rundesk import RunDesk

            self._desk = RunDesk(self.project)
        return self._desk

    @property
    def overviews(self) -> OverviewMaker:
        """What Home is made by; it remembers figures that still hold."""
        if self._overviews is None:
            from tui.session.overview import OverviewMaker

            self._overviews = OverviewMaker(self)
        return self._overviews

    def has_unsaved(self) -> bool:
        """Whether leaving the app would lose something typed."""
        return any(labelling.has_unsaved_note for labelling in self._labelling.values())

    def refresh(self) -> bool:
        """Take in what other processes wrote; say whether there was anything."""
        changed = self.project.refresh()
        if changed:
            for labelling in self._labelling.values():
                labelling.changed_elsewhere()
        return changed

    # What Home says ---------------------------------------------------------------------------------

    def next_step(self) -> Step:
        """Say what the project needs next."""
        criterion = self.criterion
        if not len(self.project.traces):
            return Step("bring traces in: adjudge import FILE", "")
        if criterion is None:
            return Step("write the standard: adjudge criterion new NAME --pass TEXT --fail TEXT", "")
        name = criterion.name
        reference = self.project.labels.reference(name)
        dealt = len(self.project.piles.of(name))
        if not reference.labels:
            return Step("label the first traces", "label")
        undealt = sum(1 for trace in reference.labels if trace not in self.project.piles.of(name))
        judges = self.judges()
        live = [judge for judge in judges if judge.backend != "imported"]
        if not dealt and (live or not judges):
            return Step(f"deal {undealt} labelled traces into train, dev and hold-out", "home", "home.deal")
        if not judges:
            if criterion.kind is not JudgeKind.PASS_FAIL:
                return Step(f"make a judge: adjudge judge new NAME --criterion {name} --model MODEL", "")
            return Step(
                "make the offline baseline, the judge that every other must beat", "home", "home.baseline"
            )
        judge = self.judge
        if judge is None or not self.project.runs.all(judge.hash):
            return Step("run the judge on dev", "runs")
        if not self.project.causes.of(name, judge.hash):
            return Step(f"read where {self.judge_name(judge)} and people differ", "disagreements")
        return Step(f"see how far {self.judge_name(judge)} can be trusted", "metrics")

    def deal(self) -> str:
        """Deal labelled traces that are in no pile yet; say what came of it."""
        # Imported here: it is not needed before somebody asks for it.
        from judging.dealing import split

        criterion = self.criterion
        if criterion is None:
            return "there is no criterion yet"
        report = split(self.project, criterion.name, seed=0)
        return f"train {report.train.n}, dev {report.dev.n}, hold-out {report.holdout.n} (sealed)"

    def pile_sizes(self) -> dict[PileName, int]:
        """Count the traces of each pile of the criterion at hand."""
        if self._criterion is None:
            return {}
        return {pile: len(self.project.piles.members(self._criterion, pile)) for pile in PileName}


def version_tag(judge: JudgeVersion) -> str:
    """Give a judge's hash as short as people can compare it."""
    return short_hash(judge.hash)
