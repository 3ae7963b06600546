"""The lines of the Runs screen: a run told in words, from facts that were worked out elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.content import Content

from judging.statistics.counts import Counts
from store.records import Usage
from store.runrecords import RunState
from tui.runwords import STATES, amount, counted, duration, rate, spent
from tui.session.running import RunLine, RunWatch
from tui.session.runprogress import VerdictLine
from tui.text import one_line, printable
from tui.theme import DRAWING, GLYPHS, NO_VERDICT, Glyph, glyph
from tui.widgets.bars import progress_bar

if TYPE_CHECKING:
    from tui.session.starting import Offer

_BAR = 30
_ID = 14


def run_line(line: RunLine, *, is_starting: bool) -> Content:
    """Draw a run in a list: state, judge, rows, how far, money."""
    look = STATES[line.state]
    state = f"{look.mark} starting" if is_starting else look.text
    done = f"{line.done:,}/{line.asked:,}"
    cost = spent(line.cost_usd, line.unpriced)
    return Content.assemble(
        (state.ljust(14), look.style),
        one_line(line.judge, 22).ljust(23),
        done.rjust(11),
        (f"  {cost.ljust(8)}", "$foreground-muted"),
        (f" {one_line(line.criterion, 16)} {DRAWING.dot} {one_line(line.slice, 40)}", "$foreground-muted"),
    )


def heading(watch: RunWatch, *, is_starting: bool) -> Content:
    """Name the watched run and its state."""
    plan, look = watch.plan, STATES[watch.state]
    state = f"{look.mark} starting" if is_starting else look.text
    orders = f" {DRAWING.dot} both orders" if len(plan.orders) > 1 else ""
    return Content.assemble(
        (f"{state}  ", f"bold {look.style}"),
        (one_line(watch.name, 30), "bold"),
        f" on {one_line(plan.criterion, 24)} {DRAWING.dot} {one_line(plan.slice, 60)}{orders}",
        f" {DRAWING.dot} {one_line(watch.about, 40)}" if watch.about else "",
        (f"  {plan.id}", "$foreground-muted"),
    )


def progress(watch: RunWatch, width: int) -> Content:
    """Draw how far the run is, how quickly it goes on and how long it takes."""
    pace, plan, done = watch.pace, watch.plan, watch.progress.done
    parts: list[Content | str] = [
        progress_bar(done, plan.asked, min(_BAR, max(4, width // 3))),
        f"  {done:,}/{plan.asked:,}",
    ]
    if pace.per_minute is not None:
        parts.append(f"  {rate(pace.per_minute)}")
    if pace.left is not None:
        parts.append(f"  {duration(pace.left)} left")
    elif pace.seconds:
        parts.append(f"  {duration(pace.seconds)} at work")
    if watch.is_behind:
        parts.append("  reading ...")
    return Content.assemble(*parts)


def bill(watch: RunWatch) -> Content:
    """Draw tokens, money and retries."""
    progress = watch.progress
    if not progress.attempts and watch.plan.backend in ("baseline", "imported"):
        made = "elsewhere" if watch.plan.backend == "imported" else "on this machine"
        return Content.styled(f"judged {made}: no tokens and nothing to pay", "$foreground-muted")
    parts = [tokens(progress.usage)]
    parts.append(spent(progress.cost_usd, progress.unpriced, watch.plan.budget_usd))
    parts.append(f"{progress.attempts:,} calls")
    if progress.retries:
        parts.append(f"{progress.retries} retries")
    if progress.reused:
        parts.append(f"{progress.reused} reused, not paid again")
    return Content("   ".join(parts))


def tokens(usage: Usage) -> str:
    """Say how many tokens went in and out."""
    cached = usage.cache_read_input_tokens
    sent = usage.input_tokens + cached + usage.cache_creation_input_tokens
    kept = f" (cached {amount(cached)})" if cached else ""
    return f"tokens in {amount(sent)}{kept} out {amount(usage.output_tokens)}"


def troubles(watch: RunWatch) -> Content:
    """Draw what went without a verdict, and what was waited for, by kind."""
    progress = watch.progress
    parts: list[tuple[str, str] | str] = []
    if progress.no_verdict:
        look = GLYPHS[NO_VERDICT]
        parts.append((f"{look.text}: {counted(progress.no_verdict)}   ", "$warning"))
    if progress.waits:
        parts.append(f"waited for: {counted(progress.waits)}")
    if not parts:
        parts.append(("every row so far has a verdict", "$foreground-muted") if progress.done else "")
    return Content.assemble(*parts)


def saying(watch: RunWatch, not_begun: str) -> Content:
    """Draw the one thing a person has to know now: a wait, a problem, why it ended, or the news."""
    left = watch.wait_left
    if watch.problem:
        return Content.styled(printable(watch.problem), "$error")
    if not_begun:
        return Content.styled(f"it did not begin: {printable(not_begun)}", "$error")
    if left is not None and watch.progress.waiting is not None:
        return Content.styled(
            f"waiting {duration(left)} more {DRAWING.dot} {printable(watch.progress.waiting.text)}",
            "$warning",
        )
    if watch.state is RunState.INTERRUPTED:
        return Content.styled("its process is gone; e goes on with it, nothing is paid twice", "$warning")
    if watch.state is RunState.PREPARED:
        return Content.styled("not begun yet: e starts it", "$foreground-muted")
    if watch.progress.detail:
        style = "$error" if watch.state is RunState.STOPPED else "$foreground-muted"
        return Content.styled(printable(watch.progress.detail), style)
    news = watch.progress.news
    if news is None or watch.state not in (RunState.RUNNING, RunState.PAUSED):
        return Content("")
    return Content.styled(printable(news.text), "$foreground-muted")


def verdict_row(line: VerdictLine, width: int) -> Content:
    """Draw one verdict in one line: mark and word, trace, critique, votes, time.

    Args:
        line: The verdict.
        width: Cells there are.
    """
    if line.verdict is None:
        look = GLYPHS[NO_VERDICT]
        said = Content.styled(f"{look.mark} {line.reason} ".ljust(10), "$warning")
    else:
        look = glyph(line.verdict)
        said = Content.styled(_told(look).ljust(10), look.style)
    tail = ":".join(map(str, line.votes))
    if line.seconds is not None:
        tail = f"{tail}  {line.seconds:.1f} s" if tail else f"{line.seconds:.1f} s"
    order = f" {line.order}" if line.order else ""
    start = Content.assemble(said, one_line(line.trace, _ID).ljust(_ID), order, "  ")
    room = width - start.cell_length - (len(tail) + 2 if tail else 0)
    if room < 8:
        return start
    text = one_line(" ".join(line.text.split()), room)
    row = start + Content(text)
    if tail:
        gap = max(1, width - row.cell_length - len(tail))
        row += Content.styled(" " * gap + tail, "$foreground-muted")
    return row


def _told(look: Glyph) -> str:
    """Say a verdict by mark and word; "A better" holds its mark already."""
    return printable(look.word if look.word.startswith(f"{look.mark} ") else look.text)


def matrix(counts: Counts | None, words: Mapping[str, int]) -> Content:
    """Draw person against judge so far; for kinds without pass and fail the words alone."""
    if counts is None:
        looks = {glyph(word): count for word, count in sorted(words.items())}
        said = [Content.styled(f"{_told(look)} {count:,}", look.style) for look, count in looks.items()]
        return Content("\n").join([Content.styled("verdicts so far", "bold"), *said])
    if not counts.total:
        return Content.assemble(
            ("matrix so far", "bold"),
            ("\nno judged row has a label\nto compare with; l labels", "$foreground-muted"),
        )
    ok, bad, none = GLYPHS["pass"].mark, GLYPHS["fail"].mark, GLYPHS[NO_VERDICT].mark
    rows = (
        (f"person {ok}", counts.tp, counts.fn, counts.no_verdict_pass),
        (f"person {bad}", counts.fp, counts.tn, counts.no_verdict_fail),
    )
    lines = [Content.styled("matrix so far", "bold"), Content(f"{'':9}judge {ok} judge {bad}  {none}")]
    for index, (name, passed, failed, silent) in enumerate(rows):
        right = (True, False) if index == 0 else (False, True)
        cells = [
            (f"{number:>7,} ", "$success" if agrees else "bold $error" if number else "$foreground-muted")
            for number, agrees in zip((passed, failed), right, strict=True)
        ]
        lines.append(Content.assemble(name.ljust(9), *cells, f"{silent:>2,}"))
    lines.append(Content.styled(f"{counts.total:,} rows with a label", "$foreground-muted"))
    return Content("\n").join(lines)


def matrix_strip(counts: Counts | None, words: Mapping[str, int]) -> Content:
    """Draw the same in one line, where there is no room beside the verdicts."""
    if counts is None:
        return Content("  ").join(matrix(None, words).split("\n"))
    if not counts.total:
        return Content.styled("matrix so far: no judged row has a label to compare with", "$foreground-muted")
    ok, bad, none = GLYPHS["pass"].mark, GLYPHS["fail"].mark, GLYPHS[NO_VERDICT].mark
    return Content.assemble(
        (f"person {ok} ", "bold"),
        f"judge {ok} {counts.tp:,} ",
        (f"{bad} {counts.fn:,} ", "$error" if counts.fn else ""),
        f"{none} {counts.no_verdict_pass:,}",
        (f"   person {bad} ", "bold"),
        (f"judge {ok} {counts.fp:,} ", "$error" if counts.fp else ""),
        f"{bad} {counts.tn:,} {none} {counts.no_verdict_fail:,}",
        (f"   {counts.total:,} labelled", "$foreground-muted"),
    )


def offer_content(offer: Offer | None) -> Content:
    """Say what a run would do and cost, or why it may not begin.

    Args:
        offer: What the choices come to; None while it is worked out.
    """
    if offer is None:
        return Content.styled("working out the estimate ...", "$foreground-muted")
    if offer.plan is None or offer.estimate is None:
        return Content.styled(f"{GLYPHS['fail'].mark} {printable(offer.problem)}", "$error")
    lines = [Content(printable(line)) for line in offer.estimate.lines()]
    if offer.warning:
        lines.append(Content.styled(printable(offer.warning), "$warning"))
    lines.append(Content.assemble(("enter", "bold $accent"), " starts it; it goes on when you leave the app"))
    return Content("\n").join(lines)
