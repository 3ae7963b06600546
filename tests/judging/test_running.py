"""The runner with a scripted backend: rows, records, reuse, and judges that make no calls."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from run_kit import (
    MODEL,
    PROMPT,
    USAGE,
    FakeClock,
    add_judge,
    add_run,
    attempts,
    calls_of,
    carry,
    deal,
    make_project,
    number_asked,
    row,
    says,
    states_of,
    times_asked,
    until,
    verdicts,
    waits_of,
    words,
)

from judging.backends import CallBackend, RowBackend
from judging.backends.base import BackendFacts
from judging.backends.scripted import ScriptedBackend
from judging.calls import Answer, Draft, Failure
from judging.running import RunPolicy, carry_out
from judging.summary import summarise
from store.project import Project
from store.records import PileName, Reason, Trace


@pytest.fixture
def project(tmp_path: Path):
    with make_project(tmp_path, 12) as made:
        yield made


# Rows and their records ---------------------------------------------------------------------


async def test_every_row_gets_its_verdict_with_critique_cost_and_where_it_came_from(project: Project) -> None:
    run = add_run(project, add_judge(project))
    outcome, backend = await carry(
        project, run, lambda call: says("pass" if number_asked(call) > 3 else "fail")
    )
    assert (outcome.state, outcome.asked, outcome.done, outcome.without_verdict) == ("done", 12, 12, 0)
    assert Counter(words(project, run).values()) == {"pass": 9, "fail": 3}
    assert times_asked(backend.asked) == dict.fromkeys(range(1, 13), 1)
    one = verdicts(project, run)["t5"]
    assert (one.critique, one.model, one.request_id, one.usage) == (
        "because of the words",
        MODEL,
        "req_1",
        USAGE,
    )
    assert one.cost_usd == pytest.approx((1000 * 0.10 + 100 * 0.50) / 1e6)
    assert one.seconds == 0.5
    assert not one.reused
    assert backend.closed
    record = next(call for call in calls_of(run) if call.key == one.candidates[0].call)
    assert (record.usage, record.cost_usd, record.attempts) == (USAGE, one.cost_usd, 1)
    assert record.price


async def test_rows_are_begun_in_the_order_of_the_plan_repeats_last(project: Project) -> None:
    run = add_run(project, add_judge(project), ids=["t3", "t1"], repeat=2, concurrency=1)
    outcome, backend = await carry(project, run, lambda _call: says("pass"))
    assert [(number_asked(call), call.sample) for call in backend.asked] == [(3, 0), (1, 0), (3, 1), (1, 1)]
    assert sorted(key[2] for key in project.runs.verdicts(run)) == [0, 0, 1, 1]
    assert outcome.asked == 4


async def test_an_ensemble_asks_for_its_samples_and_its_critic(project: Project) -> None:
    run = add_run(project, add_judge(project, n=3, reducer="critique"), ids=["t1"])

    def script(call):
        critic = "opinion" in call.request.messages[-1].content
        return says("fail", "they are all wrong") if critic else says("pass")

    _, backend = await carry(project, run, script)
    one = verdicts(project, run)["t1"]
    assert (one.verdict, one.critique) == ("fail", "they are all wrong")
    assert [candidate.role for candidate in one.candidates] == ["candidate"] * 3 + ["critic"]
    assert len(backend.asked) == len(calls_of(run)) == 4
    assert one.usage.input_tokens == 4000
    assert one.seconds == 1.0, "two rounds of half a second, whatever their width"


async def test_a_fault_of_one_row_is_that_rows_reason(project: Project) -> None:
    def script(call):
        if number_asked(call) == 2:
            raise KeyError("a slip in a backend")
        return says("pass")

    run = add_run(project, add_judge(project))
    outcome, _ = await carry(project, run, script)
    assert outcome.state == "done"
    assert verdicts(project, run)["t2"].reason is Reason.ERROR
    assert "KeyError" in verdicts(project, run)["t2"].detail
    assert Counter(words(project, run).values()) == {"pass": 11, "(error)": 1}


async def test_watchers_hear_of_an_entry_only_when_it_is_on_disk(project: Project) -> None:
    run = add_run(project, add_judge(project))
    on_disk_when_told = []

    def told(entry):
        on_disk_when_told.append(entry in list(run.entries()))

    await carry(project, run, lambda _call: says("pass"), on_event=told)
    assert all(on_disk_when_told)
    assert len(on_disk_when_told) == 12 + 12 + 2


# Reuse ---------------------------------------------------------------------


async def test_an_answer_of_an_earlier_run_is_reused_and_marked_so(project: Project) -> None:
    judge = add_judge(project)
    first = add_run(project, judge, ids=["t1", "t2"])
    await carry(project, first, lambda _call: says("fail"))
    second = add_run(project, judge, ids=["t1", "t2", "t3"])
    _, backend = await carry(project, second, lambda _call: says("pass"))
    assert [number_asked(call) for call in backend.asked] == [3]
    assert words(project, second) == {"t1": "fail", "t2": "fail", "t3": "pass"}
    assert [verdicts(project, second)[f"t{n}"].reused for n in (1, 2, 3)] == [True, True, False]
    summary = summarise(project, second)
    assert (summary.reused, summary.calls, summary.usage) == (2, 1, USAGE)
    assert summary.cost_usd == pytest.approx(1.5e-4), "the run's bill is what the run paid"


async def test_another_judges_answers_are_not_reused(project: Project) -> None:
    first = add_run(project, add_judge(project), ids=["t1"])
    await carry(project, first, lambda _call: says("fail"))
    other = add_run(project, add_judge(project, note="of another version"), ids=["t1"])
    _, backend = await carry(project, other, lambda _call: says("pass"))
    assert len(backend.asked) == 1
    assert words(project, other) == {"t1": "pass"}


async def test_two_rows_with_the_same_text_share_one_call(tmp_path: Path) -> None:
    twins = [
        Trace("a", "q", "this is answer number 1 of them"),
        Trace("b", "q", "this is answer number 1 of them"),
    ]
    with make_project(tmp_path, twins) as project:
        run = add_run(project, add_judge(project))

        async def takes_a_while(_call):
            await asyncio.sleep(0.005)
            return says("pass")

        _, backend = await carry(project, run, takes_a_while)
        assert len(backend.asked) == len(calls_of(run)) == 1
        assert words(project, run) == {"a": "pass", "b": "pass"}
        assert sorted(one.reused for one in verdicts(project, run).values()) == [False, True]


async def test_a_failed_call_is_asked_again_by_a_resume_and_an_unreadable_answer_is_not(
    project: Project,
) -> None:
    script = {
        1: Failure(Reason.SERVER_ERROR, "down"),
        2: Answer("hm", "end_turn"),
        3: Failure(Reason.BAD_REQUEST, "no"),
    }
    run = add_run(project, add_judge(project), ids=["t1", "t2", "t3", "t4"])
    await carry(project, run, lambda call: script.get(number_asked(call), says("pass")), policy=attempts(1))
    assert words(project, run) == {
        "t1": "(server-error)",
        "t2": "(unparsed)",
        "t3": "(bad-request)",
        "t4": "pass",
    }
    outcome, backend = await carry(project, run, lambda _call: says("fail"))
    assert [number_asked(call) for call in backend.asked] == [1]
    assert words(project, run)["t1"] == "fail"
    assert (outcome.done, outcome.without_verdict) == (4, 2)


async def test_a_vote_that_lost_candidates_to_an_outage_is_finished_by_a_resume(project: Project) -> None:
    run = add_run(project, add_judge(project, n=3), ids=["t1"])

    def flaky(call):
        return says("pass") if call.sample == 0 else Failure(Reason.SERVER_ERROR, "down")

    await carry(project, run, flaky, policy=attempts(1))
    assert words(project, run) == {"t1": "(undecided)"}
    _, backend = await carry(project, run, lambda _call: says("fail"))
    assert [call.sample for call in backend.asked] == [1, 2], "the first answer was paid for"
    assert words(project, run) == {"t1": "fail"}
    assert not verdicts(project, run)["t1"].reused, "two of its three answers were new"


async def test_a_finished_run_has_nothing_left_and_asks_nothing(project: Project) -> None:
    run = add_run(project, add_judge(project))
    await carry(project, run, lambda _call: says("pass"))
    outcome, backend = await carry(project, run, lambda _call: says("fail"))
    assert (outcome.state, outcome.done, len(backend.asked)) == ("done", 12, 0)
    assert states_of(run) == ["running", "done"]


# Judges that make no calls ---------------------------------------------------------------------


class Lengths:
    """Passes what is long."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def facts(self) -> BackendFacts:
        return BackendFacts("lengths")

    def judge(self, trace, order) -> Draft:
        self.seen.append(trace.id)
        if trace.id == "t7":
            raise ValueError("cannot judge this one")
        return Draft("pass" if len(trace.id) > 2 else "fail", "by its length")


