"""Load the sample traces into a project, by the same import that a user's own files take."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Final

import msgspec

from store.importing.importer import ImportOptions, import_files
from store.project import Project
from store.records import Criterion, JudgeKind, JudgeVersion


@dataclass(frozen=True)
class SampleFile:
    """One file of a sample set, and who made the labels and verdicts in it."""

    name: str
    annotator: str = ""
    judge: str | None = None


@dataclass(frozen=True)
class SampleSet:
    """One folder of sample traces, about one criterion."""

    folder: str
    files: tuple[SampleFile, ...]
    has_baseline: bool = False
    """Whether a baseline judge is made ready for it; it is not run."""


SAMPLE_SETS: Final = (
    SampleSet("bakery", (SampleFile("traces.jsonl", "by hand"),), has_baseline=True),
    SampleSet("code_review", (SampleFile("traces.jsonl", "expert"),), has_baseline=True),
    SampleSet("helpfulness", (SampleFile("traces.jsonl", "reviewer", "helpfulness"),)),
    SampleSet("summary_accuracy", (SampleFile("traces.jsonl", "reviewer", "summary_accuracy"),)),
    SampleSet(
        "pairs",
        (
            SampleFile("falcon_cot.jsonl", judge="falcon_cot"),
            SampleFile("gpt4_vanilla_norules.jsonl", judge="gpt4_vanilla_norules"),
        ),
    ),
)


class _CriterionFile(msgspec.Struct):
    """What a set's `criterion.json` says."""

    name: str
    kind: JudgeKind
    pass_definition: str
    fail_definition: str
    facts_needed: str


def load_samples(project: Project) -> None:
    """Import every sample set into a project.

    Raises:
        BadInput: The project holds other traces under the samples' ids.
    """
    for one in SAMPLE_SETS:
        folder = files("sample_traces") / one.folder
        said = msgspec.json.decode((folder / "criterion.json").read_bytes(), type=_CriterionFile)
        if said.name not in project.criteria:
            project.criteria.add(
                Criterion(
                    name=said.name,
                    version=1,
                    pass_definition=said.pass_definition,
                    fail_definition=said.fail_definition,
                    kind=said.kind,
                    facts_needed=said.facts_needed,
                    author="samples",
                )
            )
        for file in one.files:
            _import(project, one, file, said.name)
        if one.has_baseline:
            project.add_judge(_baseline(project, said.name))


def _import(project: Project, one: SampleSet, file: SampleFile, criterion: str) -> None:
    with ExitStack() as stack:
        path = stack.enter_context(as_file(files("sample_traces") / one.folder / file.name))
        import_files(
            project,
            [path],
            ImportOptions(
                criterion=criterion, annotator=file.annotator or "samples", judge=file.judge, strict=True
            ),
        )


def _baseline(project: Project, criterion: str) -> JudgeVersion:
    newest = project.criteria.latest(criterion)
    return JudgeVersion(
        name=f"{criterion}_baseline",
        criterion=criterion,
        criterion_version=newest.version,
        kind=newest.kind,
        recipe="plain",
        backend="baseline",
    )
