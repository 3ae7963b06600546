"""Money from usage: prices are data with a date; an unknown price says so.

The shipped table stands in `prices.json` beside this module; a file of the user's in the same shape
adds models and replaces prices. All prices are US dollars per million tokens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from judging.calls import Request
from store.errors import BadInput
from store.records import Usage

CacheTtl: TypeAlias = Literal["5m", "1h"]

BYTES_PER_TOKEN: Final = 3.3
"""The approximation behind `estimate_tokens`: bytes of UTF-8 per token.

English runs to about 4.3 characters a token on older models, and current ones count some 30 % more
tokens for the same text; a character of Chinese or Japanese is three bytes and about one token.
"""

SPREAD: Final = 0.35
"""How far a text's real count may lie from the estimate, as a share of it; for the range shown."""

_MESSAGE_OVERHEAD: Final = 12
_PER_MILLION: Final = 1_000_000
_DATED: Final = re.compile(r"(?:[-@]\d{8}|-latest)$")


@dataclass(frozen=True)
class Tier:
    """Prices that hold up to a size of prompt."""

    input: float
    output: float
    cache_read: float | None = None
    """None: as input."""
    write_5m: float | None = None
    write_1h: float | None = None
    up_to: int | None = None
    """Largest prompt in tokens, cached ones included, that the tier is for; None: any."""


@dataclass(frozen=True)
class ModelPrice:
    """One model's prices; the whole request is priced by the tier its prompt falls in."""

    name: str
    tiers: tuple[Tier, ...]
    source: str = ""
    """Where the price came from; filled in when a table is read."""

    def tier_for(self, prompt_tokens: int) -> Tier:
        """Give the tier for a prompt's size; beyond the last bound the last tier holds."""
        fits = (tier for tier in self.tiers if tier.up_to is None or prompt_tokens <= tier.up_to)
        return next(fits, self.tiers[-1])


@dataclass(frozen=True)
class PriceTable:
    """Prices by model name."""

    models: Mapping[str, ModelPrice]
    batch_factor: float = 0.5
    """What a batch costs of the ordinary price."""

    def find(self, model: str) -> ModelPrice | None:
        """Find a model by its name, or by its name without a date; never by a mere beginning."""
        exact = self.models.get(model)
        return exact or self.models.get(_DATED.sub("", model))


@dataclass(frozen=True)
class Money:
    """What some usage cost."""

    usd: float
    price: str
    """Where the price came from, in words."""


@dataclass(frozen=True)
class UnknownPrice:
    """No price is known for a model; its cost is not 0 but unknown."""

    model: str
    reason: str


@dataclass(frozen=True)
class _PriceFile:
    models: tuple[ModelPrice, ...]
    source: str = ""
    date: str = ""
    batch_factor: float | None = None


def load_prices(override: Path | None = None) -> PriceTable:
    """Read the shipped table, with a user's own file on top.

    Raises:
        BadInput: when the user's file cannot be read as prices; the message says where.
    """
    table = _shipped()
    if override is None:
        return table
    try:
        own = _decoded(override.read_bytes(), named=f"prices file {override.name}")
    except (OSError, ValueError) as error:
        raise BadInput(f"{override}: these prices cannot be used: {error}") from error
    factor = table.batch_factor if own.batch_factor is None else own.batch_factor
    return PriceTable({**table.models, **{model.name: model for model in own.models}}, factor)


