"""`ablation`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from judging.ablating import measure_ablation
from judging.ablation_report import (
    STEP_HEADER,
    ablation_document,
    ablation_markdown,
    ablation_notes,
    category_cells,
    claims_document,
    step_cells,
)
from judging.published import inconsistencies
from tui.cli.exits import Exit
from tui.cli.here import open_project
from tui.cli.output import Output, table


def ablation(arguments: Namespace, output: Output) -> int:
    """Compare runs over the same rows as the steps of a pipeline."""
    references = [text for word in arguments.runs for text in word.split(",") if text.strip()]
    with open_project(arguments, output) as project:
        report = measure_ablation(project, references, by=arguments.by, seed=arguments.seed)
    document = ablation_document(report)
    steps = report.found.steps
    lines = [
        f"ablation on {report.criterion}, {len(report.found.rows)} rows",
        *table(step_cells(report), STEP_HEADER),
        *(f"note: {note}" for note in ablation_notes(report)),
        *(
            f"{step.name}: rescued {_listed(step.delta.rescued)}; lost {_listed(step.delta.lost)}"
            for step in steps
            if step.delta
        ),
    ]
    if report.field:
        names = [step.name for step in steps]
        lines += ["", *table(category_cells(report), (report.field, "rows", *names))]
    if arguments.claims:
        document |= claims_document()
        lines += ["", "published figures of RTLC that do not follow from its own counts:", *inconsistencies()]
    if arguments.markdown:
        from store.exporting import write_text

        write_text(Path(arguments.markdown), ablation_markdown(report, claims=arguments.claims))
        document["file"] = arguments.markdown
        lines.append(f"wrote {arguments.markdown}")
    output.result(document, lines)
    return Exit.DONE


SHOWN = 10
"""Rows named in a line; `--json` and Markdown name all."""


def _listed(rows: tuple[str, ...]) -> str:
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    return f"{len(rows)}" + (f" ({', '.join(rows[:SHOWN])}{more})" if rows else "")
