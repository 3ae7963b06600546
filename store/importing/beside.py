"""Labels and recorded verdicts that come with traces: understood word by word, written in one go."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

import msgspec

from store.errors import BadInput
from store.identity import canonical_json, utc_now
from store.importing.plain import BadField, Beside, order_of
from store.importing.recorded import Asked, check_judge, content_of, is_recorded, record_run
from store.importing.report import Place, Rejected
from store.importing.words import (
    UNDERSTOOD_KINDS,
    is_nothing,
    understand,
    understand_verdict,
    vocabulary,
)
from store.project import Project
from store.records import Criterion, JudgeKind, Label, Reason, Verdict
from store.scopes import Scope

_IN_MEMORY: Final = 8_000_000
"""Bytes of verdicts held in memory; what is more goes to a file until the traces are on the shelf."""


_read_verdict: Final = msgspec.json.Decoder(Verdict).decode

_Key = TypeVar("_Key", tuple[str, str], Asked)
"""What a label or verdict is about."""


class _Said(NamedTuple):
    """What one label or verdict of this import says, and where it stood."""

    content: object
    place: Place


class Company:
    """Collects what stands beside the traces of one import; nothing is written before `write`."""

    def __init__(
        self,
        project: Project,
        *,
        criterion: str | None,
        judge: str | None,
        annotator: str,
        source: str,
        rejected: list[Rejected],
    ) -> None:
        self.name = criterion
        """What labels and verdicts are about."""
        self.source = source
        """The files' names."""
        self._project = project
        self._annotator = annotator
        self._rejected = rejected
        self.judge = check_judge(project, judge, criterion)
        self.criterion: Criterion | None = None
        if criterion is not None and criterion in project.criteria:
            self.criterion = project.criteria.latest(criterion)
        self._is_new = False
        self._now = utc_now()
        self.labels: list[Label] = []
        self.repeated = 0
        self.without_order = 0
        self._said_labels: dict[tuple[str, str], _Said] = {}
        self._said_verdicts: dict[Asked, _Said] = {}
        self._imported_before: dict[tuple[str, str], Label] | None = None
        self._spool = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  # closed by close()

    def close(self) -> None:
        """Let the verdicts go that were held outside memory."""
        self._spool.close()

    # Taking --------------------------------------------------------------------------------------

    def take(self, trace: str, beside: Beside, place: Place, *, pair: bool) -> None:
        """Understand what one row says beside its trace.

        Raises:
            BadInput: There is a label or verdict, and nobody said what it is about or who made it.
        """
        wants_verdict = beside.has_verdict and (self.judge is not None or beside.says_verdict)
        if not beside.says_label and not wants_verdict:
            return
        self._check_asked(beside, place, wants_verdict=wants_verdict)
        criterion = self._criterion(pair)
        if (criterion.kind is JudgeKind.PAIRWISE) is not pair:
            what = "a pair" if pair else "a single trace"
            self._reject(
                place, "criterion", f"criterion {criterion.name!r} is {criterion.kind}, this is {what}"
            )
            return
        if beside.says_label:
            self._take_label(criterion, trace, beside, place)
        if wants_verdict:
            self._take_verdict(criterion, trace, beside, place)

    def _check_asked(self, beside: Beside, place: Place, *, wants_verdict: bool) -> None:
        if beside.says_label and self.name is None:
            raise BadInput(
                f"{place}: the rows carry labels: say what they are about with --criterion NAME "
                '(--label-field "" leaves them alone)'
            )
        if wants_verdict and (self.name is None or self.judge is None):
            raise BadInput(
                f"{place}: the rows carry recorded verdicts: say whose with --judge NAME and what they are "
                'about with --criterion NAME (--verdict-field "" leaves them alone)'
            )

    def _criterion(self, pair: bool) -> Criterion:
        """Give the criterion, begun for rows of this kind when there is none yet."""
        if self.criterion is None:
            kind = JudgeKind.PAIRWISE if pair else JudgeKind.PASS_FAIL
            note = "made by an import: its definitions are not written yet"
            self.criterion = Criterion(self.name or "", 1, "", "", kind, note=note)
            self._is_new = True
        if self.criterion.kind not in UNDERSTOOD_KINDS:
            raise BadInput(
                f"criterion {self.criterion.name!r} is of kind {self.criterion.kind}: "
                "labels and verdicts of this kind cannot be imported"
            )
        return self.criterion

    def _reject(self, place: Place, field: str, reason: str) -> None:
        self._rejected.append(Rejected(place.file, place.line, field, reason))

    def _take_label(self, criterion: Criterion, trace: str, beside: Beside, place: Place) -> None:
        verdict = understand(beside.label, criterion.kind)
        if verdict is None:
            known = vocabulary(criterion.kind)
            self._reject(place, "label", f"{beside.label!r} is none of {known}; the trace stays unlabelled")
            return
        annotator = beside.annotator or self._annotator
        content = (verdict, beside.note)
        if self._is_said(self._said_labels, (trace, annotator), content, place, "label"):
            return
        current = self._project.labels.of(criterion.name, annotator, trace)
        before = self._before(criterion.name).get((trace, annotator))
        for known_label in (current, before):
            # What an earlier import brought does not undo what the person decided since.
            if known_label is not None and (known_label.verdict, known_label.note) == content:
                self.repeated += 1
                return
        self.labels.append(
            Label(
                trace=trace,
                criterion=criterion.name,
                version=criterion.version,
                verdict=verdict,
                annotator=annotator,
                note=beside.note,
                at=self._now,
                queue="import",
            )
        )

    def _before(self, criterion: str) -> dict[tuple[str, str], Label]:
        """Give the newest label that an earlier import brought, by trace and annotator."""
        if self._imported_before is None:
            self._imported_before = {
                (label.trace, label.annotator): label
                for label in self._project.labels.history(criterion)
                if label.queue == "import"
            }
        return self._imported_before

    def _take_verdict(self, criterion: Criterion, trace: str, beside: Beside, place: Place) -> None:
        try:
            order = order_of(beside.order) if criterion.kind is JudgeKind.PAIRWISE else None
        except BadField as error:
            self._reject(place, error.field, f"{error.reason}; the verdict was left out")
            return
        verdict = understand_verdict(beside.verdict, criterion.kind)
        detail = ""
        if verdict is None:
            detail = "the source holds no verdict"
            if not is_nothing(beside.verdict):
                detail = f"recorded as {beside.verdict!r}"
                known = vocabulary(criterion.kind)
                reason = f"{beside.verdict!r} is none of {known}, unknown; kept as no verdict"
                self._reject(place, "verdict", reason)
        recorded = Verdict(
            trace=trace,
            verdict=verdict,
            critique=beside.critique,
            reason=None if verdict is not None else Reason.NO_VERDICT_RECORDED,
            detail=detail,
            order=order,
        )
        if not self._is_said(self._said_verdicts, (trace, order), content_of(recorded), place, "verdict"):
            self.without_order += criterion.kind is JudgeKind.PAIRWISE and order is None
            self._spool.write(canonical_json(recorded) + b"\n")

    def _is_said(self, said: dict[_Key, _Said], key: _Key, content: object, place: Place, field: str) -> bool:
        """Say whether this import has this label or verdict already; two that differ are a fault."""
        earlier = said.get(key)
        if earlier is None:
            said[key] = _Said(content, place)
            return False
        if earlier.content == content:
            self.repeated += 1
        else:
            of = f"{key[0]!r} by {key[1]!r}" if field == "label" else repr(key[0])
            self._reject(place, field, f"another {field} of {of} stands at {earlier.place}")
        return True

    # Writing -------------------------------------------------------------------------------------

    @property
    def verdicts(self) -> int:
        """How many verdicts there are to record."""
        return len(self._said_verdicts)

    def settle(self) -> None:
        """Pass over verdicts that earlier imports brought, all of them."""
        said = {key: one.content for key, one in self._said_verdicts.items() if isinstance(one.content, int)}
        if said and self.judge is not None and is_recorded(self._project, self.judge, said):
            self.repeated += len(said)
            self._said_verdicts = {}

    def notes(self) -> list[str]:
        """Give what a person should know about what was taken."""
        notes = []
        if self._is_new and self.criterion is not None:
            notes.append(
                f"criterion {self.criterion.name!r} is new and has no definitions yet: "
                f"`adjudge criterion edit {self.criterion.name}` writes them"
            )
        if self.without_order:
            notes.append(
                f"{self.without_order} verdicts on pairs do not say which answer was shown first "
                "(`order`: AB or BA)"
            )
        return notes

    def write(self, segments: Sequence[str]) -> str | None:
        """Write criterion, labels, scope and the recorded run; the traces are on the shelf by now.

        Args:
            segments: The imported files that the traces of this import are in.

        Returns:
            The recorded run's id, or None when there were no new verdicts.
        """
        criterion = self.criterion
        if criterion is None:
            return None
        project = self._project
        # A criterion that was used over everything so far is not narrowed to one import.
        narrow = bool(project.scopes.of(criterion.name)) or not project.labels.annotators(criterion.name)
        if criterion.name not in project.criteria:
            criterion = project.criteria.add(criterion)
        known = project.scopes.of(criterion.name)
        scopes = [Scope(criterion.name, name) for name in segments if name not in known] if narrow else []
        # Nothing is compared any more, and many labels in one line need the memory.
        self._said_labels.clear()
        project.write_together(labels=self.labels, scopes=scopes)
        if self.judge is None or not self._said_verdicts:
            return None
        return record_run(
            project,
            self.judge,
            criterion=criterion,
            asked=self._said_verdicts,
            verdicts=self._spooled(),
            source=self.source,
        )

    def _spooled(self) -> Iterator[Verdict]:
        self._spool.seek(0)
        for line in self._spool:
            yield _read_verdict(line)