async def test_a_direct_judge_runs_the_same_way_for_nothing(project: Project) -> None:
    backend = Lengths()
    assert isinstance(backend, RowBackend)
    assert not isinstance(backend, CallBackend)
    run = add_run(project, add_judge(project, backend="scripted"))
    outcome = await carry_out(project, run, backend=backend, clock=FakeClock(), policy=PROMPT)
    assert outcome.state == "done"
    assert Counter(words(project, run).values()) == {"pass": 3, "fail": 8, "(error)": 1}
    assert verdicts(project, run)["t7"].detail == "cannot judge this one"
    summary = summarise(project, run)
    assert (summary.calls, summary.cost_usd, summary.counts["pass"]) == (0, 0.0, 3)
    assert backend.seen == [f"t{number}" for number in range(1, 13)]


async def test_a_direct_judge_can_be_paused_and_cancelled_between_rows(project: Project) -> None:
    class Pausing(Lengths):
        def judge(self, trace, order) -> Draft:
            if len(self.seen) == 3:
                run.ask("pause")
            return super().judge(trace, order)

    backend = Pausing()
    run = add_run(project, add_judge(project, backend="scripted"), repeat=200)
    work = asyncio.create_task(
        carry_out(project, run, backend=backend, clock=FakeClock(), policy=RunPolicy(poll=0.0))
    )
    await until(lambda: "paused" in states_of(run))
    seen = len(backend.seen)
    await asyncio.sleep(0.02)
    assert len(backend.seen) <= seen + 1
    run.ask("cancel")
    outcome = await work
    assert outcome.state == "cancelled"
    assert outcome.done == len(backend.seen) < 2400


