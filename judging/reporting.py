"""Say what was measured, as JSON documents and as Markdown; the figures come from `measuring`."""

from __future__ import annotations

from collections.abc import Iterable

from judging.disagreeing import Disagreement
from judging.measuring import FLOOR, TARGET, Metrics, SwapReport
from judging.statistics.binary import Reading
from judging.statistics.values import Estimate, Figure, as_json
from store.identity import short_hash


def metrics_document(metrics: Metrics) -> dict[str, object]:
    """Give a judge's figures as the contract names them."""
    counts, figures = metrics.counts, metrics.figures
    return {
        "criterion": metrics.judge.criterion,
        "judge": metrics.judge.name,
        "hash": metrics.judge.hash,
        "pile": metrics.pile,
        "run": metrics.run,
        "annotator": metrics.annotator,
        "counts": {
            "tp": counts.tp,
            "fn": counts.fn,
            "fp": counts.fp,
            "tn": counts.tn,
            "no_verdict_pass": counts.no_verdict_pass,
            "no_verdict_fail": counts.no_verdict_fail,
        },
        "strict": _reading(figures.strict),
        "answered": _reading(figures.answered),
        "coverage": as_json(figures.coverage),
        "baseline_accuracy": as_json(figures.always_pass_accuracy),
        "advice": metrics.advice.text,
        "advice_code": metrics.advice.code,
        "advice_reason": metrics.advice.reason,
        "stale": list(metrics.stale),
        "notes": list(metrics.notes),
        "rows": len(metrics.joined.rows),
        "not_judged": len(metrics.joined.not_judged),
        "not_labelled": metrics.joined.not_labelled,
        "conflicts": len(metrics.joined.conflicts),
        "sealed": metrics.joined.sealed,
    }


def _reading(reading: Reading) -> dict[str, object]:
    return {
        "tpr": as_json(reading.tpr),
        "tnr": as_json(reading.tnr),
        "accuracy": as_json(reading.accuracy),
        "kappa": as_json(reading.kappa),
        "f1": as_json(reading.f1),
        "mcc": as_json(reading.mcc),
        "balanced_accuracy": as_json(reading.balanced_accuracy),
    }


def swap_document(report: SwapReport) -> dict[str, object]:
    """Give position-swap consistency as the contract names it."""
    summary = report.summary
    return {
        "judge": report.judge.name,
        "hash": report.judge.hash,
        "run": report.run,
        "pairs": summary.pairs,
        "consistent": summary.consistent,
        "first_biased": summary.first_biased,
        "second_biased": summary.second_biased,
        "half": summary.half,
        "no_verdict": summary.no_verdict,
        "a_wins": summary.a_wins,
        "b_wins": summary.b_wins,
        "ties": summary.ties,
        "agreement": as_json(summary.agreement),
        "agreement_strict": as_json(summary.agreement_strict),
        "average_accuracy": as_json(summary.average_accuracy),
        "accuracy": {rule: as_json(figure) for rule, figure in summary.accuracy.items()},
        "prefers_longer": as_json(summary.prefers_longer),
        "gold_prefers_longer": as_json(summary.gold_prefers_longer),
        "table": [list(row) for row in summary.table],
    }


def disagreement_documents(found: Iterable[Disagreement]) -> list[dict[str, object]]:
    """Give disagreements as the contract names them, one document a row."""
    return [
        {
            "trace": one.trace,
            "human": one.row.label.verdict,
            "annotator": one.row.label.annotator,
            "verdict": one.row.verdict.verdict,
            "critique": one.row.verdict.critique,
            "note": one.row.label.note,
            "cause": one.cause,
            "kind": one.kind,
            "flags": list(one.row.verdict.flags),
        }
        for one in found
    ]


def percent(figure: Figure) -> str:
    """Write a rate in per cent with its interval, or the reason there is none."""
    if not isinstance(figure, Estimate):
        return figure.reason
    shown = f"{figure.value:.1%}"
    return (
        shown
        if figure.low is None or figure.high is None
        else f"{shown} [{figure.low:.1%}–{figure.high:.1%}]"
    )


def counted(figure: Figure) -> str:
    """Write a rate with the counts behind it."""
    if isinstance(figure, Estimate) and figure.k is not None:
        return f"{figure.k} of {figure.n}: {percent(figure)}"
    return percent(figure)


def metrics_markdown(metrics: Metrics) -> str:
    """Write a judge's figures as a Markdown report."""
    counts, strict, answered = metrics.counts, metrics.figures.strict, metrics.figures.answered
    judge = metrics.judge
    rows = metrics.pile or "every labelled row that is not sealed"
    lines = [
        f"# {judge.name}: agreement with people on {judge.criterion}",
        "",
        f"- judge version `{short_hash(judge.hash, 12)}`, backend {judge.backend}"
        + (f", model {judge.model}, recipe {judge.recipe}" if judge.model else ""),
        f"- standard v{judge.criterion_version}; rows: {rows}"
        + (f"; run {metrics.run}" if metrics.run else ""),
        f"- labels: {metrics.annotator or 'settled, else what everybody who decided agrees on'}",
        *(f"- **stale**: {reason}" for reason in metrics.stale),
        *(f"- {note}" for note in metrics.notes),
        "",
        "| | judge pass | judge fail | no verdict |",
        "|---|---:|---:|---:|",
        f"| person pass | {counts.tp} | {counts.fn} | {counts.no_verdict_pass} |",
        f"| person fail | {counts.fp} | {counts.tn} | {counts.no_verdict_fail} |",
        "",
        "| figure (95 % Wilson intervals) | strict | answered |",
        "|---|---|---|",
        f"| TPR: passes kept | {counted(strict.tpr)} | {counted(answered.tpr)} |",
        f"| TNR: fails caught | {counted(strict.tnr)} | {counted(answered.tnr)} |",
        f"| accuracy (always-pass: {percent(metrics.figures.always_pass_accuracy)}) "
        f"| {percent(strict.accuracy)} | {percent(answered.accuracy)} |",
        f"| Cohen's kappa | {number(strict.kappa)} | {number(answered.kappa)} |",
        f"| F1 | {number(strict.f1)} | {number(answered.f1)} |",
        f"| MCC | {number(strict.mcc)} | {number(answered.mcc)} |",
        "",
        "Strict counts a missing verdict against the judge; answered leaves such rows out "
        f"(coverage {counted(metrics.figures.coverage)}).",
        f"Target {TARGET:.0%} for both rates, floor {FLOOR:.0%}.",
        "",
        f"**{metrics.advice.text}** {metrics.advice.reason}",
        "",
    ]
    return "\n".join(lines)


def number(figure: Figure) -> str:
    """Write a figure that is no rate, or the reason there is none."""
    return f"{figure.value:.4f}" if isinstance(figure, Estimate) else figure.reason
