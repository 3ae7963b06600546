"""Money from usage, unknown prices, and estimates before any money is spent."""

from __future__ import annotations

import json

import pytest

from judging.calls import Message, Request
from judging.pricing import (
    Money,
    Planned,
    UnknownPrice,
    cost,
    estimate_request_tokens,
    estimate_run,
    estimate_tokens,
    load_prices,
)
from store.errors import BadInput
from store.records import Usage

MILLION = 1_000_000


def usd(usage, model, **options):
    money = cost(usage, model, **options)
    assert isinstance(money, Money)
    return money.usd


@pytest.mark.parametrize(
    ("model", "prices"),
    [
        # input, output, cache read, write 5 min, write 1 h; from the public price pages of 2026-11
        ("claude-fable-5-2", (8, 40, 0.20, 10, 16)),
        ("claude-mythos-5-2", (8, 40, 0.20, 10, 16)),
        ("claude-fable-5-1", (10, 50, 0.25, 12.50, 20)),
        ("claude-fable-5", (10, 50, 1.00, 12.50, 20)),
        ("claude-opus-5-5", (4, 20, 0.20, 5, 8)),
        ("claude-opus-5", (5, 25, 0.50, 6.25, 10)),
        ("claude-opus-4-8", (5, 25, 0.50, 6.25, 10)),
        ("claude-opus-4-7", (5, 25, 0.50, 6.25, 10)),
        ("claude-opus-4-6", (5, 25, 0.50, 6.25, 10)),
        ("claude-opus-4-5", (5, 25, 0.50, 6.25, 10)),
        ("claude-sonnet-5-5", (2, 10, 0.10, 2.50, 4)),
        ("claude-sonnet-5", (2, 10, 0.20, 2.50, 4)),
        ("claude-sonnet-4-6", (3, 15, 0.30, 3.75, 6)),
        ("claude-sonnet-4-5", (3, 15, 0.30, 3.75, 6)),
        ("claude-haiku-4-5", (1, 5, 0.10, 1.25, 2)),
    ],
)
def test_each_kind_of_token_has_its_own_price(model, prices):
    got = (
        usd(Usage(input_tokens=MILLION), model),
        usd(Usage(output_tokens=MILLION), model),
        usd(Usage(cache_read_input_tokens=MILLION), model),
        usd(Usage(cache_creation_input_tokens=MILLION), model),
        usd(Usage(cache_creation_input_tokens=MILLION), model, cache_ttl="1h"),
    )
    assert got == pytest.approx(prices)


def test_the_kinds_of_tokens_add_up():
    # 1000 × 4 + 200 × 20 + 3000 × 0.2 + 500 × 5 = 4000 + 4000 + 600 + 2500 millionths
    assert usd(Usage(1000, 200, 3000, 500), "claude-opus-5-5") == pytest.approx(0.0111)


def test_a_batch_costs_half():
    usage = Usage(1000, 200, 3000, 500)
    assert usd(usage, "claude-opus-5-5", batch=True) == pytest.approx(0.0111 / 2)
    assert "batch" in cost(usage, "claude-opus-5-5", batch=True).price


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (Usage(100_000, 1000), 0.01 + 0.0005),
        (Usage(100_001, 1000), 0.0500005 + 0.0025),
        # cached tokens are part of the prompt: 60,000 + 60,000 is over the bound
        (Usage(60_000, 0, 60_000, 0), 0.03 + 0.003),
        (Usage(40_000, 0, 30_000, 30_000), 0.004 + 0.0003 + 0.00375),
    ],
)
def test_a_large_prompt_moves_the_whole_request_to_the_higher_price(usage, expected):
    assert usd(usage, "claude-haiku-5-5") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("model", "same_as"),
    [
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("claude-opus-5-latest", "claude-opus-5"),
    ],
)
def test_a_dated_name_has_the_price_of_its_model(model, same_as):
    assert usd(Usage(MILLION), model) == usd(Usage(MILLION), same_as)


def test_a_longer_name_is_not_priced_by_its_beginning():
    assert usd(Usage(MILLION), "claude-opus-5-5") != usd(Usage(MILLION), "claude-opus-5")
    assert isinstance(cost(Usage(1), "claude-opus-5-7"), UnknownPrice)
    assert isinstance(cost(Usage(1), "claude-opus"), UnknownPrice)
    assert isinstance(cost(Usage(1), "my-claude-opus-5"), UnknownPrice)


