"""`init`, `demo` and `doctor`."""

from __future__ import annotations

import tempfile
from argparse import Namespace
from pathlib import Path

from store.project import Project
from tui.cli.exits import Exit
from tui.cli.output import Output


def init(arguments: Namespace, output: Output) -> int:
    """Make a project."""
    root = Path(getattr(arguments, "project", None) or arguments.dir)
    root.mkdir(parents=True, exist_ok=True)
    with Project.create(root) as project:
        output.result(
            {"project": str(project.root)},
            [
                f"made a project in {project.root}",
                "next: adjudge import FILE... and adjudge criterion new NAME --pass TEXT --fail TEXT",
            ],
        )
    return Exit.DONE


def demo(arguments: Namespace, output: Output) -> int:
    """Make a project from the sample traces, and open it unless told not to."""
    from store.samples import load_samples

    named = arguments.dir or getattr(arguments, "project", None)
    root = Path(named) if named else Path(tempfile.mkdtemp(prefix="adjudge-demo-"))
    root.mkdir(parents=True, exist_ok=True)
    with Project.create(root) as project:
        load_samples(project)
        document = {
            "project": str(project.root),
            "traces": len(project.traces),
            "labels": sum(1 for _ in project.labels.history()),
            "runs": len(project.runs.ids()),
        }
    lines = [
        f"made a demo project in {document['project']}",
        f"{document['traces']} traces, {document['labels']} labels, {document['runs']} recorded runs",
        f"open it again with: adjudge --project {document['project']}",
    ]
    if arguments.no_tui or output.as_json:
        output.result(document, lines)
        return Exit.DONE
    for line in lines:
        output.progress(line)
    from tui.cli.opening import run_app

    return run_app(root, screen="home", mouse=not arguments.no_mouse, output=output)


def doctor(arguments: Namespace, output: Output) -> int:
    """Check everything a project needs, and repair the store when asked."""
    from tui.cli.here import project_root
    from tui.doctoring import examine

    root = project_root(arguments)
    repaired: tuple[str, ...] = ()
    if arguments.repair:
        from store.repair import repair

        repaired = repair(root)
    checks = examine(root)
    output.result(
        {
            "checks": [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks],
            "repaired": list(repaired),
        },
        [
            *(f"repaired: {line}" for line in repaired),
            *(f"{'ok ' if check.ok else 'NOT'} {check.name}: {check.detail}" for check in checks),
        ],
    )
    store_is_whole = all(check.ok for check in checks if check.store)
    return Exit.DONE if store_is_whole else Exit.STORE
