"""`criterion new`, `edit`, `show` and `list`."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from store.errors import BadInput
from store.project import default_annotator
from store.records import Criterion, JudgeKind
from tui.cli.exits import Exit
from tui.cli.here import open_project
from tui.cli.output import Output, table
from tui.text import one_line


def new(arguments: Namespace, output: Output) -> int:
    """Write a new criterion."""
    kind = JudgeKind(arguments.kind)
    if kind is JudgeKind.PASS_FAIL and not (arguments.pass_definition and arguments.fail_definition):
        raise BadInput("a pass/fail criterion needs --pass TEXT and --fail TEXT: what each of the two means")
    with open_project(arguments, output) as project:
        if arguments.name in project.criteria:
            raise BadInput(
                f"criterion {arguments.name!r} is here already: `adjudge criterion edit` writes a version"
            )
        written = project.criteria.add(
            Criterion(
                name=arguments.name,
                version=1,
                pass_definition=arguments.pass_definition or "",
                fail_definition=arguments.fail_definition or "",
                kind=kind,
                facts_needed=arguments.facts or "",
                author=default_annotator(),
                note=arguments.note,
            )
        )
    return _shown(written, output)


def edit(arguments: Namespace, output: Output) -> int:
    """Write the next version of a criterion; what is not named stays."""
    with open_project(arguments, output) as project:
        newest = project.criteria.latest(arguments.name)
        edited = replace(
            newest,
            pass_definition=arguments.pass_definition or newest.pass_definition,
            fail_definition=arguments.fail_definition or newest.fail_definition,
            facts_needed=newest.facts_needed if arguments.facts is None else arguments.facts,
            author=default_annotator(),
            note=arguments.note,
            at="",
        )
        if replace(edited, author=newest.author, note=newest.note, at=newest.at) == newest:
            raise BadInput("nothing differs from the newest version: name --pass, --fail or --facts")
        written = project.criteria.add(edited)
    return _shown(written, output)


def show(arguments: Namespace, output: Output) -> int:
    """Show one version of a criterion, the newest by default."""
    with open_project(arguments, output) as project:
        if arguments.number:
            criterion = project.criteria.version(arguments.name, arguments.number)
        else:
            criterion = project.criteria.latest(arguments.name)
    return _shown(criterion, output)


def list_all(arguments: Namespace, output: Output) -> int:
    """List all criteria."""
    with open_project(arguments, output) as project:
        found = [project.criteria.latest(name) for name in project.criteria.names()]
    output.result(
        {"criteria": [_document(criterion) for criterion in found]},
        table(
            [
                (one.name, str(one.kind), f"v{one.version}", one_line(one.pass_definition, 60))
                for one in found
            ],
            ("criterion", "kind", "version", "PASS means"),
        )
        if found
        else ["no criteria yet: adjudge criterion new NAME --pass TEXT --fail TEXT"],
    )
    return Exit.DONE


def _document(criterion: Criterion) -> dict[str, object]:
    return {
        "name": criterion.name,
        "version": criterion.version,
        "kind": criterion.kind,
        "pass_definition": criterion.pass_definition,
        "fail_definition": criterion.fail_definition,
        "facts_needed": criterion.facts_needed,
        "author": criterion.author,
        "at": criterion.at,
        "note": criterion.note,
    }


def _shown(criterion: Criterion, output: Output) -> int:
    output.result(
        _document(criterion),
        [
            f"{criterion.name} v{criterion.version} ({criterion.kind})",
            f"PASS  {criterion.pass_definition or '(not written)'}",
            f"FAIL  {criterion.fail_definition or '(not written)'}",
            *([f"facts {criterion.facts_needed}"] if criterion.facts_needed else []),
        ],
    )
    return Exit.DONE
