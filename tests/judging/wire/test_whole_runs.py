"""Whole runs through the real SDK, with everything going wrong that can: nothing lost, nothing paid twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from messages_server import Ask, Reply, Script, error, message, page, serving, verdict
from run_kit import (
    FakeClock,
    add_judge,
    add_run,
    attempts,
    calls_of,
    make_project,
    number_of,
    pair,
    states_of,
    verdicts,
    waits_of,
    words,
)

from judging.running import RunPolicy, carry_out
from judging.summary import summarise
from store.errors import BadInput
from store.records import JudgeKind

ONCE = {
    "rate": error(429, "rate_limit_error", retry_after="1"),
    "rate, no time": error(429, "rate_limit_error"),
    "overloaded": error(529, "overloaded_error"),
    "server": error(500, "api_error"),
    "dropped": Reply(drop=True),
    "cut": Reply(200, verdict("pass").body, verdict("pass").headers, cut=30),
    "page": page(),
    "hang": Reply(hang=True),
}
"""Faults that come once; the row's next attempt is answered."""


def fault_of(number: int) -> Reply | None:
    by_last_digit = {1: "rate", 2: "overloaded", 3: "rate, no time"}
    special = {47: "dropped", 77: "server", 87: "page", 97: "cut", 107: "hang"}
    name = special.get(number) or by_last_digit.get(number % 10)
    return ONCE[name] if name else None


def final_of(number: int) -> Reply:
    if number == 17:
        return message("I'd rather not.", stop_reason="refusal")
    if number == 27:
        return message('{"critique": "it says', stop_reason="max_tokens")
    if number == 37:
        return Reply(drop=True)
    if number == 57:
        return message(content=[])
    if number == 67:
        thought = {"type": "thinking", "thinking": '{"verdict": "pass"}', "signature": "s"}
        return message(content=[thought, {"type": "text", "text": '{"critique": "no", "verdict": "fail"}'}])
    if number == 117:
        return error(400, "invalid_request_error", "prompt is too long")
    return verdict("pass" if number % 2 else "fail")


def expected(number: int) -> str:
    special = {17: "(refused)", 27: "(truncated)", 37: "(connection)", 57: "(empty)", 67: "fail"}
    return special.get(number) or ("(bad-request)" if number == 117 else "pass" if number % 2 else "fail")


def plan_of_faults() -> Script:
    seen: Counter[int] = Counter()

    def answer(ask: Ask) -> Reply:
        number = number_of(ask.text)
        seen[number] += 1
        fault = fault_of(number)
        return fault if fault is not None and seen[number] == 1 else final_of(number)

    return answer


async def test_two_hundred_traces_end_in_a_verdict_or_a_named_reason(tmp_path: Path) -> None:
    with serving(plan_of_faults()) as server, make_project(tmp_path, 200) as project:
        judge = add_judge(project, backend="anthropic", base_url=server.url, timeout=0.4)
        run = add_run(project, judge, concurrency=16)
        told = []
        outcome = await carry_out(project, run, clock=FakeClock(), on_event=told.append)
        found, summary = words(project, run), summarise(project, run)

        assert found == {f"t{number}": expected(number) for number in range(1, 201)}
        assert (outcome.state, outcome.done, outcome.without_verdict) == ("done", 200, 5)

        asked = Counter(number_of(ask.text) for ask in server.asks)
        wanted = {number: 2 if fault_of(number) else 1 for number in range(1, 201)} | {37: 5}
        assert asked == wanted
        assert len(server.probes) == 1
        assert summary.calls == sum(wanted.values()) + 1

        # One record of each call, one verdict of each row, the call always before what was read from it.
        order = [
            ("call", one.call.key) if one.call else ("verdict", one.verdict.trace)
            for one in told
            if one.call or one.verdict
        ]
        assert len(order) == len(set(order)) == 200 + 200 + 1
        place = {entry: position for position, entry in enumerate(order)}
        for trace, one in verdicts(project, run).items():
            assert place["call", one.candidates[0].call] < place["verdict", trace]
        assert list(run.entries()) == told, "watchers heard what is on disk, in its order"

        assert summary.document()["no_verdict"] == {
            "refused": 1,
            "truncated": 1,
            "connection": 1,
            "empty": 1,
            "bad-request": 1,
        }
        assert summary.usage.input_tokens == 1000 * (200 - 2 + 1)
        assert summary.cost_usd is not None
        assert summary.cost_usd > 199 * (1000 * 0.10 + 100 * 0.50) / 1e6, "unanswered attempts count as well"
        assert any(wait.until for wait in waits_of(run))

        before = len(server.asks)
        again = await carry_out(project, run, clock=FakeClock())
        assert {number_of(ask.text) for ask in server.asks[before:]} == {37}
        assert (again.state, again.done) == ("done", 200)


