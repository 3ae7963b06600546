"""`import`, `traces` and `export`."""

from __future__ import annotations

import time
from argparse import Namespace
from itertools import islice
from pathlib import Path

from store.errors import BadInput
from store.project import Project
from store.records import Pair
from tui.cli.exits import Exit
from tui.cli.here import open_project
from tui.cli.output import Output, table
from tui.text import one_line


def import_files(arguments: Namespace, output: Output) -> int:
    """Take in traces, and labels or recorded verdicts beside them."""
    from store.importing.importer import ImportOptions
    from store.importing.importer import import_files as take_in
    from store.project import default_annotator

    with open_project(arguments, output) as project:
        report = take_in(
            project,
            [Path(name) for name in arguments.files],
            ImportOptions(
                format=arguments.format,
                maps=tuple(arguments.map),
                criterion=arguments.criterion,
                label_field=arguments.label_field,
                annotator=arguments.annotator or default_annotator(),
                verdict_field=arguments.verdict_field,
                critique_field=arguments.critique_field,
                judge=arguments.judge,
                gold_field=arguments.gold_field,
                pair=arguments.pair,
                strict=arguments.strict,
                dry_run=arguments.dry_run,
            ),
        )
    rejected = [
        {"file": row.file, "line": row.line, "field": row.field, "reason": row.reason}
        for row in report.rejected
    ]
    output.result(
        {
            "traces": report.traces,
            "labels": report.labels,
            "verdicts": report.verdicts,
            "run": report.run,
            "repeated": report.repeated,
            "rejected": rejected,
            "notes": list(report.notes),
        },
        [
            f"{'would import' if arguments.dry_run else 'imported'} {report.traces} traces, "
            f"{report.labels} labels, {report.verdicts} recorded verdicts; "
            f"{report.repeated} were here already",
            *(f"note: {note}" for note in report.notes),
            *(f"rejected {row['file']}:{row['line']}: {row['field']}: {row['reason']}" for row in rejected),
        ],
    )
    return Exit.DONE


def list_all(arguments: Namespace, output: Output) -> int:
    """List traces."""
    with open_project(arguments, output) as project:
        shelf = project.traces
        rows = shelf.search(arguments.search) if arguments.search else iter(range(len(shelf)))
        if arguments.limit:
            rows = islice(rows, arguments.limit)
        labels: dict[str, list[dict[str, str]]] = {}
        for criterion in project.criteria.names():
            for trace_id, label in project.open_reference(criterion).labels.items():
                labels.setdefault(trace_id, []).append(
                    {"criterion": criterion, "verdict": str(label.verdict)}
                )
        found = []
        for row in rows:
            trace = shelf.at(row)
            found.append(
                {
                    "id": trace.id,
                    "kind": trace.kind,
                    "input": trace.input,
                    "output": [trace.a, trace.b] if isinstance(trace, Pair) else trace.output,
                    "labels": labels.get(trace.id, []),
                }
            )
        total = len(shelf)
    output.result(
        {"traces": found, "total": total},
        [
            *table(
                [
                    (
                        str(one["id"]),
                        str(one["kind"]),
                        one_line(str(one["input"]), 60),
                        " ".join(
                            f"{label['criterion']}:{label['verdict']}"
                            for label in labels.get(str(one["id"]), [])
                        ),
                    )
                    for one in found
                ],
                ("id", "kind", "input", "labels"),
            ),
            f"{len(found)} of {total} traces",
        ],
    )
    return Exit.DONE


def export(arguments: Namespace, output: Output) -> int:
    """Write traces, labels, verdicts, disagreements or the whole project to a file."""
    from store.exporting import export as write

    path = Path(arguments.file)
    form = arguments.format or ("csv" if path.suffix == ".csv" else "jsonl")
    started = time.monotonic()
    with open_project(arguments, output) as project:
        if arguments.what == "disagreements":
            rows = _export_disagreements(arguments, project, path, form)
        else:
            rows = write(
                project,
                path,
                what=arguments.what,
                format=form,
                criterion=arguments.criterion,
                run=arguments.run,
            )
    output.result(
        {"rows": rows, "file": str(path)},
        [f"wrote {rows} rows to {path} in {time.monotonic() - started:.1f} s"],
    )
    return Exit.DONE


def _export_disagreements(arguments: Namespace, project: Project, path: Path, form: str) -> int:
    from judging.disagreeing import disagreements
    from judging.joining import join
    from judging.reporting import disagreement_documents
    from store.exporting import write_rows

    if not arguments.judge:
        raise BadInput("--judge NAME is needed: disagreements are between people and one judge")
    judge = project.judges.get(arguments.judge)
    found = disagreements(join(project, judge), project.causes.of(judge.criterion, judge.hash))
    return write_rows(path, disagreement_documents(found), format=form)
