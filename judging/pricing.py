"""Money from usage: prices are data with a date; an unknown price says so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from store.records import Usage

CacheTtl = Literal["5m", "1h"]


@dataclass(frozen=True)
class Money:
    """What some usage cost."""

    usd: float
    price: str
    """Where the price came from, in words."""


@dataclass(frozen=True)
class UnknownPrice:
    """No price is known for a model."""

    model: str
    reason: str


@dataclass(frozen=True)
class PriceTable:
    """Prices by model name."""


def load_prices(override: Path | None = None) -> PriceTable:
    """Read the shipped table, with a user's own file on top."""
    raise NotImplementedError


def cost(
    usage: Usage,
    model: str,
    *,
    batch: bool = False,
    cache_ttl: CacheTtl = "5m",
    prices: PriceTable | None = None,
) -> Money | UnknownPrice:
    """Price the usage of one call."""
    raise NotImplementedError


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text is, by a stated approximation."""
    raise NotImplementedError
