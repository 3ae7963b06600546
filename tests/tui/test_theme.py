"""A state is never only a colour, and every theme can be read."""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations

import pytest
from textual.color import Color

from tui import theme
from tui.cells import width


@pytest.mark.parametrize("ascii_only", [True, False])
def test_every_state_has_a_mark_and_a_word_of_its_own(ascii_only: bool) -> None:
    looks = theme.glyphs(ascii_only=ascii_only)
    for one, other in combinations(looks.values(), 2):
        assert one.word != other.word
        assert one.mark != other.mark or {one.word, other.word} == {"unsure", "unknown"}
    assert all(width(look.mark) == 1 for look in looks.values())


def test_a_terminal_without_utf8_gets_ascii_marks() -> None:
    looks = theme.glyphs(ascii_only=True)
    assert [looks[word].mark for word in ("pass", "fail", "unsure", theme.NO_VERDICT)] == ["v", "x", "?", "-"]
    plain = theme.drawing(ascii_only=True)
    for each in fields(plain):
        assert getattr(plain, each.name).isascii()
        assert len(getattr(plain, each.name)) == 1


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, True),
        ({"LANG": "C.UTF-8"}, True),
        ({"LANG": "de_DE.utf8"}, True),
        ({"LANG": "C"}, False),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False),  # what Python makes of LANG=C
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, False),
        ({"LANG": "en_US.ISO-8859-1"}, False),
        ({"LC_CTYPE": "UTF-8"}, True),
    ],
)
def test_the_locale_says_what_can_be_drawn(environ: dict[str, str], expected: bool) -> None:
    assert theme.is_utf8(environ) is expected


def test_no_verdict_and_class_names_have_a_look_too() -> None:
    assert theme.glyph(None).word == "no verdict"
    assert theme.glyph("refund\x1b").word == "refund\x1b"
    assert "\x1b" not in theme.verdict_content("refund\x1b").plain
    assert theme.verdict_content("pass", word=False).plain == theme.GLYPHS["pass"].mark


def test_the_first_theme_respects_the_environment() -> None:
    assert theme.initial_theme({}) == theme.DARK
    assert theme.initial_theme({"NO_COLOR": "1"}) == theme.ANSI_DARK
    assert theme.initial_theme({"NO_COLOR": "1", "TEXTUAL_THEME": "nord"}) == "nord"


@pytest.mark.parametrize("each", [t for t in theme.themes() if not t.ansi], ids=lambda t: t.name)
def test_every_colour_can_be_read_on_every_ground(each: object) -> None:
    for ground in ("background", "surface", "panel"):
        for ink in ("foreground", "primary", "secondary", "accent", "success", "warning", "error"):
            one, other = Color.parse(getattr(each, ground)), Color.parse(getattr(each, ink))
            assert _contrast(one, other) >= 4.5, (ground, ink)


def _contrast(one: Color, other: Color) -> float:
    """WCAG 2 contrast ratio."""
    lights = sorted((_luminance(one), _luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _luminance(colour: Color) -> float:
    parts = [c / 255 for c in colour.rgb]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
