"""The only road from data to a terminal: screen, plain print, title, toast.

Text out of traces, models and files is hostile until proven otherwise: escape sequences write the
clipboard and fake lines, bidi overrides reorder what a person judges, zero-width characters hide
words, brackets are taken for markup. Here every such character becomes a visible mark (␛, ⟦RLO⟧,
⟦ZWSP⟧ ...), and nothing else changes: what the terminal draws is what the data says. The store
keeps the original.

What makes legitimate writing stays: a joiner between emoji or inside a script that needs it, a
variation selector after a character that has variants, combining marks.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual.content import Content

ELLIPSIS: Final = "…"
NEWLINE_MARK: Final = "↵"

_ASCII_SUSPECT: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f]")
"""The short class searches ASCII text twice as fast as the full one."""

_INVISIBLE: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_SUSPECT: Final = re.compile(f"[\t{_INVISIBLE}]")
_TAG_RUN: Final = "[\U000e0020-\U000e007f]+"
_SHOWN: Final = re.compile(f"\r\n|{_TAG_RUN}|[{_INVISIBLE}]")

_EMOJI: Final = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_JOINING_SCRIPT: Final = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua8ff\ufb50-\ufdff\ufe70-\ufefc]"
)
_VIRAMA: Final = 9

_C1_NAMES: Final = (
    "PAD HOP BPH NBH IND NEL SSA ESA HTS HTJ VTS PLD PLU RI SS2 SS3 "
    "DCS PU1 PU2 STS CCH MW SPA EPA SOS SGC SCI CSI ST OSC PM APC"
)

_NAMES: Final[dict[int, str]] = {
    **{0x80 + n: name for n, name in enumerate(_C1_NAMES.split())},
    0x00AD: "SHY",
    0x034F: "CGJ",
    0x061C: "ALM",
    0x200B: "ZWSP",
    0x200C: "ZWNJ",
    0x200D: "ZWJ",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "LS",
    0x2029: "PS",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
    **{0xFE00 + n: f"VS{n + 1}" for n in range(16)},
    **{0xE0100 + n: f"VS{n + 17}" for n in range(240)},
}


def printable(s: str, *, tabs: int = 4) -> str:
    """Return `s` with everything a terminal would act on, or not draw, as visible marks.

    Line feeds stay (a CR LF pair is one), tabs become spaces up to the next multiple of `tabs`
    columns. Text that needs nothing comes back as the same object.

    Args:
        s: Any text, lone surrogates included.
        tabs: Columns between tab stops.

    Returns:
        Text free of C0 and C1 controls (line feeds aside), DEL, bidi controls, line separators and
        invisible format characters. `printable(printable(s)) == printable(s)`.
    """
    if (_ASCII_SUSPECT if s.isascii() else _SUSPECT).search(s) is None:
        return s
    shown = _SHOWN.sub(_mark, s)
    return shown.expandtabs(tabs) if "\t" in shown else shown


def one_line(s: str, width: int, *, ellipsis: str = ELLIPSIS) -> str:
    """Return a preview of `s` in one line of at most `width` cells; a cut is said by `ellipsis`.

    Only the beginning that can be seen is looked at, so a long text costs no more than a short one.

    Args:
        s: Any text.
        width: Cells there are; 0 or less gives "".
        ellipsis: One cell.
    """
    if width <= 0:
        return ""
    from tui import cells

    # Sixteen characters a cell leave room for joined and combined ones; the rest is cut anyway.
    head = s[: width * 16 + 64]
    shown = printable(head.rstrip("\r\n") if len(head) == len(s) else head).replace("\n", NEWLINE_MARK)
    if len(head) == len(s) and cells.width(shown) <= width:
        return shown
    return cells.cut(shown, width - 1) + ellipsis


def content(s: str) -> Content:
    """Return `s` as Textual content: sanitised, and never read as markup."""
    # Imported here: the command line's listings and help must not pay for Textual.
    from textual.content import Content

    return Content(printable(s))


def plain(s: str, *, encoding: str | None = None) -> str:
    """Return `s` for `print` to a stream; nothing in it can raise or steer the terminal.

    Args:
        s: Any text.
        encoding: The stream's encoding, e.g. `sys.stdout.encoding`. What it cannot hold is written
            as an escape, so that printing never raises UnicodeEncodeError. None: it holds everything.
    """
    shown = printable(s)
    if encoding is None or shown.isascii():
        return shown
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def _mark(match: re.Match[str]) -> str:
    """Return what stands for one suspicious run: itself where it is part of legitimate writing."""
    run = match.group()
    if run == "\r\n":
        return "\n"
    code = ord(run[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xE0020 <= code <= 0xE007F:
        return _tags(match, run)
    if _belongs(match.string, match.start(), code):
        return run
    return f"⟦{_NAMES.get(code) or f'U+{code:04X}'}⟧"


def _tags(match: re.Match[str], run: str) -> str:
    """Keep the tags of a regional flag; spell out any other, they are used to hide text."""
    before = match.string[match.start() - 1] if match.start() else ""
    if before == "\U0001f3f4" and _spells_flag(run):
        return run
    spelled = "".join(chr(ord(c) - 0xE0000) if c != "\U000e007f" else "␡" for c in run)
    return f"⟦TAG {spelled}⟧"


def _spells_flag(run: str) -> bool:
    """Tell whether tags spell a region and end as a flag's do."""
    # Spelled out: as a pattern, these rare ranges take ten milliseconds of every start to compile.
    letters = run[:-1]
    return (
        run[-1:] == "\U000e007f"
        and 1 <= len(letters) <= 8
        and all(
            "\U000e0030" <= letter <= "\U000e0039" or "\U000e0061" <= letter <= "\U000e007a"
            for letter in letters
        )
    )


def _is_ideograph(character: str) -> bool:
    """Tell whether a character is a CJK ideograph, which may have registered variants."""
    return (
        "\u3400" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )


def _belongs(text: str, at: int, code: int) -> bool:
    """Tell whether the invisible character at `at` makes a legitimate grapheme with its neighbours."""
    before = text[at - 1] if at else ""
    # Next to something that is itself replaced, nothing is legitimate (and the result stays stable).
    if not before or (_SUSPECT.match(before) and before != "\ufe0f"):
        return False
    after = text[at + 1] if at + 1 < len(text) else ""
    if code in (0x200C, 0x200D):
        return _joins(text, at, before, after, code)
    if code in (0xFE0E, 0xFE0F):
        return before in "#*0123456789" or _EMOJI.match(before) is not None
    if 0xFE00 <= code <= 0xFE0D:
        return not before.isascii() and before.isprintable() and not before.isspace()
    if 0xE0100 <= code <= 0xE01EF:
        return _is_ideograph(before)
    return 0x180B <= code <= 0x180F and "\u1820" <= before <= "\u18af"


def _joins(text: str, at: int, before: str, after: str, code: int) -> bool:
    """Tell whether a zero-width joiner or non-joiner joins emoji, or shapes a script that needs it."""
    if _JOINING_SCRIPT.match(before):
        shapes = _JOINING_SCRIPT.match(after) is not None and not _SUSPECT.match(after)
        return shapes or unicodedata.combining(before) == _VIRAMA
    if code == 0x200C or not after or not _EMOJI.match(after):
        return False
    if before == "\ufe0f" and at > 1:
        before = text[at - 2]
    return _EMOJI.match(before) is not None
