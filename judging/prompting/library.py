"""The prompt texts: readable files beside this module, filled in one pass."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Final

_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")


@cache
def text(*names: str) -> str:
    """Give the first of several texts that exists, without the line break at its end.

    Raises:
        KeyError: when there is none under any of the names.
    """
    for name in names:
        if name in all_texts():
            return all_texts()[name].rstrip("\n")
    raise KeyError(names)


@cache
def all_texts() -> dict[str, str]:
    """Give every prompt text by its file's name without the ending, in order of name."""
    folder = resources.files(__package__).joinpath("texts")
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return {
        file.name.removesuffix(".md"): file.read_text("utf-8") for file in files if file.name.endswith(".md")
    }


def fill(template: str, /, **values: str) -> str:
    """Put values into a template's ``{{places}}``.

    One pass over the template alone: what a value contains, braces included, is never looked at.

    Raises:
        KeyError: when the template names a place that has no value.
    """
    return _PLACEHOLDER.sub(lambda place: values[place[1]], template)
