"""Open the app, from whichever command."""

from __future__ import annotations

import gc
import os
import sys
from argparse import Namespace
from pathlib import Path

from store.errors import BadInput
from store.project import Project, default_annotator
from tui.cli.exits import Exit
from tui.cli.here import criterion_of, project_root
from tui.cli.output import Output


def home(arguments: Namespace, output: Output) -> int:
    """Open the app on Home."""
    return run_app(project_root(arguments), screen="home", mouse=not arguments.no_mouse, output=output)


def label_screen(arguments: Namespace, output: Output) -> int:
    """Open the app on the queue of a criterion."""
    return run_app(
        project_root(arguments),
        screen="label",
        criterion=arguments.criterion,
        annotator=arguments.annotator,
        mouse=not arguments.no_mouse,
        output=output,
    )


def run_app(
    root: Path,
    *,
    screen: str,
    output: Output,
    mouse: bool = True,
    criterion: str | None = None,
    annotator: str | None = None,
) -> int:
    """Open the app on a project and stay in it until it is left.

    Raises:
        BadInput: There is no terminal to draw on, or no such criterion.
    """
    if output.as_json:
        raise BadInput("--json goes with a command; the app itself has no JSON")
    refuse_without_terminal()
    # Collecting garbage while half a thousand modules load is a fifth of the start, and finds none. The
    # app turns it on again when its first screen is drawn.
    gc.disable()
    with Project(root) as project:
        for notice in project.notices:
            output.progress(f"note: {notice}")
        chosen = criterion_of(project, criterion).name if criterion else None
        # Textual costs a third of a second: only the app pays for it.
        from tui.app import AdjudgeApp
        from tui.session.session import Session

        app = AdjudgeApp(Session(project, annotator or default_annotator(), criterion=chosen), start=screen)
        app.run(mouse=mouse)
    return app.return_code or Exit.DONE


def refuse_without_terminal() -> None:
    """Say in one line that a terminal is needed, before anything is drawn into a pipe.

    Raises:
        BadInput: Standard input or output is no terminal, or TERM says it cannot move its cursor.
    """
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise BadInput("the app needs a terminal; commands such as `adjudge metrics --json` work without one")
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise BadInput("the app needs a terminal that can move its cursor; TERM is dumb or not set")
