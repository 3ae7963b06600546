"""A run is followed by its files alone: what was written shows, whoever wrote it, in short slices."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import lesson
import live
import pytest

from judging.statistics.counts import Counts
from store.appendlog import AppendLog
from store.errors import BadInput
from store.identity import canonical_json
from store.lines import lock_path
from store.project import Project
from store.records import Order, Piled, PileName, Reason
from store.runrecords import RunState
from store.runs import LOG_NAME, RunFolder
from tui.session.rundesk import RunDesk
from tui.session.running import RunWatch

TRACES = tuple(f"t-{n:03}" for n in range(48))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with lesson.bakery(tmp_path, verdicts=False) as project:
        yield project


@pytest.fixture
def run(project: Project) -> RunFolder:
    return live.planned(project, live.live_judge(project, "allergen"), TRACES)


def watching(run: RunFolder, seconds: float = 60.0) -> RunWatch:
    watch = RunWatch(run, now=lambda: live.at(seconds))
    watch.poll(60)
    return watch


def test_what_a_process_writes_shows_at_the_next_look(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        watch = watching(run)
        assert (watch.state, watch.progress.done) == (RunState.RUNNING, 0)
        writer.append(live.said("t-000", "pass"), live.said("t-001", None))
        assert watch.poll()
        assert watch.progress.done == 2
        assert watch.progress.words == {"pass": 1}
        assert watch.progress.no_verdict == {Reason.REFUSED: 1}
        assert not watch.poll()


def test_a_row_asked_again_counts_once_and_by_its_newest_verdict(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.said("t-000", None), live.said("t-000", "fail"))
        watch = watching(run)
    assert watch.progress.done == 1
    assert watch.progress.words == {"fail": 1}
    assert not watch.progress.no_verdict


def test_a_class_named_like_a_reason_is_a_verdict(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.said("t-000", "refused"), live.said("t-001", None))
        watch = watching(run)
    assert watch.progress.words == {"refused": 1}
    assert watch.progress.no_verdict == {Reason.REFUSED: 1}


def test_tokens_money_and_retries_are_added_up(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.call(1, usd=0.25), live.call(2, usd=0.5, attempts=3))
        progress = watching(run).progress
    assert progress.cost_usd == 0.75
    assert (progress.attempts, progress.retries, progress.unpriced) == (4, 2, 0)
    assert (progress.usage.input_tokens, progress.usage.cache_read_input_tokens) == (1800, 6000)


def test_a_call_without_a_price_makes_the_sum_a_lower_bound(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.call(1, usd=None))
        line = watching(run).line()
    assert (line.cost_usd, line.unpriced) == (0.0, 1)


def test_the_pace_leaves_pauses_out(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(
            *(live.said(trace, "pass") for trace in TRACES[:12]),
            live.entered(RunState.PAUSED, 30),
            live.entered(RunState.RUNNING, 630),
        )
        pace = watching(run, 660).pace
    assert pace.seconds == pytest.approx(60)
    assert pace.per_minute == pytest.approx(12)
    assert pace.left == pytest.approx(180)


def test_rows_that_were_paid_for_before_do_not_make_the_pace_look_better(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(*(live.said(trace, "pass", reused=True) for trace in TRACES[:30]))
        assert watching(run, 60).pace.per_minute is None
        writer.append(*(live.said(trace, "pass") for trace in TRACES[30:36]))
        assert watching(run, 60).pace.left == pytest.approx(120)


def test_a_wait_is_told_until_it_is_over(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.waits(10, until=40))
        assert watching(run, 25).wait_left == pytest.approx(15)
        assert watching(run, 41).wait_left is None
        assert watching(run, 25).progress.waits == {Reason.RATE_LIMITED: 1}


def test_a_run_whose_process_is_gone_is_interrupted(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.said("t-000", "pass"), live.call(20))
        watch = watching(run, 900)
        assert watch.state is RunState.RUNNING
    watch.poll()
    assert watch.state is RunState.INTERRUPTED
    assert watch.pace.left is None
    assert watch.pace.seconds == pytest.approx(20)


def test_the_matrix_counts_labelled_rows_and_no_sealed_one(project: Project, run: RunFolder) -> None:
    project.piles.deal([Piled("t-000", "allergen", PileName.HOLDOUT, "g", 0)])
    desk = RunDesk(project)
    with live.at_work(run) as writer:
        writer.append(
            live.said("t-000", "pass"),
            live.said("t-001", "pass"),
            live.said("t-002", "fail"),
            live.said("t-046", "pass"),
            live.said("t-047", None),
            live.said("t-001", "fail", sample=1),
        )
        watch = desk.watch(run.id)
        watch.poll(60)
        assert desk.matrix(watch) == Counts(tp=1, fn=1, fp=1, no_verdict_fail=1)


def test_pairs_have_no_matrix(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path) as project:
        desk = RunDesk(project)
        desk.poll(60)
        desk.watch_newest()
        assert desk.watched is not None
        desk.watched.poll(60)
        assert desk.matrix(desk.watched) is None
        assert desk.watched.progress.done == 20
        assert desk.watched.plan.orders == (Order.AB, Order.BA)


def test_a_long_log_is_read_in_slices(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(*(live.said("t-000", "pass", sample=n) for n in range(1000)))
    ticks = itertools.count()
    watch = RunWatch(run, clock=lambda: float(next(ticks)), now=lambda: live.at(60))
    seen = []
    while watch.is_behind:
        watch.poll(100)
        seen.append(watch.progress.done)
    assert len(seen) > 5
    assert max(b - a for a, b in itertools.pairwise([0, *seen])) <= 101
    assert seen[-1] == 1000


def test_a_log_that_begins_again_is_counted_from_its_start(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.said("t-000", "pass"), live.said("t-001", "pass"))
    watch = watching(run)
    assert watch.progress.done == 2
    other = run.folder / "other.jsonl"
    log = AppendLog(other)
    with log.exclusive():
        log.append([canonical_json(live.said("t-005", "fail"))])
    log.close()
    os.replace(other, run.folder / LOG_NAME)
    lock_path(run.folder / LOG_NAME).unlink()
    watch.poll(60)
    assert watch.problem == ""
    assert watch.progress.words == {"fail": 1}


def test_a_damaged_log_is_said_and_nothing_raised(run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.said("t-000", "pass"))
    watch = watching(run)
    with open(run.folder / LOG_NAME, "ab") as file:
        file.write(b'{"crc":"00000000","data":{}}\n')
    watch.poll()
    assert "checksum" in watch.problem
    assert watch.progress.done == 1


# The desk --------------------------------------------------------------------------------------------


def test_the_next_start_of_the_app_finds_a_run_at_work(project: Project, run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.said("t-000", "pass"))
        desk = RunDesk(project)
        desk.poll(60)
        assert [line.id for line in desk.open_runs()] == [run.id]
        writer.append(live.said("t-001", "pass"))
        desk.poll(60)
        assert desk.lines[0].done == 2
    desk.poll(60)
    assert desk.lines[0].state is RunState.INTERRUPTED


def test_runs_are_listed_newest_first(project: Project) -> None:
    judge = live.live_judge(project, "allergen")
    for name in ("r20260101-a", "r20260301-a", "r20260201-a"):
        live.planned(project, judge, TRACES, run=name)
    desk = RunDesk(project)
    desk.poll(60)
    assert [line.id for line in desk.lines] == ["r20260301-a", "r20260201-a", "r20260101-a"]


def test_a_run_that_cannot_be_read_does_not_hide_the_others(project: Project, run: RunFolder) -> None:
    broken = live.planned(project, live.live_judge(project, "allergen"), TRACES, run="r20260401-broken")
    (broken.folder / "plan.json").write_bytes(b"{")
    desk = RunDesk(project)
    desk.poll(60)
    assert [(line.id, line.is_readable) for line in desk.lines] == [(broken.id, False), (run.id, True)]
    desk.watch_newest()
    assert desk.watched is not None
    assert desk.watched.plan.id == run.id


def test_a_started_process_is_starting_until_it_begins(project: Project, run: RunFolder) -> None:
    started: list[str] = []

    def start(_: Project, name: str) -> int:
        started.append(name)
        return 1

    desk = RunDesk(project, start=start)
    desk.poll(60)
    desk.launch(run.id)
    assert started == [run.id]
    assert desk.starting(run.id)
    with live.at_work(run):
        desk.poll(60)
        assert not desk.starting(run.id)
        assert desk.why_not_begun(run.id) == ""
        with pytest.raises(BadInput, match="at work already"):
            desk.launch(run.id)


def test_a_process_that_ends_before_it_begins_says_why(project: Project, run: RunFolder) -> None:
    def start(_: Project, __: str) -> int:
        (run.folder / "process.log").write_text("adjudge: the train pile holds too few labels\n")
        return 1

    desk = RunDesk(project, start=start)
    desk.poll(60)
    assert desk.why_not_begun(run.id) == ""
    desk.launch(run.id)
    desk.poll(60)
    assert not desk.starting(run.id)
    assert desk.why_not_begun(run.id) == "the train pile holds too few labels"


def test_a_word_reaches_only_a_process_at_work(project: Project, run: RunFolder) -> None:
    desk = RunDesk(project)
    with pytest.raises(BadInput, match="not at work"):
        desk.ask(run.id, "pause")
    with live.at_work(run):
        desk.ask(run.id, "pause")
        assert run.asked_for() == "pause"
