"""What has to hold before a run may begin, so that a mistake shows once and costs nothing."""

from __future__ import annotations

from judging.backends import calls_models
from judging.contexts import JudgeContexts
from judging.pricing import PriceTable, estimate_run
from judging.prompting import prompt_code_hash
from judging.recipes import planned
from store.errors import BadInput
from store.project import Project
from store.records import JudgeVersion
from store.runrecords import RunPlan


def check_ready(
    project: Project, judge: JudgeVersion, plan: RunPlan, *, prices: PriceTable | None = None
) -> None:
    """Check that a judge version can carry a plan out.

    Raises:
        BadInput: Its verdicts were made elsewhere, train cannot carry a baseline's fit, its code cannot be
            run, its prompt texts are not there any more, a parameter cannot be used, or a budget is set for
            a model whose price is unknown.
    """
    if judge.backend == "imported":
        from judging.backends.imported import nothing_to_run

        raise nothing_to_run(judge)
    if judge.backend == "baseline":
        from judging.backends.baseline import check_fit

        check_fit(judge, project)
    if judge.backend == "code":
        from judging.backends.code import check_code

        check_code(judge, project)
    if not calls_models(judge):
        return
    if judge.prompt_code and judge.prompt_code != prompt_code_hash():
        raise BadInput(
            f"judge {judge.name!r} was made with other prompt texts than this adjudge has, so its verdicts "
            "would not be its own: make its next version with `adjudge judge new`"
        )
    order = plan.orders[0] if plan.orders else None
    try:
        calls = planned(judge.recipe, JudgeContexts.of(project, judge).at(plan.traces[0], order))
    except ValueError as error:
        raise BadInput(f"judge {judge.name!r} cannot be asked: {error}") from error
    if plan.budget_usd is not None:
        unknown = estimate_run(calls, prices=prices).unknown
        if unknown:
            raise BadInput(
                f"a budget of ${plan.budget_usd:g} cannot be kept: {unknown[0].reason}, "
                "or run without a budget"
            )
