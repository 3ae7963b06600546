"""`judge new`, `list`, `show`, `diff` and `prompt`."""

from __future__ import annotations

import difflib
from argparse import Namespace

from store.errors import BadInput
from store.identity import short_hash
from store.project import Project
from store.records import JudgeVersion, Order, Pair
from tui.cli.exits import Exit
from tui.cli.here import open_project
from tui.cli.judge_options import params_of
from tui.cli.output import Output, table


def new(arguments: Namespace, output: Output) -> int:
    """Make a judge, or the next version of one."""
    from judging.authoring import JudgeOrder, make_judge

    with open_project(arguments, output) as project:
        kind = project.criteria.latest(arguments.criterion).kind
        if arguments.kind and arguments.kind != kind:
            raise BadInput(f"criterion {arguments.criterion!r} is of kind {kind}, so its judges are")
        judge = make_judge(
            project,
            JudgeOrder(
                name=arguments.name,
                criterion=arguments.criterion,
                recipe=arguments.recipe,
                tier=arguments.tier,
                backend=arguments.backend,
                model=arguments.model,
                base_url=arguments.base_url,
                params=params_of(arguments),
                examples=arguments.examples,
                example_ids=tuple(arguments.example),
            ),
        )
        return _shown(project, judge, output)


def list_all(arguments: Namespace, output: Output) -> int:
    """List judge versions."""
    with open_project(arguments, output) as project:
        found = project.judges.all(getattr(arguments, "criterion", None))
        output.result(
            {"judges": [_document(project, judge) for judge in found]},
            table(
                [
                    (
                        f"{judge.name}@{short_hash(judge.hash)}",
                        f"v{project.judges.number(judge)}",
                        f"{judge.criterion} v{judge.criterion_version}",
                        str(judge.kind),
                        judge.backend,
                        judge.recipe if judge.backend == "anthropic" else "",
                        judge.model,
                    )
                    for judge in found
                ],
                ("judge", "", "criterion", "kind", "backend", "recipe", "model"),
            )
            if found
            else ["no judges yet: adjudge judge new NAME --criterion C --backend baseline"],
        )
    return Exit.DONE


def show(arguments: Namespace, output: Output) -> int:
    """Show one judge version."""
    with open_project(arguments, output) as project:
        return _shown(project, project.judges.get(arguments.judge), output)


def diff(arguments: Namespace, output: Output) -> int:
    """Show what differs between two versions, line by line."""
    with open_project(arguments, output) as project:
        judge = project.judges.get(arguments.judge)
        if arguments.other:
            other = project.judges.get(arguments.other)
        elif judge.parent:
            other = project.judges.get(judge.parent)
        else:
            raise BadInput(f"{judge.name}@{short_hash(judge.hash)} was made from no other version: name one")
        lines = list(
            difflib.unified_diff(
                _lines(project, other),
                _lines(project, judge),
                f"{other.name}@{short_hash(other.hash)}",
                f"{judge.name}@{short_hash(judge.hash)}",
                lineterm="",
                n=1,
            )
        )
    output.result({"judge": judge.name, "hash": judge.hash, "other": other.hash, "diff": lines}, lines)
    return Exit.DONE


def prompt(arguments: Namespace, output: Output) -> int:
    """Print exactly what is sent for a trace."""
    from judging.contexts import JudgeContexts
    from judging.pricing import estimate_tokens
    from judging.recipes import first_request

    with open_project(arguments, output) as project:
        judge = project.judges.get(arguments.judge)
        if judge.backend != "anthropic":
            raise BadInput(f"judge {judge.name!r} asks no model: its backend is {judge.backend}")
        trace = project.traces.get(arguments.id)
        order = Order(arguments.order or Order.AB) if isinstance(trace, Pair) else None
        try:
            request = first_request(judge.recipe, JudgeContexts.of(project, judge).at(trace.id, order))
        except ValueError as error:
            raise BadInput(str(error)) from error
    messages = [{"role": message.role, "content": message.content} for message in request.messages]
    tokens = estimate_tokens(request.system) + sum(estimate_tokens(one["content"]) for one in messages)
    output.result(
        {
            "system": request.system,
            "messages": messages,
            "input_tokens": tokens,
            "input_tokens_are": "estimated",
            "max_tokens": request.max_tokens,
            "schema": request.schema,
            "model": request.model,
            "temperature": request.temperature,
            "options": dict(request.options),
            "hash": request.hash,
        },
        [
            "--- system",
            request.system,
            *(line for one in messages for line in (f"--- {one['role']}", one["content"])),
            f"--- about {tokens} tokens (estimated)",
        ],
    )
    return Exit.DONE


def _document(project: Project, judge: JudgeVersion) -> dict[str, object]:
    return {
        "name": judge.name,
        "judge": judge.name,
        "hash": judge.hash,
        "parent": judge.parent,
        "version": project.judges.number(judge),
        "criterion": judge.criterion,
        "criterion_version": judge.criterion_version,
        "kind": judge.kind,
        "recipe": judge.recipe,
        "backend": judge.backend,
        "model": judge.model,
        "base_url": judge.base_url,
        "params": dict(judge.params),
        "examples": [example.trace for example in judge.examples],
        "at": judge.at,
    }


def _shown(project: Project, judge: JudgeVersion, output: Output) -> int:
    output.result(_document(project, judge), _lines(project, judge))
    return Exit.DONE


def _lines(project: Project, judge: JudgeVersion) -> list[str]:
    criterion = project.criteria.version(judge.criterion, judge.criterion_version)
    return [
        f"judge     {judge.name} v{project.judges.number(judge)}  {short_hash(judge.hash)}",
        f"criterion {criterion.name} v{criterion.version} ({judge.kind})",
        f"PASS      {criterion.pass_definition}",
        f"FAIL      {criterion.fail_definition}",
        f"backend   {judge.backend}",
        *([f"recipe    {judge.recipe}", f"model     {judge.model}"] if judge.backend == "anthropic" else []),
        *([f"base url  {judge.base_url}"] if judge.base_url else []),
        *_param_lines(judge),
        *(f"example   {example.trace} ({example.verdict}): {example.critique}" for example in judge.examples),
    ]


def _param_lines(judge: JudgeVersion) -> list[str]:
    """Give the parameters a line each; classes and dimensions stand as they are read, not as JSON."""
    from judging.classes import CLASSES, classes_of
    from judging.scorecards import DIMENSIONS, OVERALL, Scorecard

    shown = {key: value for key, value in judge.params.items() if key not in (CLASSES, DIMENSIONS, OVERALL)}
    lines = [f"{key:<9} {value}" for key, value in sorted(shown.items())]
    if CLASSES in judge.params:
        lines += [f"class     {one.name}: {one.description}" for one in classes_of(judge)]
    if DIMENSIONS in judge.params:
        card = Scorecard.of(judge)
        lines += [
            f"{one.name} {point}: {meaning}"
            for one in card.dimensions
            for point, meaning in one.points.items()
        ]
        lines.append(f"overall   {card.formula()}")
    return lines
