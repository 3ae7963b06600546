"""What a command says: people's text or exactly one JSON document, never a mix."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from tui.text import plain


class Output:
    """Where a command's words go.

    With `--json`, standard output gets one strict JSON document and everything for people goes to
    standard error; without it, results go to standard output and progress to standard error.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json

    def result(self, document: object, lines: Iterable[str] = ()) -> None:
        """Give the command's result: the document, or the lines for people.

        Args:
            document: Anything `msgspec` can encode; undefined figures are null with a reason.
            lines: The same for people.
        """
        if self.as_json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode(document, order=None) + b"\n")
            sys.stdout.buffer.flush()
        else:
            for line in lines:
                print(plain(line))

    def progress(self, text: str) -> None:
        """Say something for people while a command works."""
        print(plain(text), file=sys.stderr, flush=True)

    def complain(self, text: str) -> None:
        """Say what went wrong."""
        print(plain(f"adjudge: {text}"), file=sys.stderr, flush=True)

    def fail(self, text: str, code: int) -> None:
        """Say what went wrong, and with `--json` give the one document that scripts wait for."""
        self.complain(text)
        if self.as_json:
            self.result({"error": text, "exit": int(code)})


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> list[str]:
    """Lay text out in columns, as wide as the widest cell; nothing is cut.

    Returns:
        One line a row, the header first; a single line when there are no rows.
    """
    cells = [[plain(cell).replace("\n", " ") for cell in row] for row in [header, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