async def test_a_key_that_dies_in_the_middle_stops_the_run_and_keeps_all(tmp_path: Path) -> None:
    def dying(ask: Ask) -> Reply:
        return verdict("pass") if len(server.asks) <= 20 else error(401, "authentication_error", "revoked")

    with serving(dying) as server, make_project(tmp_path, 60) as project:
        judge = add_judge(project, backend="anthropic", base_url=server.url, structured="native")
        run = add_run(project, judge, concurrency=4)
        outcome = await carry_out(project, run, clock=FakeClock())
        assert outcome.state == "stopped"
        assert "revoked" in outcome.detail
        assert len(server.asks) <= 24, "only calls in flight meet the dead key"
        summary = summarise(project, run)
        assert summary.counts["pass"] == 20
        assert set(summary.no_verdict) == {"auth"}
        assert summary.remaining == 60 - summary.done

        server.script = lambda _ask: verdict("pass")
        before = len(server.asks)
        assert (await carry_out(project, run, clock=FakeClock())).state == "done"
        assert len(server.asks) - before == 40


async def test_when_all_are_to_wait_an_hour_the_run_stops_and_says_until_when(tmp_path: Path) -> None:
    with (
        serving(lambda _ask: error(429, "rate_limit_error", retry_after="3600")) as server,
        make_project(tmp_path, 30) as project,
    ):
        judge = add_judge(project, backend="anthropic", base_url=server.url, structured="native")
        run = add_run(project, judge, concurrency=4)
        outcome = await carry_out(project, run, clock=FakeClock())
        assert outcome.state == "stopped"
        assert "2026-12-01T13:00" in outcome.detail
        assert len(server.asks) <= 4
        assert set(words(project, run).values()) == {"(rate-limited)"}


async def test_one_row_that_is_to_wait_an_hour_does_not_stop_the_others(tmp_path: Path) -> None:
    def one_waits(ask: Ask) -> Reply:
        if number_of(ask.text) == 3:
            return error(429, "rate_limit_error", retry_after="3600")
        return verdict("pass")

    with serving(one_waits) as server, make_project(tmp_path, 12) as project:
        judge = add_judge(project, backend="anthropic", base_url=server.url, structured="native")
        run = add_run(project, judge, concurrency=2)
        outcome = await carry_out(project, run, clock=FakeClock())
        assert outcome.state == "done"
        assert Counter(words(project, run).values()) == {"pass": 11, "(rate-limited)": 1}
        assert "2026-12-01T13:00" in verdicts(project, run)["t3"].detail


async def test_a_service_that_is_down_stops_the_run_instead_of_burning_through_the_rows(
    tmp_path: Path,
) -> None:
    with serving(lambda _ask: Reply(drop=True)) as server, make_project(tmp_path, 100) as project:
        judge = add_judge(project, backend="anthropic", base_url=server.url, structured="native")
        run = add_run(project, judge, concurrency=4)
        outcome = await carry_out(project, run, clock=FakeClock(), policy=attempts(2, outage_after=6))
        assert outcome.state == "stopped"
        assert "calls in a row" in outcome.detail
        assert len(server.asks) <= 2 * (6 + 4)


