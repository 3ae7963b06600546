"""`metrics`, `swap`, `disagreements`, `report`, `plan` and `open-holdout`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from judging.disagreeing import causes_counted, disagreements
from judging.joining import join, verdicts_of
from judging.measuring import Metrics, measure, measure_swap
from judging.reporting import (
    counted,
    disagreement_documents,
    metrics_document,
    metrics_markdown,
    number,
    percent,
    swap_document,
)
from judging.statistics.values import Estimate, Figure
from store.errors import BadInput
from store.identity import utc_now
from store.project import Project, default_annotator
from store.records import Cause, JudgeVersion, PileName
from tui.cli.exits import Exit
from tui.cli.here import judge_of, open_project, pile_of, run_of
from tui.cli.output import Output, table
from tui.text import one_line


def metrics(arguments: Namespace, output: Output) -> int:
    """Show a judge's agreement with people, and gate a build on it when asked."""
    with open_project(arguments, output) as project:
        judge = judge_of(project, arguments.judge, arguments.criterion)
        measured = measure(
            project,
            judge,
            pile=pile_of(arguments.pile),
            run=run_of(project, arguments.run, judge),
            annotator=arguments.annotator,
        )
    breaches = [
        breach
        for name, required, figure in (
            ("TPR", arguments.require_tpr, measured.figures.strict.tpr),
            ("TNR", arguments.require_tnr, measured.figures.strict.tnr),
        )
        if required is not None and (breach := _breach(name, required, figure, arguments.on)) is not None
    ]
    output.result(metrics_document(measured) | {"breaches": breaches}, [*_lines(measured), *breaches])
    for breach in breaches:
        output.complain(breach)
    return Exit.GATE if breaches else Exit.DONE


def _breach(name: str, required: float, figure: Figure, on: str) -> str | None:
    if not 0 <= required <= 1:
        raise BadInput(f"--require-{name.lower()} takes a rate between 0 and 1, not {required}")
    if not isinstance(figure, Estimate):
        return f"gate: {name} cannot be known: {figure.reason}"
    value = figure.low if on == "low" else figure.value
    if value is None or value < required:
        what = "the low end of its interval" if on == "low" else "its point estimate"
        return f"gate: {name} {percent(figure)}: {what} is below {required:.1%}"
    return None


def _lines(measured: Metrics) -> list[str]:
    counts, strict, answered = measured.counts, measured.figures.strict, measured.figures.answered
    return [
        f"{measured.judge.name} on {measured.judge.criterion}, "
        f"{measured.pile or 'every labelled row that is not sealed'}",
        *(f"stale: {reason}" for reason in measured.stale),
        *table(
            [
                ("person pass", str(counts.tp), str(counts.fn), str(counts.no_verdict_pass)),
                ("person fail", str(counts.fp), str(counts.tn), str(counts.no_verdict_fail)),
            ],
            ("", "judge pass", "judge fail", "no verdict"),
        ),
        "",
        *table(
            [
                ("TPR, passes kept", counted(strict.tpr), counted(answered.tpr)),
                ("TNR, fails caught", counted(strict.tnr), counted(answered.tnr)),
                ("kappa", number(strict.kappa), number(answered.kappa)),
                ("accuracy", percent(strict.accuracy), percent(answered.accuracy)),
            ],
            ("", "strict (a missing verdict is wrong)", "answered rows only"),
        ),
        f"always-pass would have an accuracy of {percent(measured.figures.always_pass_accuracy)}; "
        f"coverage {percent(measured.figures.coverage)}",
        f"{measured.advice.text} {measured.advice.reason}",
        *(f"note: {note}" for note in measured.notes),
    ]


def swap(arguments: Namespace, output: Output) -> int:
    """Show position-swap consistency of a pairwise run."""
    with open_project(arguments, output) as project:
        judge = project.judges.get(arguments.judge) if arguments.judge else None
        folder = run_of(project, arguments.run, judge)
        if folder is None:
            raise BadInput("--run is needed")
        report = measure_swap(project, folder)
    summary = report.summary
    output.result(
        swap_document(report),
        [
            f"{report.judge.name}, run {report.run}, {summary.pairs} pairs in both orders",
            *table(
                [
                    ("consistent", str(summary.consistent)),
                    ("first-biased", str(summary.first_biased)),
                    ("second-biased", str(summary.second_biased)),
                    ("half (one tie)", str(summary.half)),
                    ("no verdict", str(summary.no_verdict)),
                    ("position agreement", counted(summary.agreement)),
                    ("average accuracy", counted(summary.average_accuracy)),
                    *(
                        (f"accuracy, rule {rule}", percent(figure))
                        for rule, figure in summary.accuracy.items()
                    ),
                    ("prefers the longer", counted(summary.prefers_longer)),
                    ("gold prefers it", counted(summary.gold_prefers_longer)),
                ],
                ("", ""),
            ),
        ],
    )
    return Exit.DONE


