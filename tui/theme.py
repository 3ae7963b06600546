"""Colours by meaning, and the marks that never leave a state to colour alone.

Screens name meanings (`$success`, `$error`, `$warning`, `$foreground-muted`, `$accent`), never colours, so
every theme, a light one or one without colours included, serves every screen. A verdict is always
mark + word + colour; drawing characters have an ASCII twin for terminals that are not UTF-8.

Nothing here loads Textual at import: the command line prints the same marks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual.content import Content
    from textual.theme import Theme

DARK: Final = "adjudge-dark"
LIGHT: Final = "adjudge-light"
ANSI_DARK: Final = "adjudge-ansi-dark"
ANSI_LIGHT: Final = "adjudge-ansi-light"
NO_VERDICT: Final = "no verdict"


@dataclass(frozen=True, slots=True)
class Glyph:
    """How one decision looks everywhere."""

    mark: str
    """One cell."""
    word: str
    style: str
    """A Textual style in theme variables."""

    @property
    def text(self) -> str:
        """Mark and word, for plain print."""
        return f"{self.mark} {self.word}"


@dataclass(frozen=True, slots=True)
class Drawing:
    """The characters lines, frames and bars are drawn with; each one cell wide."""

    rule: str = "─"
    bar: str = "│"
    top_left: str = "┏"
    top_right: str = "┓"
    bottom_left: str = "┗"
    bottom_right: str = "┛"
    heavy_rule: str = "━"
    heavy_bar: str = "┃"
    more_below: str = "▼"
    more_above: str = "▲"
    folded: str = "▸"
    cursor: str = "▌"
    full: str = "█"
    empty: str = "░"
    low: str = "▕"
    between: str = "▔"
    high: str = "▏"
    target: str = "┊"
    ellipsis: str = "…"
    dot: str = "·"


_ASCII_DRAWING: Final = Drawing(
    rule="-",
    bar="|",
    top_left="+",
    top_right="+",
    bottom_left="+",
    bottom_right="+",
    heavy_rule="=",
    heavy_bar="|",
    more_below="v",
    more_above="^",
    folded=">",
    cursor=">",
    full="#",
    empty=".",
    low="[",
    between="-",
    high="]",
    target=":",
    ellipsis="~",
    dot="-",
)


def is_utf8(environ: Mapping[str, str]) -> bool:
    """Tell whether the terminal's locale can show more than ASCII.

    The environment is asked and not Python, which coerces the C locale to UTF-8 for itself
    (PEP 538: it then sets LC_CTYPE to C.UTF-8). A locale that is not set at all counts as UTF-8,
    as it does for Python: bare containers set none, and their terminals are UTF-8.
    """
    chosen = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    language = environ.get("LANG", "")
    if chosen == "C.UTF-8" and not environ.get("LC_ALL") and language in ("C", "POSIX"):
        chosen = language
    return not chosen or "utf8" in chosen.lower().replace("-", "")


def drawing(*, ascii_only: bool) -> Drawing:
    """Return the characters frames and bars are drawn with."""
    return _ASCII_DRAWING if ascii_only else Drawing()


def glyphs(*, ascii_only: bool) -> Mapping[str, Glyph]:
    """Return the look of every decision word, and of `NO_VERDICT`."""
    passed, failed, nothing = ("v", "x", "-") if ascii_only else ("✓", "✗", "∅")
    return MappingProxyType(
        {
            "pass": Glyph(passed, "pass", "$success"),
            "fail": Glyph(failed, "fail", "$error"),
            "unsure": Glyph("?", "unsure", "$warning"),
            "unknown": Glyph("?", "unknown", "$warning"),
            NO_VERDICT: Glyph(nothing, NO_VERDICT, "$foreground-muted"),
            "A": Glyph("A", "A better", "$primary"),
            "B": Glyph("B", "B better", "$secondary"),
            "tie": Glyph("=", "tie", "$warning"),
        }
    )


ASCII_ONLY: Final = not is_utf8(os.environ)
GLYPHS: Final = glyphs(ascii_only=ASCII_ONLY)
DRAWING: Final = drawing(ascii_only=ASCII_ONLY)


def glyph(verdict: str | None) -> Glyph:
    """Return the look of a verdict; None is no verdict, an unknown word (a class's name) is itself."""
    if verdict is None:
        return GLYPHS[NO_VERDICT]
    return GLYPHS.get(verdict) or Glyph(DRAWING.dot, verdict, "$primary")


def verdict_content(verdict: str | None, *, word: bool = True) -> Content:
    """Return a verdict as styled content: mark and word, or the mark alone for a dense list."""
    from textual.content import Content

    from tui.text import printable

    look = glyph(verdict)
    return Content.styled(printable(look.text if word else look.mark), look.style)


def without_colour(environ: Mapping[str, str]) -> bool:
    """Tell whether the user asked for no colours; an empty value counts too, as it does for Textual."""
    return "NO_COLOR" in environ


def initial_theme(environ: Mapping[str, str]) -> str:
    """Return the theme to start with: `TEXTUAL_THEME` if set, else by `NO_COLOR`."""
    return environ.get("TEXTUAL_THEME") or (ANSI_DARK if without_colour(environ) else DARK)


def themes() -> tuple[Theme, ...]:
    """Return our themes, to be registered with the app."""
    from textual.theme import Theme

    return (
        Theme(
            name=DARK,
            primary="#7ab0f5",
            secondary="#5cc8b4",
            accent="#e3b341",
            success="#5fc573",
            warning="#e3b341",
            error="#ff7b72",
            foreground="#d6dae0",
            background="#12151a",
            surface="#191d24",
            panel="#242a33",
            dark=True,
        ),
        Theme(
            name=LIGHT,
            primary="#0b57b0",
            secondary="#00695c",
            accent="#8a4b00",
            success="#146c2e",
            warning="#8a4b00",
            error="#b3261e",
            foreground="#1c1f24",
            background="#fcfcfa",
            surface="#f1f1ee",
            panel="#e4e4df",
            dark=False,
        ),
        _ansi(ANSI_DARK, dark=True),
        _ansi(ANSI_LIGHT, dark=False),
    )


def _ansi(name: str, *, dark: bool) -> Theme:
    """Build a theme in the terminal's own colours, for NO_COLOR and 16-colour terminals."""
    from textual.theme import BUILTIN_THEMES

    # Textual's own has every variable that its style sheets ask for under these colours; plain blue
    # cannot be read on black, nor bright yellow on white.
    base = BUILTIN_THEMES["ansi-dark" if dark else "ansi-light"]
    return replace(
        base,
        name=name,
        primary="ansi_bright_blue" if dark else "ansi_blue",
        secondary="ansi_cyan",
        accent="ansi_yellow" if dark else "ansi_magenta",
        warning="ansi_yellow" if dark else "ansi_magenta",
    )
