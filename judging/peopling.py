"""Agreement between the people who labelled for one criterion."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from judging.statistics.agreement import cohen_kappa, krippendorff_alpha, percent_agreement
from judging.statistics.values import Figure
from store.project import Project
from store.records import SETTLED, Decision


@dataclass(frozen=True)
class PeoplePair:
    """Two people over the rows that both decided."""

    a: str
    b: str
    n: int
    agreement: Figure
    kappa: Figure


@dataclass(frozen=True)
class PeopleAgreement:
    """All pairs of people, all people together, and where they differ."""

    annotators: tuple[str, ...]
    pairs: tuple[PeoplePair, ...]
    alpha: Figure
    conflicts: tuple[str, ...]


def people_agreement(project: Project, criterion: str) -> PeopleAgreement:
    """Compare people with people on the rows that are not sealed; unsure counts as missing."""
    sealed = project.sealed(criterion)
    names = tuple(name for name in project.labels.annotators(criterion) if name != SETTLED)
    said = {
        name: {
            trace: str(label.verdict)
            for trace, label in project.labels.current(criterion, name).items()
            if trace not in sealed and label.verdict != Decision.UNSURE
        }
        for name in names
    }
    pairs = []
    for a, b in combinations(names, 2):
        both = [(said[a][trace], said[b][trace]) for trace in said[a] if trace in said[b]]
        pairs.append(PeoplePair(a, b, len(both), percent_agreement(both), cohen_kappa(both)))
    traces = dict.fromkeys(trace for name in names for trace in said[name])
    return PeopleAgreement(
        annotators=names,
        pairs=tuple(pairs),
        alpha=krippendorff_alpha([[said[name].get(trace) for name in names] for trace in traces]),
        conflicts=project.open_reference(criterion).conflicts,
    )
