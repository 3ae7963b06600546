"""Parse the command line and call the one function behind each command."""

from __future__ import annotations

import gc
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module

from tui.cli.exits import Exit
from tui.cli.output import Output
from tui.cli.parser import build_parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit code; see `tui.cli.exits`.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = build_parser(words).parse_args(words)
    output = Output(as_json=getattr(arguments, "json", False))
    if arguments.version:
        from importlib.metadata import version

        output.result({"version": version("adjudge")}, [f"adjudge {version('adjudge')}"])
        return Exit.DONE
    try:
        return int(_handler(arguments.handler)(arguments, output))
    except KeyboardInterrupt:
        output.complain("interrupted; everything so far is kept")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe left (`adjudge traces | head`): no error, and nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except Exception as error:
        code = _code_of(error)
        if code is None:
            raise
        output.fail(str(error), code)
        return code


def _handler(dotted: str) -> Callable[[Namespace, Output], int]:
    module, _, name = dotted.partition(":")
    # Modules that load leave no garbage; looking for it is a tenth of a command's start.
    gc.disable()
    try:
        handler: Callable[[Namespace, Output], int] = getattr(import_module(f"tui.cli.{module}"), name)
    finally:
        gc.enable()
    return handler


def _code_of(error: Exception) -> Exit | None:
    # Imported here: most commands that fail have loaded the store by now, `--help` never does.
    from store.errors import StoreBusy, StoreDamaged, StoreError

    if isinstance(error, StoreDamaged | StoreBusy):
        return Exit.STORE
    if isinstance(error, StoreError):
        return Exit.USAGE
    return None
