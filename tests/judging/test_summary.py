"""A run's summary: the contract's keys, and figures that come from its log alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_kit import USAGE, FakeClock, add_judge, add_run, carry, make_project, pair, says

from judging.calls import Answer, Failure
from judging.summary import summarise
from store.records import JudgeKind, Order, Reason, Usage, Verdict
from store.runrecords import CallRecord, RunState, StateChange, Waiting
from store.runs import Entry, RunWriter

KEYS = {
    "run", "judge", "asked", "pass", "fail", "unknown", "no_verdict", "calls", "usage", "cost_usd", "seconds",
    "reused",
}  # fmt: skip


async def test_the_contracts_keys_are_there_and_add_up(tmp_path: Path) -> None:
    replies = {1: says("pass"), 2: says("fail"), 3: says("unknown"), 4: Answer("?", "end_turn", USAGE)}
    replies[5] = Answer("", "refusal", USAGE)
    with make_project(tmp_path, 6) as project:
        run = add_run(project, add_judge(project), concurrency=1)
        script = lambda call: replies.get(_number(call), Failure(Reason.BAD_REQUEST, "no"))  # noqa: E731
        await carry(project, run, script, clock=FakeClock())
        summary = summarise(project, run)
    document = summary.document()
    assert document.keys() >= KEYS
    assert (document["asked"], document["pass"], document["fail"], document["unknown"]) == (6, 1, 1, 1)
    assert document["no_verdict"] == {"unparsed": 1, "refused": 1, "bad-request": 1}
    assert summary.done + summary.remaining == summary.asked == 6
    assert summary.without_verdict == 3
    assert document["calls"] == 6
    assert document["usage"] == {
        "input_tokens": 5000,
        "output_tokens": 500,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }
    assert document["cost_usd"] == pytest.approx(5 * 1.5e-4)
    assert json.loads(json.dumps(document)) == document
    assert "1 pass, 1 fail, 1 unknown" in "\n".join(summary.lines())


def _number(call) -> int:
    from run_kit import number_asked

    return number_asked(call)


def test_pairs_count_by_the_answers_names_in_both_orders(tmp_path: Path) -> None:
    with make_project(tmp_path, [pair(1), pair(2)], kind=JudgeKind.PAIRWISE) as project:
        run = add_run(project, add_judge(project), swap=True)
        writer = RunWriter(run)
        for trace, order, word in (("p1", "AB", "A"), ("p1", "BA", "B"), ("p2", "AB", "tie")):
            writer.append(Entry(verdict=Verdict(trace, word, order=Order(order))))
        writer.close()
        document = summarise(project, run).document()
    assert (document["A"], document["B"], document["tie"], document["unknown"]) == (1, 1, 1, 0)
    assert (document["asked"], document["remaining"]) == (4, 1)
    assert "pass" not in document


def at(second: float) -> str:
    return f"2026-12-01T12:00:{second:06.3f}+00:00"


def test_seconds_are_those_at_work_over_all_processes(tmp_path: Path) -> None:
    log = [
        Entry(state=StateChange(RunState.RUNNING, "", at(0))),
        Entry(state=StateChange(RunState.PAUSED, "", at(2))),
        Entry(state=StateChange(RunState.RUNNING, "", at(10))),
        # Killed here: its last sign of life counts.
        Entry(waiting=Waiting("a retry", at=at(11.5))),
        Entry(state=StateChange(RunState.RUNNING, "", at(30))),
        Entry(state=StateChange(RunState.DONE, "", at(34.25))),
    ]
    with make_project(tmp_path, 1) as project:
        run = add_run(project, add_judge(project))
        writer = RunWriter(run)
        writer.append(*log)
        writer.close()
        assert summarise(project, run).seconds == 2 + 1.5 + 4.25


def test_the_newest_record_of_a_row_counts_and_every_call_was_made(tmp_path: Path) -> None:
    used = Usage(10, 1)
    log = [
        Entry(call=CallRecord("k#0", "", None, cost_usd=0.0, attempts=3, reason=Reason.OVERLOADED)),
        Entry(verdict=Verdict("t1", None, reason=Reason.OVERLOADED)),
        Entry(call=CallRecord("k#0", "x", "end_turn", used, 0.25)),
        Entry(verdict=Verdict("t1", "pass")),
    ]
    with make_project(tmp_path, 1) as project:
        run = add_run(project, add_judge(project))
        writer = RunWriter(run)
        writer.append(*log)
        writer.close()
        summary = summarise(project, run)
    assert (summary.counts["pass"], summary.no_verdict, summary.calls) == (1, {}, 4)
    assert (summary.cost_usd, summary.usage) == (0.25, used)


def test_one_unknown_price_makes_the_sum_unknown(tmp_path: Path) -> None:
    log = [
        Entry(call=CallRecord("k#0", "x", "end_turn", Usage(10, 1), None)),
        Entry(call=CallRecord("k#1", "x", "end_turn", Usage(10, 1), 0.5)),
    ]
    with make_project(tmp_path, 1) as project:
        run = add_run(project, add_judge(project))
        writer = RunWriter(run)
        writer.append(*log)
        writer.close()
        summary = summarise(project, run)
    assert summary.cost_usd is None
    assert "cost unknown" in "\n".join(summary.lines())