def cost(
    usage: Usage,
    model: str,
    *,
    batch: bool = False,
    cache_ttl: CacheTtl = "5m",
    prices: PriceTable | None = None,
) -> Money | UnknownPrice:
    """Price the usage of one call.

    Args:
        usage: Tokens as the API counts them: `input_tokens` are the uncached ones.
        model: As asked for or as reported; a date at its end is allowed.
        batch: Priced as a batch; the discount covers cached tokens too.
        cache_ttl: How long written cache entries live, since longer ones cost more.
        prices: The shipped table when not given.
    """
    table = prices or _shipped()
    found = table.find(model)
    if found is None:
        return UnknownPrice(model, f"no price is known for {model!r}; add it to a prices file")
    cached = usage.cache_read_input_tokens + usage.cache_creation_input_tokens
    tier = found.tier_for(usage.input_tokens + cached)
    write = tier.write_1h if cache_ttl == "1h" else tier.write_5m
    total = (
        usage.input_tokens * tier.input
        + usage.output_tokens * tier.output
        + usage.cache_read_input_tokens * _or_input(tier.cache_read, tier)
        + usage.cache_creation_input_tokens * _or_input(write, tier)
    )
    factor = table.batch_factor if batch else 1.0
    return Money(total * factor / _PER_MILLION, f"{found.source}{', batch' if batch else ''}")


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text is: bytes of UTF-8 over BYTES_PER_TOKEN, rounded up.

    An approximation for planning, often a fifth off; only the server's own count is exact.
    """
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


def estimate_request_tokens(request: Request) -> int:
    """Estimate the input tokens of a request: system prompt, messages and schema."""
    texts = [request.system, *(message.content for message in request.messages)]
    if request.schema is not None:
        texts.append(msgspec.json.encode(request.schema).decode())
    return sum(estimate_tokens(part) for part in texts) + _MESSAGE_OVERHEAD


@dataclass(frozen=True)
class Planned:
    """Calls that are going to be made, for an estimate."""

    model: str
    input_tokens: int
    """Of one call."""
    output_tokens: int
    """Of one call, as expected."""
    max_tokens: int
    calls: int = 1

    @classmethod
    def of(
        cls, request: Request, *, output_tokens: int, calls: int = 1, added_input_tokens: int = 0
    ) -> Planned:
        """Plan calls of one request; `added_input_tokens` are what is not yet in its text."""
        tokens = estimate_request_tokens(request) + added_input_tokens
        return cls(request.model, tokens, min(output_tokens, request.max_tokens), request.max_tokens, calls)


@dataclass(frozen=True)
class UsdRange:
    """Money that a run may cost."""

    low: float
    """Fewer tokens than estimated and short answers."""
    expected: float
    high: float
    """More tokens than estimated, and every answer as long as `max_tokens` allows."""
    price: str


@dataclass(frozen=True)
class RunEstimate:
    """What a run is expected to take, before a cent is spent."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: UsdRange | None
    """None when the price of a model is unknown."""
    unknown: tuple[UnknownPrice, ...] = ()


def estimate_run(
    planned: Iterable[Planned], *, batch: bool = False, prices: PriceTable | None = None
) -> RunEstimate:
    """Add up planned calls. Cached tokens, retries and thinking are not counted in the expected figure."""
    table = prices or _shipped()
    plans = list(planned)
    totals = [0.0, 0.0, 0.0]
    sources: dict[str, None] = {}
    unknown: dict[str, UnknownPrice] = {}
    for plan in plans:
        for place, usage in enumerate(_low_expected_high(plan)):
            money = cost(usage, plan.model, batch=batch, prices=table)
            if isinstance(money, UnknownPrice):
                unknown[plan.model] = money
            else:
                totals[place] += plan.calls * money.usd
                sources[money.price] = None
    low, expected, high = totals
    return RunEstimate(
        sum(plan.calls for plan in plans),
        sum(plan.calls * plan.input_tokens for plan in plans),
        sum(plan.calls * plan.output_tokens for plan in plans),
        None if unknown else UsdRange(low, expected, high, "; ".join(sources)),
        tuple(unknown.values()),
    )


def _low_expected_high(plan: Planned) -> tuple[Usage, Usage, Usage]:
    return (
        Usage(round(plan.input_tokens * (1 - SPREAD)), round(plan.output_tokens * (1 - SPREAD))),
        Usage(plan.input_tokens, plan.output_tokens),
        Usage(round(plan.input_tokens * (1 + SPREAD)), plan.max_tokens),
    )


def _or_input(price: float | None, tier: Tier) -> float:
    return tier.input if price is None else price


@cache
def _shipped() -> PriceTable:
    content = resources.files(__package__).joinpath("prices.json").read_bytes()
    file = _decoded(content)
    factor = 1.0 if file.batch_factor is None else file.batch_factor
    return PriceTable({model.name: model for model in file.models}, factor)


def _decoded(content: bytes, *, named: str = "") -> _PriceFile:
    file = msgspec.json.decode(content, type=_PriceFile)
    source = file.source or ", ".join(filter(None, (named, file.date)))
    for model in file.models:
        _check(model)
    return replace(file, models=tuple(replace(model, source=model.source or source) for model in file.models))


def _check(model: ModelPrice) -> None:
    if not model.tiers:
        raise ValueError(f"model {model.name!r} has no prices")
    for tier in model.tiers:
        given = (tier.input, tier.output, tier.cache_read, tier.write_5m, tier.write_1h)
        if any(price is not None and price < 0 for price in given):
            raise ValueError(f"model {model.name!r} has a price below 0")