def disagreements_listed(arguments: Namespace, output: Output) -> int:
    """List the rows on which person and judge differ, false passes first."""
    with open_project(arguments, output) as project:
        judge = judge_of(project, arguments.judge, arguments.criterion)
        joined = join(
            project,
            judge,
            pile=pile_of(arguments.pile),
            run=run_of(project, arguments.run, judge),
            annotator=arguments.annotator,
        )
        found = disagreements(joined, project.causes.of(judge.criterion, judge.hash))
    if not joined.rows:
        raise BadInput(
            f"there is nothing to compare: judge {judge.name!r} and people have no row in common; "
            f"run it with `adjudge run --judge {judge.name}` or label rows with `adjudge label`"
        )
    output.result(
        {
            "disagreements": disagreement_documents(found),
            "rows": len(joined.rows),
            "causes": dict(causes_counted(found)),
        },
        [
            *table(
                [
                    (
                        one.trace,
                        str(one.kind),
                        f"{one.row.label.verdict}: {one_line(one.row.label.note, 40)}",
                        f"{one.row.verdict.verdict}: {one_line(one.row.verdict.critique, 60)}",
                        one.cause or "",
                    )
                    for one in found
                ],
                ("trace", "kind", "person", "judge", "cause"),
            ),
            f"{len(found)} of {len(joined.rows)} rows differ",
        ],
    )
    return Exit.DONE


def cause(arguments: Namespace, output: Output) -> int:
    """Say why person and judge differ on a row."""
    with open_project(arguments, output) as project:
        judge = project.judges.get(arguments.judge)
        rows = disagreements(join(project, judge), project.causes.of(judge.criterion, judge.hash))
        if arguments.id not in {one.trace for one in rows}:
            raise BadInput(f"{judge.name!r} and people do not differ on {arguments.id!r}")
        said = None if arguments.cause == "none" else arguments.cause
        project.causes.append(
            Cause(
                trace=arguments.id,
                criterion=judge.criterion,
                judge=judge.hash,
                cause=said,
                annotator=arguments.annotator or default_annotator(),
                at=utc_now(),
            )
        )
    output.result(
        {"trace": arguments.id, "judge": judge.name, "cause": said},
        [f"{arguments.id}: {said or 'no cause'}"],
    )
    return Exit.DONE


def report(arguments: Namespace, output: Output) -> int:
    """Write a judge's figures as Markdown, to a file or to standard output."""
    with open_project(arguments, output) as project:
        judge = project.judges.get(arguments.judge)
        measured = measure(project, judge, pile=pile_of(arguments.pile))
    text = metrics_markdown(measured)
    if arguments.file:
        from store.exporting import write_text

        write_text(Path(arguments.file), text)
        output.result({"file": arguments.file}, [f"wrote {arguments.file}"])
    else:
        output.result({"markdown": text}, text.split("\n"))
    return Exit.DONE


def plan(arguments: Namespace, output: Output) -> int:
    """Say how many passes and fails to label for a target rate or an interval's width."""
    from judging.statistics.planning import LabelPlan, labels_for_target, labels_for_width

    def needed(rate: float) -> LabelPlan | None:
        wanted = (
            labels_for_width(rate, arguments.width)
            if arguments.width is not None
            else labels_for_target(rate, arguments.target)
        )
        if isinstance(wanted, LabelPlan):
            return wanted
        reasons.append(wanted.reason)
        return None

    reasons: list[str] = []
    passes, fails = needed(arguments.tpr), needed(arguments.tnr)
    goal = (
        f"an interval no wider than {arguments.width:.0%}"
        if arguments.width is not None
        else f"a low end of {arguments.target:.0%}"
    )
    output.result(
        {
            "pass_labels": passes.n if passes else None,
            "fail_labels": fails.n if fails else None,
            "reason": "; ".join(reasons) or None,
            "target": arguments.target,
            "width": arguments.width,
            "tpr": arguments.tpr,
            "tnr": arguments.tnr,
        },
        [
            f"for {goal} of the 95 % Wilson interval, if the judge keeps {arguments.tpr:.0%} of passes "
            f"and catches {arguments.tnr:.0%} of fails:",
            f"passes to label: {passes.n if passes else 'no number is enough'}",
            f"fails to label:  {fails.n if fails else 'no number is enough'}",
            *reasons,
        ],
    )
    return Exit.DONE


def open_holdout(arguments: Namespace, output: Output) -> int:
    """Open the sealed hold-out for one judge version, and write down that it was opened."""
    if not arguments.yes:
        raise BadInput(
            "opening the hold-out spends it: it is an exam only the first time; "
            "say --yes when the judge is final"
        )
    with open_project(arguments, output) as project:
        judge = project.judges.get(arguments.judge)
        name = judge.criterion
        if not project.piles.members(name, PileName.HOLDOUT):
            raise BadInput(f"{name!r} has no hold-out: deal one with `adjudge split --criterion {name}`")
        # The same version may be measured again without spending anything: it is the same exam.
        if judge.hash not in {opening.judge for opening in project.ledger.of(name)}:
            project.ledger.record(name, judge.hash, default_annotator())
        openings = project.ledger.of(name)
        ended = _judge_holdout(project, judge, output)
        measured = measure(project, judge, pile=PileName.HOLDOUT)
    output.result(
        {"openings": len(openings)} | metrics_document(measured),
        [
            f"hold-out of {name} opened {len(openings)} time{'s' if len(openings) > 1 else ''}"
            + (": no longer an exam" if len(openings) > 1 else ""),
            *_lines(measured),
        ],
    )
    return ended


def _judge_holdout(project: Project, judge: JudgeVersion, output: Output) -> Exit:
    """Run the judge on the rows of the hold-out that it has not judged."""
    from judging.planning import plan_run
    from tui.cli.runs import carry_out_here, exit_of

    judged = {trace for trace, _ in verdicts_of(project, judge)}
    missing = [row for row in project.piles.members(judge.criterion, PileName.HOLDOUT) if row not in judged]
    if not missing or judge.backend == "imported":
        return Exit.DONE
    plan = plan_run(project, judge, ids=missing)
    return exit_of(carry_out_here(project, project.runs.create(plan), output), output)
