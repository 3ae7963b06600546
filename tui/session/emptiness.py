"""What to say, and to do next, where there is nothing to compare."""

from __future__ import annotations

from judging.joining import Join
from store.project import Project
from store.records import Criterion, JudgeKind, JudgeVersion, PileName


def why_no_judge(criterion: Criterion | None) -> str:
    """Say what comes before a judge can be compared with people."""
    if criterion is None:
        return "There is no criterion yet. Write it:\nadjudge criterion new NAME --pass TEXT --fail TEXT"
    return (
        f"There is no judge for {criterion.name} yet. Make one:\n"
        f"adjudge judge new NAME --criterion {criterion.name} --backend baseline"
    )


def why_nothing_compared(
    project: Project, judge: JudgeVersion, joined: Join, pile: PileName | None
) -> str | None:
    """Say why no row could be compared and what to do; None when some were.

    Args:
        project: The open project.
        judge: Whose verdicts.
        joined: What came of joining them with the labels.
        pile: The pile looked at; None is every row that is not sealed.
    """
    if joined.rows:
        return None
    where = f" in {pile}" if pile else ""
    if not project.runs.all(judge.hash):
        return f"{judge.name} has not been run yet.\ngr opens the runs; n starts one there."
    if joined.not_judged:
        return (
            f"{judge.name} has verdicts, but on none of the {len(joined.not_judged)} labelled rows{where}.\n"
            "gr opens the runs: run it on this pile; p shows another pile."
        )
    if pile is not None:
        return f"No row{where} has both a label and a verdict.\np shows another pile; gl opens labelling."
    sealed = (
        f"\nThe {joined.sealed} labels of the hold-out are sealed and do not count." if joined.sealed else ""
    )
    keys = "p and f decide"
    if judge.kind is JudgeKind.PAIRWISE:
        keys = "a, b and t decide. gm compares the judge with itself in both orders, and with gold"
    return (
        f"{judge.name} has judged {joined.not_labelled} rows, and nobody has labelled one of them.\n"
        f"gl opens labelling: {keys}.{sealed}"
    )


def why_no_disagreements(joined: Join, silent: int) -> str:
    """Say what it means that judge and people differ on no row.

    Args:
        joined: The rows compared, at least one.
        silent: How many of them have no verdict.
    """
    n = len(joined.rows)
    answered = n - silent
    if not answered:
        return f"The judge gave no verdict on any of the {n} rows, so it differs on none.\ngr shows why."
    agreed = f"Judge and people agree on all {answered} rows with a verdict."
    if silent:
        agreed += f"\n{silent} more have no verdict: gm, under no verdict, lists them."
    return agreed + "\ngm shows how much that proves: few fails prove little."
