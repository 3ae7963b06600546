"""The RUN cases, over real HTTP and through the real SDK: every row ends in a verdict or a named reason."""

from __future__ import annotations

import json
from pathlib import Path

from messages_server import Ask, MessagesServer, Reply, Script, error, in_turn, recorded, serving, verdict
from run_kit import (
    FakeClock,
    add_judge,
    add_run,
    attempts,
    calls_of,
    make_project,
    number_of,
    states_of,
    verdicts,
    waits_of,
    words,
)

from judging.running import carry_out
from judging.summary import summarise
from store.project import Project
from store.records import Criterion, Trace
from store.runs import RunFolder

CASES = Path(__file__).parents[2] / "cases"


def case(name: str) -> dict:
    return json.loads((CASES / f"{name}.json").read_text())


def replies_of(name: str) -> Script:
    return in_turn(recorded(reply) for reply in case(name)["replies"])


def run_over(project: Project, server: MessagesServer, **params) -> RunFolder:
    """Create a run, one call at a time, of a live judge that asks the server."""
    judge = add_judge(project, backend="anthropic", base_url=server.url, structured="native", **params)
    return add_run(project, judge, concurrency=1)


async def test_a_refusal_is_its_own_outcome_and_is_not_paid_for_again(tmp_path: Path) -> None:
    with serving(replies_of("RUN-01")) as server, make_project(tmp_path, 3) as project:
        run = run_over(project, server)
        outcome = await carry_out(project, run, clock=FakeClock())
        assert words(project, run) == {"t1": "(refused)", "t2": "(refused)", "t3": "pass"}
        assert verdicts(project, run)["t1"].detail == "the model refused"
        assert len(server.asks) == 3
        await carry_out(project, run, clock=FakeClock())
        assert len(server.asks) == 3, "a refusal was paid for: it is not asked again by a resume"
    assert (outcome.state, outcome.without_verdict) == ("done", 2)


async def test_the_answer_is_found_by_type_and_thinking_decides_nothing(tmp_path: Path) -> None:
    with serving(replies_of("RUN-02")) as server, make_project(tmp_path, 5) as project:
        run = run_over(project, server)
        await carry_out(project, run, clock=FakeClock())
        found = words(project, run)
    assert found == {"t1": "fail", "t2": "pass", "t3": "(empty)", "t4": "(empty)", "t5": "fail"}


async def test_overload_and_rate_limits_end_in_verdicts_or_say_until_when(tmp_path: Path) -> None:
    with serving(replies_of("RUN-03")) as server, make_project(tmp_path, 4) as project:
        run, clock = run_over(project, server), FakeClock()
        script, asked_at = server.script, []

        def timed(ask: Ask) -> Reply:
            asked_at.append(clock.time)
            return script(ask)

        server.script = timed
        outcome = await carry_out(project, run, clock=clock, policy=attempts(3))
        found = words(project, run)
        assert found == {"t1": "pass", "t2": "fail", "t3": "(overloaded)", "t4": "(rate-limited)"}
        assert len(server.asks) == 9
        assert asked_at[4] - asked_at[3] > 1.999, "the server's 2 s were waited for"
        assert clock.time < 120, "an hour is not waited for"
        told = [wait for wait in waits_of(run) if "3600" not in wait.text and wait.until > "2026-12-01T13:00"]
        assert told, "the wait and its end are in the log"
        assert outcome.state == "stopped"
        assert "2026-12-01T13:00" in outcome.detail

        server.script = lambda _ask: verdict("pass")
        again = await carry_out(project, run, clock=FakeClock())
        assert [number_of(ask.text) for ask in server.asks[9:]] == [3, 4]
        assert again.state == "done"
        assert words(project, run) == {"t1": "pass", "t2": "fail", "t3": "pass", "t4": "pass"}


async def test_an_empty_reply_is_stated_in_words_and_no_blank_block_is_sent(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (CASES / "RUN-04.jsonl").read_text().splitlines()]
    traces = [Trace(one["id"], one["input"], one["output"]) for one in rows]

    with serving(lambda _ask: verdict("fail")) as server, make_project(tmp_path, traces) as project:
        run = run_over(project, server)
        await carry_out(project, run, clock=FakeClock())
        assert words(project, run) == {"e1": "fail", "e2": "fail", "e3": "fail"}
        for ask in server.asks:
            assert ask.text.strip()
            assert str(ask.body["system"]).strip()
        assert "zero characters" in server.asks[0].text
        assert "white space" in server.asks[1].text


async def test_a_400_marks_its_own_trace_only_and_is_not_asked_again(tmp_path: Path) -> None:
    def one_bad(ask):
        if number_of(ask.text) == 2:
            return error(400, "invalid_request_error", "messages: text content blocks must be non-empty")
        return verdict("pass")

    with serving(one_bad) as server, make_project(tmp_path, 3) as project:
        run = run_over(project, server)
        await carry_out(project, run, clock=FakeClock())
        await carry_out(project, run, clock=FakeClock())
        assert words(project, run) == {"t1": "pass", "t2": "(bad-request)", "t3": "pass"}
        assert len(server.asks) == 3
        assert "must be non-empty" in verdicts(project, run)["t2"].detail


async def test_braces_in_rubric_and_trace_reach_the_server_once_and_unchanged(tmp_path: Path) -> None:
    told = case("RUN-05")
    trace = Trace(told["trace"]["id"], told["trace"]["input"], told["trace"]["output"])
    with serving(lambda _ask: verdict("pass")) as server, make_project(tmp_path, [trace]) as project:
        project.criteria.add(Criterion("c", 2, told["prompt"], "anything else"))
        run = run_over(project, server)
        await carry_out(project, run, clock=FakeClock())
        assert words(project, run) == {"f1": "pass"}
        sent = f"{server.asks[0].body['system']}\n{server.asks[0].text}"
    for line in told["prompt"].split("\n"):
        assert sent.count(line) == 1
    assert sent.count(trace.input) == 1
    assert sent.count(trace.output) == 1


async def test_a_big_max_tokens_setting_just_works(tmp_path: Path) -> None:
    settings = case("RUN-07")
    with (
        serving(lambda _ask: verdict("pass")) as server,
        make_project(tmp_path, settings["traces"]) as project,
    ):
        run = run_over(project, server, **settings["settings"])
        await carry_out(project, run, clock=FakeClock())
        assert set(words(project, run).values()) == {"pass"}
        assert [ask.body["max_tokens"] for ask in server.asks] == [64000] * 3


async def test_a_page_or_nothing_with_200_names_the_endpoint_and_is_no_verdict(tmp_path: Path) -> None:
    with serving(replies_of("RUN-08")) as server, make_project(tmp_path, 3) as project:
        run = run_over(project, server)
        await carry_out(project, run, clock=FakeClock(), policy=attempts(1))
        assert words(project, run) == {"t1": "(bad-response)", "t2": "(bad-response)", "t3": "(overloaded)"}
        for one in verdicts(project, run).values():
            assert server.url in one.detail
        assert summarise(project, run).document()["no_verdict"] == {"bad-response": 2, "overloaded": 1}
        assert [call.reason for call in calls_of(run)] == ["bad-response", "bad-response", "overloaded"]
        assert states_of(run) == ["running", "done"]
        server.script = lambda _ask: verdict("fail")
        await carry_out(project, run, clock=FakeClock())
        assert set(words(project, run).values()) == {"fail"}, "a resume asks such rows again"
