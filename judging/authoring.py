"""Make a judge version: its criterion, recipe, model and parameters, and examples from train only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from judging.backends.baseline import training_params
from judging.backends.code import code_params, refuse_code_params
from judging.prompting import prompt_code_hash
from judging.recipes import RECIPES
from judging.settings import check_asked, refuse_model_params, resolve
from store.errors import BadInput
from store.project import Project
from store.records import Example, Json, JudgeVersion, Label, PileName

BACKENDS: Final = ("anthropic", "baseline", "code", "imported")
"""Where a verdict can come from."""


@dataclass(frozen=True)
class JudgeOrder:
    """What a new judge version is to be."""

    name: str
    criterion: str
    recipe: str = ""
    """Empty: the tier's, or critique-first."""
    tier: str = ""
    """Name of a preset that stands for a recipe with parameters."""
    backend: str = "anthropic"
    model: str = ""
    base_url: str = ""
    params: Mapping[str, Json] = field(default_factory=dict)
    examples: int = 0
    """How many examples to pick from train."""
    example_ids: tuple[str, ...] = ()
    """Examples chosen by hand; they come first."""
    parent: str | None = None
    """Hash of the version it is made from; None: the newest of its name."""


def make_judge(project: Project, order: JudgeOrder) -> JudgeVersion:
    """Write a judge version for the newest version of its criterion.

    Raises:
        BadInput: A word is not known, a live judge has no model, or its parameters or code cannot be used.
        LeakRefused: An example chosen by hand is not in train.
        NotFound: There is no such criterion or trace.
    """
    criterion = project.criteria.latest(order.criterion)
    if order.backend not in BACKENDS:
        raise BadInput(f"{order.backend!r} is no backend; there are {', '.join(BACKENDS)}")
    if order.backend != "code":
        refuse_code_params(order.backend, order.params)
    judge = JudgeVersion(
        name=order.name,
        criterion=criterion.name,
        criterion_version=criterion.version,
        kind=criterion.kind,
        recipe="plain",
        backend=order.backend,
        model=order.model,
        base_url=order.base_url,
        params=dict(order.params),
        examples=_examples(project, order),
        parent=order.parent,
    )
    if order.backend == "anthropic":
        judge = _asking(judge, order)
        check_asked(judge, criterion)
    else:
        refuse_model_params(
            order.backend, {"tier": order.tier, **judge.params} if order.tier else judge.params
        )
    if order.backend == "code":
        judge = replace(judge, params=code_params(judge, project))
    if order.backend == "baseline" and project.piles.members(criterion.name, PileName.TRAIN):
        # Other labels in train make another classifier, so they make another version.
        judge = replace(judge, params={**judge.params, **training_params(project, criterion.name)})
    return project.add_judge(judge)


def _asking(judge: JudgeVersion, order: JudgeOrder) -> JudgeVersion:
    """Complete a version that works by calls of a model."""
    settings = resolve(order.recipe, order.tier, order.params, judge.kind)
    if settings.recipe not in RECIPES:
        raise BadInput(f"{settings.recipe!r} is no recipe; there are {', '.join(RECIPES)}")
    model = order.model or _first_of(settings.params.get("models"))
    if not model:
        raise BadInput("--model NAME is needed: which model judges")
    return replace(
        judge,
        recipe=settings.recipe,
        model=model,
        params=settings.params,
        prompt_code=prompt_code_hash(),
    )


def _first_of(models: Json) -> str:
    if isinstance(models, Sequence) and not isinstance(models, str):
        return next((name for name in models if isinstance(name, str)), "")
    return ""


def _examples(project: Project, order: JudgeOrder) -> tuple[Example, ...]:
    labels = project.open_reference(order.criterion).labels
    chosen: list[Example] = []
    for trace in order.example_ids:
        project.traces.get(trace)
        label = labels.get(trace)
        # An unlabelled or sealed row still reaches the store's check, which says where it is.
        chosen.append(_example(label) if label else Example(trace, "", ""))
    if order.examples > len(chosen):
        train = set(project.piles.members(order.criterion, PileName.TRAIN))
        taken = {example.trace for example in chosen}
        pool = [label for trace, label in labels.items() if trace in train and trace not in taken]
        wanted = order.examples - len(chosen)
        if len(pool) < wanted:
            raise BadInput(
                f"{wanted} examples were asked for, train holds {len(pool)} labelled rows: "
                f"deal labels with `adjudge split --criterion {order.criterion}`"
            )
        chosen += [_example(label) for label in pick_examples(pool, wanted)]
    return tuple(chosen)


def pick_examples(pool: Sequence[Label], wanted: int) -> list[Label]:
    """Pick examples that teach most: each verdict in turn, rows with a reason and long thought first.

    Args:
        pool: Labelled rows of train.
        wanted: How many.
    """

    def teaches(label: Label) -> tuple[bool, float, str]:
        return (not label.note, -(label.seconds or 0.0), label.trace)

    by_verdict: dict[str, list[Label]] = {}
    for label in sorted(pool, key=teaches):
        by_verdict.setdefault(str(label.verdict), []).append(label)
    # Fails first: a judge's usual fault is to wave things through.
    queues = [by_verdict[verdict] for verdict in sorted(by_verdict)]
    picked: list[Label] = []
    while len(picked) < wanted and any(queues):
        for queue in queues:
            if queue and len(picked) < wanted:
                picked.append(queue.pop(0))
    return picked


def _example(label: Label) -> Example:
    return Example(label.trace, str(label.verdict), label.note)