def test_an_unknown_model_is_unknown_and_not_free():
    unknown = cost(Usage(1000, 10), "llama-local")
    assert isinstance(unknown, UnknownPrice)
    assert (unknown.model, "llama-local" in unknown.reason) == ("llama-local", True)


def test_the_price_says_where_it_is_from():
    assert cost(Usage(1), "claude-opus-5").price == "public price pages, 2026-11"


# --- a table of the user's own ------------------------------------------------------------------


def prices_file(tmp_path, models, **more):
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"models": models, **more}), "utf-8")
    return path


def test_a_file_of_ones_own_adds_and_replaces_prices(tmp_path):
    own = [{"name": "llama-local", "tiers": [{"input": 0, "output": 0}]}]
    own += [{"name": "claude-opus-5", "tiers": [{"input": 1, "output": 2}]}]
    table = load_prices(prices_file(tmp_path, own, date="2026-12-01"))
    assert usd(Usage(9, 9), "llama-local", prices=table) == 0.0
    assert usd(Usage(MILLION, MILLION, MILLION, MILLION), "claude-opus-5", prices=table) == pytest.approx(5.0)
    assert usd(Usage(MILLION), "claude-sonnet-5", prices=table) == 2
    assert cost(Usage(1), "llama-local", prices=table).price == "prices file prices.json, 2026-12-01"
    assert usd(Usage(MILLION), "claude-opus-5") == 5


def test_the_batch_discount_can_be_replaced(tmp_path):
    table = load_prices(prices_file(tmp_path, [], batch_factor=0.25))
    assert usd(Usage(MILLION), "claude-opus-5", batch=True, prices=table) == 1.25


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([{"name": "m", "tiers": []}], "m"),
        ([{"name": "m", "tiers": [{"input": -1, "output": 1}]}], "below 0"),
        ([{"name": "m", "tiers": [{"input": "1", "output": 1}]}], "input"),
        ([{"tiers": [{"input": 1, "output": 1}]}], "name"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_with_its_place(tmp_path, models, message):
    path = prices_file(tmp_path, models)
    with pytest.raises(BadInput, match=message) as refused:
        load_prices(path)
    assert str(path) in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"none\.json"):
        load_prices(tmp_path / "none.json")


# --- estimates ----------------------------------------------------------------------------------


def test_tokens_are_estimated_from_bytes():
    assert estimate_tokens("") == 0
    assert estimate_tokens("a" * 33) == 10
    assert estimate_tokens("漢" * 11) == 10


def test_a_request_is_estimated_with_its_schema():
    bare = Request("claude-opus-5", "s" * 330, (Message("user", "u" * 33),))
    assert estimate_request_tokens(bare) == 100 + 10 + 12
    with_schema = Request("claude-opus-5", bare.system, bare.messages, schema={"type": "object"})
    assert estimate_request_tokens(with_schema) > estimate_request_tokens(bare)


def test_a_run_is_estimated_in_tokens_and_in_a_range_of_money():
    plan = Planned("claude-opus-5", 1000, 100, 4096, calls=10)
    estimate = estimate_run([plan, plan])
    assert (estimate.calls, estimate.input_tokens, estimate.output_tokens) == (20, 20_000, 2_000)
    assert estimate.usd.expected == pytest.approx(20 * (1000 * 5 + 100 * 25) / MILLION)
    assert estimate.usd.low == pytest.approx(20 * (650 * 5 + 65 * 25) / MILLION)
    assert estimate.usd.high == pytest.approx(20 * (1350 * 5 + 4096 * 25) / MILLION)
    assert estimate.usd.price == "public price pages, 2026-11"
    assert estimate_run([plan], batch=True).usd.expected == pytest.approx(estimate.usd.expected / 4)


def test_an_expected_answer_is_never_longer_than_its_limit():
    request = Request("claude-opus-5", "", (Message("user", "hi"),), max_tokens=50)
    assert Planned.of(request, output_tokens=600).output_tokens == 50


def test_an_unknown_price_leaves_the_tokens_and_no_money():
    estimate = estimate_run([Planned("claude-opus-5", 10, 1, 10), Planned("llama-local", 10, 1, 10)])
    assert (estimate.calls, estimate.usd) == (2, None)
    assert [unknown.model for unknown in estimate.unknown] == ["llama-local"]


def test_a_run_of_nothing_costs_nothing():
    assert estimate_run([]).usd.high == 0.0
