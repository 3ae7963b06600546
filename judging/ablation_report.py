"""Say what an ablation found, as a JSON document and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from judging.ablating import AblationReport
from judging.published import CLAIMS, ROWS, inconsistencies
from judging.reporting import counted
from judging.statistics.ablation import Delta, StepResult
from judging.statistics.values import as_json


def ablation_document(report: AblationReport) -> dict[str, object]:
    """Give an ablation as the contract names it."""
    found = report.found
    return {
        "criterion": report.criterion,
        "kind": report.kind,
        "rows": len(found.rows),
        "left_out": found.left_out,
        "without_reference": report.without_reference,
        "steps": [
            _step(step, run=run, derived=derived)
            for step, run, derived in zip(found.steps, report.runs, report.derived, strict=True)
        ],
        "total": _delta(found.total) if found.total else None,
        "adds_up": found.adds_up,
        "frontier": {
            "unit": found.frontier.unit or None,
            "reason": found.frontier.reason or None,
            "points": [
                {
                    "name": point.name,
                    "cost": point.cost,
                    "accuracy": point.accuracy,
                    "dominated_by": point.dominated_by,
                }
                for point in found.frontier.points
            ],
        },
        "by": report.field,
        "categories": [
            {
                "category": row.category,
                "rows": row.rows,
                "few": row.few,
                "accuracy": {
                    step.name: as_json(figure)
                    for step, figure in zip(found.steps, row.accuracies, strict=True)
                },
            }
            for row in report.categories
        ],
    }


def _step(step: StepResult, *, run: str, derived: bool) -> dict[str, object]:
    accuracy = as_json(step.accuracy)
    return {
        "name": step.name,
        "run": run,
        "derived": derived,
        "accuracy": accuracy["value"],
        "accuracy_low": accuracy["low"],
        "accuracy_high": accuracy["high"],
        "right": step.right,
        "missing": step.missing,
        **_delta(step.delta),
        "cost_usd": step.cost_usd,
        "output_tokens": step.output_tokens,
        "input_tokens": step.input_tokens,
        "cost_usd_per_row": step.per_row(step.cost_usd),
        "output_tokens_per_row": step.per_row(step.output_tokens),
        "input_tokens_per_row": step.per_row(step.input_tokens),
    }


def _delta(delta: Delta | None) -> dict[str, object]:
    if delta is None:
        reason = "the first step has none before it"
        return {"delta": None, "low": None, "high": None, "p_value": None, "reason": reason}
    return {
        "delta": delta.value,
        "low": delta.low,
        "high": delta.high,
        "p_value": delta.p_value,
        "rescued": list(delta.rescued),
        "lost": list(delta.lost),
        "method": delta.method,
    }


def claims_document() -> dict[str, object]:
    """Give the published figures as claims."""
    return {
        "claims": [
            {
                "name": claim.name,
                "accuracy_per_cent": claim.accuracy,
                "right": claim.right,
                "rows": ROWS,
                "output_tokens_per_row": claim.output_tokens,
                "cost_multiple": claim.multiple,
            }
            for claim in CLAIMS
        ],
        "does_not_follow": list(inconsistencies()),
    }


STEP_HEADER = (
    "step",
    "right",
    "delta",
    "rescued",
    "lost",
    "p (McNemar)",
    "$ per row",
    "tokens out per row",
    "dominated by",
)
"""Columns of `step_cells`."""


def step_cells(report: AblationReport) -> list[tuple[str, ...]]:
    """Give one row of text a step, for a terminal's table and for Markdown's."""
    dominated = {point.name: point.dominated_by or "" for point in report.found.frontier.points}
    return [
        (
            step.name,
            counted(step.accuracy),
            points(step.delta) if step.delta else "",
            str(len(step.delta.rescued)) if step.delta else "",
            str(len(step.delta.lost)) if step.delta else "",
            chance(step.delta.p_value) if step.delta else "",
            _amount(step.per_row(step.cost_usd), ".6f"),
            _amount(step.per_row(step.output_tokens), ".1f"),
            dominated.get(step.name, ""),
        )
        for step in report.found.steps
    ]


def _amount(value: float | None, form: str) -> str:
    return "unknown" if value is None else format(value, form)


def points(delta: Delta) -> str:
    """Write a difference in percentage points with its interval."""
    return f"{100 * delta.value:+.1f} pp [{100 * delta.low:+.1f} to {100 * delta.high:+.1f}]"


def chance(p_value: float) -> str:
    """Write a p value; a small one is never shown as 0."""
    return f"{p_value:.4f}" if p_value >= 0.0001 else "<0.0001"


def ablation_notes(report: AblationReport) -> list[str]:
    """Say what a reader must know: whether it adds up, what was left out, what was made without calls."""
    found = report.found
    notes = [
        "the deltas add up to the total, in whole rows"
        if found.adds_up
        else "the deltas do NOT add up to the total: these figures are wrong"
    ]
    if found.total:
        notes.append(f"total {points(found.total)}, p {chance(found.total.p_value)}")
    if found.left_out:
        lacking = ", ".join(f"{step.name} {step.missing}" for step in found.steps if step.missing)
        notes.append(f"{found.left_out} rows that a step lacks are left out everywhere: {lacking}")
    if report.without_reference:
        notes.append(f"{report.without_reference} judged rows have no known right answer and are not counted")
    made = [step.name for step, derived in zip(found.steps, report.derived, strict=True) if derived]
    if made:
        notes.append(f"made of recorded candidates, without a call: {', '.join(made)}")
    if found.frontier.reason:
        notes.append(found.frontier.reason)
    return notes


def category_cells(report: AblationReport) -> list[tuple[str, ...]]:
    """Give one row of text a category: its rows, then each step's accuracy."""
    return [
        (
            row.category,
            f"{row.rows}{' (few)' if row.few else ''}",
            *(counted(figure) for figure in row.accuracies),
        )
        for row in report.categories
    ]


