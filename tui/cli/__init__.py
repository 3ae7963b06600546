"""The command line: parse, call, print. Nothing heavy is imported before a command needs it."""

from tui.cli.main import main

__all__ = ["main"]
