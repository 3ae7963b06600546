"""`label`, `labels`, `split` and `agreement`."""

from __future__ import annotations

from argparse import Namespace

from store.errors import BadInput
from store.project import default_annotator
from store.records import Label, LabelAction
from tui.cli.exits import Exit
from tui.cli.here import criterion_of, open_project
from tui.cli.output import Output, table
from tui.text import one_line


def label(arguments: Namespace, output: Output) -> int:
    """Write one label, or open the Label screen when no trace is named."""
    if arguments.undo:
        return _undo(arguments, output)
    if arguments.id is None:
        from tui.cli.opening import label_screen

        return label_screen(arguments, output)
    if arguments.verdict is None:
        raise BadInput("a verdict is needed after the trace's id: pass, fail or unsure (pairs: A, B, tie)")
    with open_project(arguments, output) as project:
        criterion = criterion_of(project, arguments.criterion)
        trace = project.traces.get(arguments.id)
        written = project.labels.add(
            Label(
                trace=trace.id,
                criterion=criterion.name,
                version=criterion.version,
                verdict=arguments.verdict,
                annotator=arguments.annotator or default_annotator(),
                note=arguments.note,
                queue="command",
            ),
            criterion.kind,
        )
    output.result(
        {"label": label_document(written)},
        [f"{written.trace} is {written.verdict} for {written.criterion}, says {written.annotator}"],
    )
    return Exit.DONE


def _undo(arguments: Namespace, output: Output) -> int:
    annotator = arguments.annotator or default_annotator()
    with open_project(arguments, output) as project:
        criterion = criterion_of(project, arguments.criterion)
        taken_back = project.labels.undo(criterion.name, annotator)
    if taken_back is None:
        raise BadInput(f"{annotator} has no label on {criterion.name!r} to take back")
    output.result(
        {"label": label_document(taken_back), "undone": True},
        [f"took back: {taken_back.trace} {taken_back.verdict}"],
    )
    return Exit.DONE


def label_document(label: Label) -> dict[str, object]:
    """Give a label as the contract names its fields."""
    return {
        "id": label.id,
        "trace": label.trace,
        "criterion": label.criterion,
        "version": label.version,
        "verdict": label.verdict,
        "annotator": label.annotator,
        "note": label.note,
        "at": label.at,
        "seconds": label.seconds,
        "queue": label.queue,
        "action": label.action,
    }


def list_all(arguments: Namespace, output: Output) -> int:
    """List labels in force, or every record ever written; labels of a sealed hold-out are left out."""
    with open_project(arguments, output) as project:
        criterion = project.criteria.latest(arguments.criterion)
        sealed = project.sealed(criterion.name)
        if arguments.history:
            found = list(project.labels.history(criterion.name))
        else:
            found = [
                one
                for annotator in project.labels.annotators(criterion.name)
                for one in project.labels.current(criterion.name, annotator).values()
            ]
    found = [one for one in found if one.trace not in sealed and arguments.annotator in (None, one.annotator)]
    output.result(
        {"labels": [label_document(one) for one in found], "sealed": len(sealed)},
        [
            *table(
                [
                    (
                        one.trace,
                        str(one.verdict or "-"),
                        one.annotator,
                        f"v{one.version}",
                        one.at,
                        one_line(one.note, 60),
                        "" if one.action is LabelAction.LABEL else str(one.action),
                    )
                    for one in found
                ],
                ("trace", "verdict", "annotator", "standard", "at", "note", ""),
            ),
            *([f"{len(sealed)} rows of the sealed hold-out are not shown"] if sealed else []),
        ],
    )
    return Exit.DONE


def split(arguments: Namespace, output: Output) -> int:
    """Deal labelled traces into piles; those dealt before stay where they are."""
    from judging.dealing import split as deal

    with open_project(arguments, output) as project:
        criterion = project.criteria.latest(arguments.criterion)
        report = deal(project, criterion.name, seed=arguments.seed)
        opened = not project.sealed(criterion.name)
    piles = {"train": report.train, "dev": report.dev, "holdout": report.holdout}
    document: dict[str, object] = {
        name: {"n": pile.n, "pass": pile.passes, "fail": pile.fails}
        if name != "holdout" or opened
        else {"n": pile.n}
        for name, pile in piles.items()
    }
    output.result(
        document | {"seed": arguments.seed},
        table(
            [
                (
                    name,
                    str(pile.n),
                    *(
                        ("sealed", "sealed")
                        if name == "holdout" and not opened
                        else (str(pile.passes), str(pile.fails))
                    ),
                )
                for name, pile in piles.items()
            ],
            ("pile", "traces", "pass", "fail"),
        ),
    )
    return Exit.DONE


def agreement(arguments: Namespace, output: Output) -> int:
    """Show how far people agree, pair by pair, and where they differ."""
    from judging.peopling import people_agreement
    from judging.statistics.values import as_json
    from tui.figures import figure_text

    with open_project(arguments, output) as project:
        criterion = project.criteria.latest(arguments.criterion)
        report = people_agreement(project, criterion.name)
    output.result(
        {
            "annotators": list(report.annotators),
            "pairs": [
                {
                    "a": pair.a,
                    "b": pair.b,
                    "n": pair.n,
                    "agreement": as_json(pair.agreement),
                    "kappa": as_json(pair.kappa),
                }
                for pair in report.pairs
            ],
            "alpha": as_json(report.alpha),
            "conflicts": list(report.conflicts),
        },
        [
            *table(
                [
                    (pair.a, pair.b, str(pair.n), figure_text(pair.agreement), figure_text(pair.kappa))
                    for pair in report.pairs
                ],
                ("annotator", "annotator", "rows", "agreement", "kappa"),
            ),
            f"Krippendorff's alpha {figure_text(report.alpha)}",
            f"{len(report.conflicts)} conflicts: {', '.join(report.conflicts) or 'none'}",
        ],
    )
    return Exit.DONE