def ablation_markdown(report: AblationReport, *, claims: bool = False) -> str:
    """Write an ablation as a Markdown report.

    Args:
        report: What was found.
        claims: Set the published figures of RTLC beside.
    """
    found = report.found
    lines = [
        f"# Ablation on {_cell(report.criterion)}, {len(found.rows)} rows",
        "",
        *_markdown_table(STEP_HEADER, step_cells(report)),
        "",
        "A delta is to the step before, over the same rows: a bootstrap interval of 95 % and exact McNemar. "
        "Accuracies have Wilson intervals.",
        "",
        *(f"- {note}" for note in ablation_notes(report)),
        "",
        *_changed(found.steps),
    ]
    if report.categories:
        names = [step.name for step in found.steps]
        cells = category_cells(report)
        lines += [
            f"## By {_cell(report.field or '')}",
            "",
            *_markdown_table((report.field or "", "rows", *names), cells),
            "",
        ]
    return "\n".join(lines + (_claims() if claims else []))


def _changed(steps: tuple[StepResult, ...]) -> list[str]:
    lines = []
    for step in steps:
        if step.delta and (step.delta.rescued or step.delta.lost):
            lines += [
                f"## {_cell(step.delta.before)} to {_cell(step.name)}",
                "",
                f"- rescued: {_cell(', '.join(step.delta.rescued)) or 'none'}",
                f"- lost: {_cell(', '.join(step.delta.lost)) or 'none'}",
                "",
            ]
    return lines


def _claims() -> list[str]:
    cells = [
        (
            claim.name,
            f"{claim.accuracy:.1f} %",
            f"{claim.right} of {ROWS}" if claim.right is not None else "no whole number",
            "not given" if claim.output_tokens is None else str(claim.output_tokens),
            "not given" if claim.multiple is None else f"{claim.multiple:.0f}×",
        )
        for claim in CLAIMS
    ]
    header = ("configuration", "accuracy", "rows right", "output tokens per row", "cost multiple")
    return [
        "## Published figures of RTLC, as claims",
        "",
        "Nothing above depends on them.",
        "",
        *_markdown_table(header, cells),
        "",
        "What does not follow from the paper's own figures:",
        "",
        *(f"- {sentence}" for sentence in inconsistencies()),
        "",
    ]


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(_cell(cell) for cell in row)} |"
        for row in (header, tuple("---" for _ in header), *rows)
    ]


def _cell(text: str) -> str:
    """Keep data from opening a cell, a line, a tag or a link of its own."""
    marks = {"\\": "\\\\", "|": "\\|", "`": "\\`", "<": "&lt;", "](": "]\\("}
    shown = " ".join(text.split())
    for mark, harmless in marks.items():
        shown = shown.replace(mark, harmless)
    return shown