async def test_a_probe_is_asked_once_recorded_and_learned_from(project: Project) -> None:
    from judging.backends.anthropic_requests import probe_call

    probe = probe_call(MODEL)
    judge = add_judge(project)
    run = add_run(project, judge, ids=["t1"])
    yes = Answer('{"ok": true}', "end_turn", USAGE)
    backend = ScriptedBackend(lambda call: yes if call.key == probe.key else says("pass"), probe=probe)
    await carry(project, run, backend)
    assert backend.learned == yes
    assert backend.asked[0].key == probe.key
    assert calls_of(run)[0].key == probe.key
    again = ScriptedBackend(lambda _call: says("pass"), probe=probe)
    await carry(project, add_run(project, judge, ids=["t2"]), again)
    assert isinstance(again.learned, Answer)
    assert again.learned.text == yes.text
    assert len(again.asked) == 1, "the probe was paid for in the first run"


async def test_what_a_backend_has_to_say_is_in_the_log(project: Project) -> None:
    backend = ScriptedBackend(lambda _call: says("pass"), takes_temperature=False)
    backend.notices.append("this model ends in January")
    run = add_run(project, add_judge(project, temperature=0.4), ids=["t1"])
    await carry(project, run, backend)
    assert [wait.text for wait in waits_of(run)] == ["this model ends in January"]
    began = next(entry.state for entry in run.entries() if entry.state is not None)
    assert "takes none, so 0.4 is not sent" in began.detail


async def test_labels_and_names_never_reach_a_prompt(project: Project) -> None:
    deal(project, [("t1", "fail")], PileName.DEV)
    run = add_run(project, add_judge(project), pile=PileName.DEV)
    _, backend = await carry(project, run, lambda _call: says("pass"))
    sent = backend.asked[0].request
    whole = sent.system + sent.messages[0].content
    assert "ann" not in whole.split()
    assert MODEL not in whole
    assert row(1).output in whole
