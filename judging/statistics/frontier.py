"""Cost against accuracy: which configurations are worth their price, and which are beaten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """One configuration on the plane of cost and accuracy."""

    name: str
    cost: float
    """In the frontier's unit."""
    accuracy: float
    dominated_by: str | None
    """One that is as good for less, or better for no more; None: the point is on the frontier."""


@dataclass(frozen=True)
class Frontier:
    """All points, in the order they were given."""

    unit: str
    points: tuple[Point, ...]
    reason: str = ""
    """Why there are no points; empty when there are."""


def frontier(
    names: Sequence[str], accuracies: Sequence[float], costs: Mapping[str, Sequence[float | None]]
) -> Frontier:
    """Set cost against accuracy, in the first unit in which every cost is known.

    Args:
        names: Of the configurations.
        accuracies: One for each, 0 to 1.
        costs: One for each, by unit; None where it is unknown.
    """
    for unit, amounts in costs.items():
        known = [amount for amount in amounts if amount is not None]
        if len(known) == len(names):
            bare = [Point(*one, None) for one in zip(names, known, accuracies, strict=True)]
            return Frontier(
                unit, tuple(Point(one.name, one.cost, one.accuracy, _beaten_by(one, bare)) for one in bare)
            )
    return Frontier("", (), f"no data: not every step's cost is known in {' or '.join(costs)}")


def _beaten_by(point: Point, others: Sequence[Point]) -> str | None:
    """Name the best of those that dominate a point; the first of equals."""
    better = [
        other
        for other in others
        if other.accuracy >= point.accuracy
        and other.cost <= point.cost
        and (other.accuracy > point.accuracy or other.cost < point.cost)
    ]
    return max(better, key=lambda other: (other.accuracy, -other.cost)).name if better else None
