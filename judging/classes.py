"""The named classes a classify judge tells apart, as its parameters give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from store.records import Decision, JudgeVersion

CLASSES: Final = "classes"
"""The judge parameter: an object of class names, each with its description."""

_RESERVED: Final = frozenset({Decision.UNKNOWN, Decision.UNSURE})
_LONGEST: Final = 60
"""A longer name is a description, and a judge will not repeat it letter for letter."""


@dataclass(frozen=True)
class NamedClass:
    """One class a row may belong to."""

    name: str
    description: str


def classes_of(judge: JudgeVersion) -> tuple[NamedClass, ...]:
    """Give a judge's classes by name.

    They are sorted, because the order of an object's keys is no part of a judge's hash and so must
    not change what is sent.

    Raises:
        ValueError: when there are fewer than two, or one has no usable name or no description.
    """
    given = judge.params.get(CLASSES)
    if not isinstance(given, Mapping) or len(given) < 2:
        raise ValueError("a classify judge needs classes: an object of two names or more with descriptions")
    found = [_checked(name, description) for name, description in given.items()]
    return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.name)))


def _checked(name: object, description: object) -> NamedClass:
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST or not name.isprintable():
        raise ValueError(f"a class needs a name of 1 to {_LONGEST} printable characters, not {name!r}")
    if name.strip().casefold() in _RESERVED:
        raise ValueError(f"no class can be named {name!r}: the word has a meaning of its own")
    if not isinstance(description, str) or not description.strip():
        raise ValueError(f"class {name!r} needs a description: what belongs to it and what does not")
    return NamedClass(name, description)