async def test_a_server_that_ignores_schemas_is_found_out_once_and_read_leniently(tmp_path: Path) -> None:
    with (
        serving(lambda _ask: message("It fits.\n\nVerdict: pass")) as server,
        make_project(tmp_path, 5) as project,
    ):
        server.native = False
        judge = add_judge(project, backend="anthropic", base_url=server.url)
        run = add_run(project, judge)
        await carry_out(project, run, clock=FakeClock())
        assert len(server.probes) == 1
        assert all("output_config" not in ask.body for ask in server.asks)
        assert set(words(project, run).values()) == {"pass"}
        assert any("does not honour a schema" in wait.text for wait in waits_of(run))
        # A later run of the same judge version knows the probe's answer already.
        await carry_out(project, add_run(project, judge, repeat=2), clock=FakeClock())
        assert len(server.probes) == 1
        assert len(server.asks) == 10


async def test_pairs_are_judged_in_both_orders_and_named_by_their_own_names(tmp_path: Path) -> None:
    rows = [pair(number) for number in range(1, 5)]
    with (
        serving(lambda _ask: verdict("A")) as server,
        make_project(tmp_path, rows, kind=JudgeKind.PAIRWISE) as project,
    ):
        judge = add_judge(project, backend="anthropic", base_url=server.url, structured="native")
        run = add_run(project, judge, swap=True)
        await carry_out(project, run, clock=FakeClock())
        found = {(key[0], key[1]): one.verdict for key, one in project.runs.verdicts(run).items()}
        assert found == {
            (f"p{number}", order): word
            for number in range(1, 5)
            for order, word in (("AB", "A"), ("BA", "B"))
        }
        document = summarise(project, run).document()
        assert (document["A"], document["B"], document["tie"], document["unknown"]) == (4, 4, 0, 0)
        assert len(server.asks) == 8


async def test_a_budget_is_not_overrun_by_more_than_the_calls_in_flight(tmp_path: Path) -> None:
    one_call = (1000 * 0.10 + 100 * 0.50) / 1e6
    with serving(lambda _ask: verdict("pass")) as server, make_project(tmp_path, 60) as project:
        judge = add_judge(project, backend="anthropic", base_url=server.url, structured="native")
        run = add_run(project, judge, concurrency=4, budget_usd=20 * one_call)
        outcome = await carry_out(project, run, clock=FakeClock())
        assert outcome.state == "stopped"
        assert "budget" in outcome.detail
        assert 16 <= len(server.asks) <= 24
        summary = summarise(project, run)
        assert summary.cost_usd is not None
        assert summary.cost_usd <= 24 * one_call
        # The same run again has spent its money already.
        before = len(server.asks)
        assert (await carry_out(project, run, clock=FakeClock())).state == "stopped"
        assert len(server.asks) - before <= 4


async def test_a_budget_for_a_model_without_a_price_does_not_begin(tmp_path: Path) -> None:
    with serving(lambda _ask: verdict("pass")) as server, make_project(tmp_path, 3) as project:
        judge = add_judge(project, backend="anthropic", base_url=server.url, model="nobody-knows-me")
        with pytest.raises(BadInput, match="budget"):
            add_run(project, judge, budget_usd=1.0)
        run = add_run(project, judge)
        await carry_out(project, run, clock=FakeClock())
        summary = summarise(project, run)
        assert summary.cost_usd is None
        assert summary.usage.input_tokens > 0


async def test_the_default_policy_comes_back_from_a_burst_of_429(tmp_path: Path) -> None:
    def burst(ask: Ask) -> Reply:
        return (
            error(429, "rate_limit_error", retry_after="3")
            if 10 < len(server.asks) <= 20
            else verdict("pass")
        )

    with serving(burst) as server, make_project(tmp_path, 40) as project:
        judge = add_judge(project, backend="anthropic", base_url=server.url, structured="native")
        run, clock = add_run(project, judge, concurrency=8), FakeClock()
        outcome = await carry_out(project, run, clock=clock, policy=RunPolicy(poll=0.01))
        assert (outcome.state, outcome.without_verdict) == ("done", 0)
        assert clock.time >= 3.0
        holds = [wait for wait in waits_of(run) if "all calls wait" in wait.text]
        cuts = [wait for wait in waits_of(run) if "calls at once" in wait.text]
        assert holds
        assert len(cuts) <= 2, "a burst counts once"
        assert states_of(run) == ["running", "done"]
        assert len(calls_of(run)) == 40
