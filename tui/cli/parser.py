"""Every command, its options, and the function behind it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from tui.cli.judge_options import add_options

DESCRIPTION: Final = """\
Label LLM traces pass or fail in the terminal, align an LLM judge with those labels,
and measure with intervals how far it can be trusted.

Without a command, opens the app on the project of this folder or its nearest parent."""

EXITS: Final = """\
exit codes: 0 done, 1 a gate was breached, 2 wrong usage or bad input (nothing changed),
3 finished with rows that have no verdict, 4 stopped by budget, outage or key,
5 the store is damaged or held by another process, 130 interrupted (everything is kept)"""

Add: TypeAlias = Callable[[str, str, str], argparse.ArgumentParser]
"""Adds a command: name, "module:function" below tui.cli, one line of help."""

FORMATS: Final = (
    "auto", "jsonl", "csv", "json", "langfuse", "openinference", "langsmith", "inspect", "promptfoo",
    "braintrust", "chat",
)  # fmt: skip

MEASURES: Final = (
    "metrics",
    "swap",
    "ablation",
    "disagreements",
    "cause",
    "report",
    "plan",
    "open-holdout",
)
"""Commands of `_measures`."""

KINDS: Final = ("pass-fail", "pairwise", "classify", "scorecard")


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Build the command line.

    Args:
        words: What was typed: only the commands named there are built, which spares the app's start
            ten milliseconds. None, or words without a command: all are.
    """
    # These may stand before or after the command; SUPPRESS keeps the later place from undoing the first.
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--project", metavar="DIR", help="project folder (default: here or a parent)")
    common.add_argument("--json", action="store_true", help="print exactly one JSON document")

    parser = argparse.ArgumentParser(
        prog="adjudge",
        description=DESCRIPTION,
        epilog=EXITS,
        parents=[common],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    parser.set_defaults(handler="opening:home")

    def adder(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> Add:
        def add(name: str, handler: str, text: str) -> argparse.ArgumentParser:
            sub = commands.add_parser(name, help=text, description=text, parents=[common])
            sub.set_defaults(handler=handler)
            return sub

        return add

    add = adder(parser.add_subparsers(title="commands", metavar="COMMAND"))

    def family(name: str, handler: str, text: str) -> Add:
        return adder(add(name, handler, text).add_subparsers(metavar="ACTION"))

    groups: dict[tuple[str, ...], Callable[[], None]] = {
        ("init", "demo", "doctor"): lambda: _projects(add),
        ("import", "traces", "export"): lambda: _traces(add),
        ("label", "labels", "split", "agreement"): lambda: _labels(add),
        ("criterion",): lambda: _criteria(
            family("criterion", "criteria:list_all", "the written standards; every edit is a version")
        ),
        ("judge",): lambda: _judges(family("judge", "judges:list_all", "judge versions")),
        ("run", "resume", "runs", "verdicts"): lambda: _runs(
            add, family("runs", "runs:list_all", "all runs, also those of other terminals")
        ),
        MEASURES: lambda: _measures(add),
    }
    typed = [names for names in groups if words is not None and not set(names).isdisjoint(words)]
    for names in typed if typed or words == [] else groups:
        groups[names]()
    return parser


def _projects(add: Add) -> None:
    init = add("init", "projects:init", "make a project")
    init.add_argument("dir", nargs="?", default=".", metavar="DIR")
    demo = add("demo", "projects:demo", "make a project from the sample traces and open it")
    demo.add_argument("dir", nargs="?", metavar="DIR", help="where (default: a temporary folder)")
    demo.add_argument("--no-tui", action="store_true", help="only make it")
    demo.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    doctor = add("doctor", "projects:doctor", "check the store, the key, the endpoint and the terminal")
    doctor.add_argument(
        "--repair", action="store_true", help="repair what can be repaired, keeping every byte"
    )


def _traces(add: Add) -> None:
    imports = add(
        "import", "traces:import_files", "take in traces, and labels or recorded verdicts beside them"
    )
    imports.add_argument("files", nargs="+", metavar="FILE")
    imports.add_argument("--format", choices=FORMATS, default="auto")
    imports.add_argument("--map", action="append", default=[], metavar="TRACE_FIELD=FILE.FIELD")
    imports.add_argument("--criterion", metavar="NAME", help="what the labels or verdicts are about")
    imports.add_argument("--label-field", metavar="F")
    imports.add_argument("--annotator", metavar="NAME", help="who made the labels")
    imports.add_argument("--verdict-field", metavar="F")
    imports.add_argument("--critique-field", metavar="F")
    imports.add_argument("--judge", metavar="NAME", help="who made the recorded verdicts")
    imports.add_argument("--gold-field", metavar="F")
    imports.add_argument("--pair", action="store_true", help="the rows are pairs")
    imports.add_argument("--strict", action="store_true", help="refuse everything when one row is bad")
    imports.add_argument("--dry-run", action="store_true", help="say what would happen, change nothing")
    traces = add("traces", "traces:list_all", "list traces")
    traces.add_argument("--limit", type=int, default=50, metavar="N", help="at most so many (0: all)")
    traces.add_argument("--search", metavar="TEXT")
    export = add("export", "traces:export", "write traces, labels, verdicts or the whole project to a file")
    export.add_argument("file", metavar="FILE")
    export.add_argument("--format", choices=("jsonl", "csv"), default=None)
    export.add_argument(
        "--what",
        choices=("traces", "labels", "verdicts", "disagreements", "project"),
        default="traces",
    )
    export.add_argument("--criterion", metavar="C")
    export.add_argument("--judge", metavar="J")
    export.add_argument("--run", metavar="R")


def _labels(add: Add) -> None:
    label = add("label", "labels:label", "label a trace, or open the Label screen")
    label.add_argument("id", nargs="?", metavar="ID")
    label.add_argument("verdict", nargs="?", metavar="VERDICT", help="pass, fail, unsure; pairs: A, B, tie")
    label.add_argument("--criterion", metavar="C")
    label.add_argument("--annotator", metavar="A")
    label.add_argument("--note", default="", metavar="TEXT")
    label.add_argument("--undo", action="store_true", help="take this person's newest label back")
    label.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    labels = add("labels", "labels:list_all", "list labels")
    labels.add_argument("--criterion", required=True, metavar="C")
    labels.add_argument("--annotator", metavar="A")
    labels.add_argument("--history", action="store_true", help="every record ever written, undos included")
    split = add("split", "labels:split", "deal labelled traces into train, dev and hold-out")
    split.add_argument("--criterion", required=True, metavar="C")
    split.add_argument("--seed", type=int, default=0, metavar="N")
    agreement = add("agreement", "labels:agreement", "agreement between people, and their conflicts")
    agreement.add_argument("--criterion", required=True, metavar="C")


def _criteria(add: Add) -> None:
    for name, text in (("new", "write a new criterion"), ("edit", "write its next version")):
        sub = add(name, f"criteria:{name}", text)
        sub.add_argument("name", metavar="NAME")
        sub.add_argument("--pass", dest="pass_definition", metavar="TEXT", help="what PASS means")
        sub.add_argument("--fail", dest="fail_definition", metavar="TEXT", help="what FAIL means")
        sub.add_argument("--facts", metavar="TEXT", help="what has to be looked up to decide")
        sub.add_argument("--note", default="", metavar="TEXT", help="why this version was written")
        if name == "new":
            sub.add_argument("--kind", choices=KINDS, default="pass-fail")
    show = add("show", "criteria:show", "show a criterion")
    show.add_argument("name", metavar="NAME")
    show.add_argument("--version", type=int, dest="number", metavar="N")
    add("list", "criteria:list_all", "list criteria")


def _judges(add: Add) -> None:
    new = add("new", "judges:new", "make a judge, or the next version of one")
    new.add_argument("name", metavar="NAME")
    new.add_argument("--criterion", required=True, metavar="C")
    new.add_argument(
        "--recipe", default="", metavar="R", help="how a candidate is asked for (default: critique-first)"
    )
    new.add_argument(
        "--backend", default="anthropic", metavar="B", help="anthropic, baseline, code, imported"
    )
    new.add_argument("--model", default="", metavar="M")
    new.add_argument("--base-url", default="", metavar="U")
    new.add_argument("--examples", type=int, default=0, metavar="K", help="examples picked from train")
    new.add_argument(
        "--example", action="append", default=[], metavar="ID", help="one example by its trace id"
    )
    new.add_argument("--kind", choices=KINDS)
    add_options(new)
    add("list", "judges:list_all", "list judge versions").add_argument("--criterion", metavar="C")
    show = add("show", "judges:show", "show a judge version")
    show.add_argument("judge", metavar="JUDGE")
    diff = add("diff", "judges:diff", "show what differs between two versions")
    diff.add_argument("judge", metavar="JUDGE")
    diff.add_argument("other", nargs="?", metavar="OTHER", help="default: the version it was made from")
    prompt = add("prompt", "judges:prompt", "print exactly what is sent for a trace")
    prompt.add_argument("judge", metavar="JUDGE")
    prompt.add_argument("id", metavar="ID")
    prompt.add_argument("--order", choices=("AB", "BA"))


def _runs(add: Add, add_action: Add) -> None:
    run = add("run", "runs:run", "judge traces")
    run.add_argument("--judge", required=True, metavar="J")
    which = run.add_mutually_exclusive_group()
    which.add_argument("--pile", choices=("train", "dev", "holdout"))
    which.add_argument("--all", action="store_true", help="every trace of the judge's kind")
    which.add_argument("--sample", type=int, metavar="N", help="N traces at random")
    which.add_argument("--ids", metavar="FILE", help="one trace id a line (-: standard input)")
    run.add_argument("--seed", type=int, default=0, metavar="N", help="of --sample")
    run.add_argument("--flag", metavar="J", help="with --sample: and every row that this code judge fails")
    run.add_argument("--concurrency", type=int, default=8, metavar="N", help="calls at once, at most")
    run.add_argument("--budget", type=float, metavar="USD")
    run.add_argument("--swap", action="store_true", help="pairs: in both orders")
    run.add_argument("--repeat", type=int, default=1, metavar="K")
    run.add_argument("--estimate", action="store_true", help="say what it would cost, call nothing")
    resume = add("resume", "runs:resume", "go on with a run; nothing is paid twice")
    resume.add_argument("run", metavar="RUN")
    add_action("list", "runs:list_all", "list runs")
    for name, text in (
        ("pause", "pause a run"),
        ("continue", "let a paused run go on"),
        ("cancel", "end a run; everything so far is kept"),
    ):
        action = add_action(name, "runs:control", text)
        action.add_argument("run", metavar="RUN")
        action.set_defaults(word=name)
    verdicts = add("verdicts", "runs:verdicts", "list a run's verdicts")
    verdicts.add_argument("--run", required=True, metavar="R")


def _measures(add: Add) -> None:
    metrics = add("metrics", "measures:metrics", "agreement of a judge with people")
    metrics.add_argument("--criterion", metavar="C")
    metrics.add_argument("--judge", required=True, metavar="J")
    metrics.add_argument("--pile", choices=("train", "dev", "holdout"))
    metrics.add_argument("--run", metavar="R")
    metrics.add_argument("--annotator", metavar="A", help='one person\'s labels, or "settled"')
    metrics.add_argument("--require-tpr", type=float, metavar="X")
    metrics.add_argument("--require-tnr", type=float, metavar="X")
    metrics.add_argument(
        "--on", choices=("low", "point"), default="low", help="gate on the interval's low end or the point"
    )
    swap = add("swap", "measures:swap", "position-swap consistency of a pairwise run")
    swap.add_argument("--run", required=True, metavar="R")
    swap.add_argument("--judge", metavar="J", help="with --run latest: the newest run of this judge")
    steps = add("ablation", "ablations:ablation", "runs over the same rows as the steps of a pipeline")
    steps.add_argument(
        "--runs",
        required=True,
        nargs="+",
        metavar="A,B,C",
        help="in order; RUN:first, RUN:majority and RUN:majority5 are made of a run's recorded candidates",
    )
    steps.add_argument("--by", metavar="FIELD", help="also by this metadata field")
    steps.add_argument("--seed", type=int, default=0, metavar="N", help="of the bootstrap")
    steps.add_argument("--claims", action="store_true", help="set the published figures of RTLC beside")
    steps.add_argument("--markdown", metavar="FILE", help="write the report as Markdown, too")
    listed = add("disagreements", "measures:disagreements_listed", "rows on which person and judge differ")
    listed.add_argument("--criterion", metavar="C")
    listed.add_argument("--judge", required=True, metavar="J")
    listed.add_argument("--pile", choices=("train", "dev", "holdout"))
    listed.add_argument("--run", metavar="R")
    listed.add_argument("--annotator", metavar="A")
    cause = add("cause", "measures:cause", "say why person and judge differ on a row")
    cause.add_argument("id", metavar="ID")
    cause.add_argument("cause", metavar="CAUSE", help='e.g. "judge slip"; "none" takes it back')
    cause.add_argument("--judge", required=True, metavar="J")
    cause.add_argument("--annotator", metavar="A")
    report = add("report", "measures:report", "write a judge's figures as Markdown")
    report.add_argument("file", nargs="?", metavar="FILE.md")
    report.add_argument("--judge", required=True, metavar="J")
    report.add_argument("--pile", choices=("train", "dev", "holdout"))
    plan = add("plan", "measures:plan", "how many labels a target needs")
    plan.add_argument("--target", type=float, default=0.9, metavar="X")
    plan.add_argument("--width", type=float, metavar="W")
    plan.add_argument("--tpr", type=float, default=0.95, metavar="A")
    plan.add_argument("--tnr", type=float, default=0.95, metavar="B")
    opening = add("open-holdout", "measures:open_holdout", "open the sealed hold-out for one judge version")
    opening.add_argument("--judge", required=True, metavar="J")
    opening.add_argument("--yes", action="store_true", help="I know that this can be done honestly only once")
