"""Scorecards: dimensions with described points, and the overall computed from them.

The overall is a stated formula over the points, the weighted sum rounded to a step; no model is ever
asked for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from store.records import JudgeVersion

DIMENSIONS: Final = "dimensions"
"""The judge parameter: an object of dimension names, each with `weight` and `points`."""

OVERALL: Final = "overall"
"""The judge parameter that holds `round`, the step the overall is rounded to."""

POINTS: Final = (1, 2, 3, 4, 5)
ANCHORS: Final = (1, 3, 5)
"""Points that have to be described; those between may be."""

_LONGEST: Final = 60
_RESERVED: Final = frozenset({"overall", "critique", "scores", "verdict"})


@dataclass(frozen=True)
class Dimension:
    """One quality that is scored by itself."""

    name: str
    weight: Decimal
    """Its share of the overall."""
    points: Mapping[int, str]
    """What a point means, by point, from low to high."""


@dataclass(frozen=True)
class Scorecard:
    """Dimensions and the formula over them."""

    dimensions: tuple[Dimension, ...]
    step: Decimal | None = None
    """What the overall is rounded to; None: it is not rounded."""

    @classmethod
    def of(cls, judge: JudgeVersion) -> Scorecard:
        """Read a judge's scorecard from its parameters.

        Dimensions are sorted by name, because the order of an object's keys is no part of a judge's
        hash and so must not change what is sent.

        Raises:
            ValueError: when a dimension has no usable name, weight or points, or the weights do not
                add up to 1, or the step cannot be used.
        """
        given = judge.params.get(DIMENSIONS)
        if not isinstance(given, Mapping) or not given:
            raise ValueError("a scorecard judge needs dimensions: an object of names with weight and points")
        found = [_dimension(name, value) for name, value in given.items()]
        if len({_plain(one.name) for one in found}) < len(found):
            raise ValueError("two dimensions have names that cannot be told apart when a judge writes them")
        total = sum((one.weight for one in found), Decimal())
        if total != 1:
            raise ValueError(f"the weights of the dimensions have to add up to 1, not {total.normalize():f}")
        ordered = sorted(found, key=lambda one: (one.name.casefold(), one.name))
        return cls(tuple(ordered), _step(judge.params.get(OVERALL)))

    def overall(self, scores: Mapping[str, float]) -> float:
        """Compute the overall from every dimension's score; halfway between two steps it is rounded up.

        Args:
            scores: A score for each dimension.

        Raises:
            KeyError: when a dimension has no score.
        """
        total = sum((one.weight * Decimal(str(scores[one.name])) for one in self.dimensions), Decimal())
        if self.step is None:
            return float(total)
        return float((total / self.step).to_integral_value(ROUND_HALF_UP) * self.step)

    def formula(self) -> str:
        """Say how the overall is computed, as "0.45 × accuracy + 0.55 × fluency"."""
        terms = " + ".join(f"{one.weight.normalize():f} × {one.name}" for one in self.dimensions)
        rounded = self.step is not None
        return f"{terms}, rounded to the nearest {self.step:f} (halves up)" if rounded else terms


def in_words(overall: float) -> str:
    """Give an overall as the text a verdict holds, as "3.5" or "4"."""
    return f"{overall:.6g}"


def _dimension(name: object, value: object) -> Dimension:
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST or not name.isprintable():
        raise ValueError(f"a dimension needs a name of 1 to {_LONGEST} printable characters, not {name!r}")
    if name.strip().casefold() in _RESERVED:
        raise ValueError(f"no dimension can be named {name!r}: the word has a meaning of its own")
    if not isinstance(value, Mapping):
        raise ValueError(f"dimension {name!r} has to be an object with weight and points")
    weight = _number(value.get("weight"))
    if weight is None or not 0 < weight <= 1:
        raise ValueError(
            f"dimension {name!r} needs a weight above 0 and at most 1, not {value.get('weight')!r}"
        )
    return Dimension(name, weight, _points(name, value.get("points")))


def _points(name: str, given: object) -> Mapping[int, str]:
    described: dict[int, str] = {}
    for key, text in given.items() if isinstance(given, Mapping) else ():
        # Keys of a JSON object are text; points given from Python may be numbers.
        point = next((one for one in POINTS if str(key) == str(one)), None)
        if point is None or not isinstance(text, str) or not text.strip():
            raise ValueError(f"dimension {name!r}: each point is 1 to 5 with a description, not {key!r}")
        described[point] = text
    missing = [str(anchor) for anchor in ANCHORS if anchor not in described]
    if missing:
        raise ValueError(f"dimension {name!r} has to say what {', '.join(missing)} of 5 means")
    return dict(sorted(described.items()))


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def _step(given: object) -> Decimal | None:
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) - {"round"}:
        raise ValueError(f'overall has to be an object like {{"round": 0.5}}, not {given!r}')
    if given.get("round") is None:
        return None
    step = _number(given["round"])
    if step is None or not 0 < step <= 1:
        raise ValueError(f"overall is rounded to a step above 0 and at most 1, not {given['round']!r}")
    return step


def _number(value: object) -> Decimal | None:
    """Give a JSON number exactly as it is written."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = Decimal(str(value))
    return number if number.is_finite() else None
