"""The judges of the criterion at hand: their versions, figures, parts and differences. No Textual here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from judging.measuring import staleness
from store.errors import NotFound
from store.identity import short_hash
from store.project import Project
from store.records import Criterion, JudgeVersion
from tui.session.judgeparts import Change, DiffLine, Part, criterion_parts, diff_parts, parts_of
from tui.session.naming import about_judge
from tui.session.overview import JudgeLine
from tui.session.session import Session


@dataclass(frozen=True)
class VersionLine:
    """One judge version in the list."""

    judge: JudgeVersion
    name: str
    about: str
    tag: str
    """The hash as short as people can compare it."""
    parent: str
    """Name of the version it was made from; "" when there is none here."""
    at_hand: bool
    """Whether Runs, Disagreements and Metrics are about it."""
    stale: tuple[str, ...]


@dataclass(frozen=True)
class LabelAge:
    """How the labels of a criterion spread over the versions of its standard; sealed rows are a number."""

    criterion: Criterion
    by_version: Mapping[int, int]
    sealed: int

    @property
    def older(self) -> int:
        """How many labels were made for an older version, sealed rows left out."""
        return sum(count for version, count in self.by_version.items() if version != self.criterion.version)

    def words(self) -> str:
        """Say which labels are of which version."""
        spread = ", ".join(f"v{version}: {count}" for version, count in sorted(self.by_version.items()))
        sealed = f"; {self.sealed} more are sealed" if self.sealed else ""
        return f"labels by version of the standard: {spread or 'none yet'}{sealed}"


class JudgeDesk:
    """What the Judges screen shows and does.

    Args:
        session: The person's session; the judge at hand is theirs.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.figures: Mapping[str, JudgeLine] = {}
        """What was measured last, by a version's name for people."""
        self._parts: dict[tuple[str, int], tuple[Part, ...]] = {}

    @property
    def project(self) -> Project:
        """The open project."""
        return self.session.project

    # Versions -----------------------------------------------------------------------------------

    def lines(self) -> tuple[VersionLine, ...]:
        """List the versions of the criterion at hand, the newest first."""
        at_hand = self.session.judge
        return tuple(
            VersionLine(
                judge=judge,
                name=self.session.judge_name(judge),
                about=about_judge(judge),
                tag=short_hash(judge.hash, 8),
                parent=self._parent_of(judge),
                at_hand=at_hand is not None and judge.hash == at_hand.hash,
                stale=staleness(self.project, judge),
            )
            for judge in reversed(self.session.judges())
        )

    def _parent_of(self, judge: JudgeVersion) -> str:
        parent = self.parent(judge)
        if parent is None:
            return ""
        name = self.session.judge_name(parent)
        return name.removeprefix(f"{judge.name} ") if parent.name == judge.name else name

    def parent(self, judge: JudgeVersion) -> JudgeVersion | None:
        """Give the version a judge was made from; None when there is none, or it is not in this project."""
        if judge.parent is None:
            return None
        try:
            return self.project.judges.get(judge.parent)
        except NotFound:
            return None

    def measure(self) -> Mapping[str, JudgeLine]:
        """Measure every version where that was not done yet; may take long: not in the app's loop.

        Raises:
            StoreError: A run cannot be read.
        """
        makes = self.session.overviews
        self.figures = {line.name: line for line in makes.make(makes.token()).judges}
        return self.figures

    def use(self, judge: JudgeVersion) -> None:
        """Put a judge at hand for Runs, Disagreements and Metrics."""
        self.session.choose_judge(judge)

    # Parts and differences ----------------------------------------------------------------------

    def parts(self, judge: JudgeVersion | None) -> tuple[Part, ...]:
        """Give the parts of a version; without one, those that a judge to come will have.

        Raises:
            StoreError: A trace cannot be read.
        """
        criterion = self.session.criterion
        if judge is None:
            return criterion_parts(criterion) if criterion else ()
        key = (judge.hash, len(self.project.traces))
        if key not in self._parts:
            self._parts[key] = parts_of(self.project, judge)
        return self._parts[key]

    def about(self, judge: JudgeVersion) -> str:
        """Say where a version comes from, and why its figures may no longer hold."""
        parent = self.parent(judge)
        made = f"{judge.name} v{self.project.judges.number(judge)}, {short_hash(judge.hash)}"
        made += f", from {self.session.judge_name(parent)}" if parent else ", made from no other version"
        made += f", {judge.at[:10]}" if judge.at else ""
        stale = staleness(self.project, judge)
        return f"{made}\nSTALE: {'; '.join(stale)}" if stale else made

    def others(self, judge: JudgeVersion) -> tuple[JudgeVersion, ...]:
        """Give what a version can be compared with: its parent first, then the newest."""
        parent = self.parent(judge)
        rest = [one for one in reversed(self.session.judges()) if one.hash != judge.hash]
        if parent is None:
            return tuple(rest)
        return (parent, *(one for one in rest if one.hash != parent.hash))

    def diff(self, old: JudgeVersion, new: JudgeVersion) -> tuple[DiffLine, ...]:
        """Compare two versions.

        Raises:
            StoreError: A trace cannot be read.
        """
        return (*self._headed(old, new), *diff_parts(self.parts(old), self.parts(new)))

    def _headed(self, old: JudgeVersion, new: JudgeVersion) -> Iterator[DiffLine]:
        for change, one in ((Change.GONE, old), (Change.NEW, new)):
            yield DiffLine(change, f"{self.session.judge_name(one)}  {short_hash(one.hash)}")
        if old.backend != new.backend:
            yield DiffLine(Change.NOTE, f"the backend was {old.backend} and is {new.backend}")
        if old.prompt_code and new.prompt_code and old.prompt_code != new.prompt_code:
            yield DiffLine(Change.NOTE, "the fixed texts of the prompt differ: made by different adjudges")

    # The standard -------------------------------------------------------------------------------

    def label_age(self) -> LabelAge | None:
        """Say which labels are of which version of the standard; None without a criterion."""
        criterion = self.session.criterion
        if criterion is None:
            return None
        labels = self.project.open_reference(criterion.name).labels
        return LabelAge(
            criterion,
            Counter(label.version for label in labels.values()),
            len(self.project.sealed(criterion.name)),
        )

    def newly_stale(self) -> int:
        """Count the judges that were made for an older version of the standard."""
        criterion = self.session.criterion
        judges = self.session.judges()
        return sum(judge.criterion_version != criterion.version for judge in judges) if criterion else 0
