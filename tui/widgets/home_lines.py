"""The lines of Home: what they say, from facts that were worked out elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from textual.content import Content
from textual.geometry import Size

from judging.statistics.values import Estimate
from store.records import JudgeKind, PileName
from store.runrecords import RunState
from tui.figures import per_cent, rate_words, reach
from tui.runwords import STATES, spent
from tui.session.metrics import BinaryView, NothingView, SwapView
from tui.session.overview import CriterionLine, JudgeLine, Overview
from tui.session.running import RunLine
from tui.session.session import Step
from tui.text import one_line, printable
from tui.theme import DRAWING, GLYPHS

_NAME = 20
_RUNS = 4
"""Runs shown; the Runs screen has them all."""
_JUDGES = 4
_WIDE = 90

_STALE = "⚠" if DRAWING.dot == "·" else "!"

OPEN_STATES = (RunState.RUNNING, RunState.PAUSED, RunState.PREPARED, RunState.INTERRUPTED)
"""Runs that are not over."""


def rule(title: str, width: int) -> Content:
    """Draw a heading with a line to the edge."""
    shown = one_line(title, max(0, width - 4))
    return Content.assemble(
        (shown, "bold"), " ", (DRAWING.rule * max(0, width - len(shown) - 1), "$foreground-muted")
    )


def next_step(step: Step | None) -> Content:
    """Say what comes next and which key does it."""
    if step is None:
        return Content.styled("next  looking ...", "$foreground-muted")
    key = "  enter" if step.screen or step.command else ""
    return Content.assemble(("next  ", "bold"), printable(step.text), (key, "bold $accent"))


def criterion(name: str, line: CriterionLine | None) -> Content:
    """Draw a criterion with its labels so far and their balance."""
    if line is None:
        return Content(one_line(name, _NAME))
    title = f"{one_line(name, _NAME - 4)} v{line.version}"
    parts: list[Content | tuple[str, str] | str] = [title.ljust(_NAME) + " "]
    if not line.labelled:
        return Content.assemble(
            *parts, (f"no labels on {line.traces:,} rows yet: gl labels", "$foreground-muted")
        )
    parts += balance(line.everybody, line.kind)
    if line.sealed:
        parts.append((f"+{line.sealed} sealed  ", "$foreground-muted"))
    parts.append(f"{line.labelled:,}/{line.traces:,} labelled")
    if line.conflicts:
        parts.append((f"  {line.conflicts} conflicts", "$warning"))
    if line.unsure:
        parts.append((f"  ? {line.unsure} unsure", "$foreground-muted"))
    parts.append((f"  mine {sum(line.mine.values()):,}", "$foreground-muted"))
    return Content.assemble(*parts)


def balance(counts: Mapping[str, int], kind: JudgeKind) -> list[Content | tuple[str, str] | str]:
    """Draw how many labels say what."""
    words = ("A", "B", "tie") if kind is JudgeKind.PAIRWISE else ("pass", "fail")
    return [
        (
            f"{GLYPHS[word].mark} {counts.get(word, 0)}{'' if word in 'AB' else ' ' + word}  ",
            GLYPHS[word].style,
        )
        for word in words
    ]


def rest(
    view: Overview | None, name: str, runs: Sequence[RunLine], notices: Sequence[str], room: Size
) -> list[Content]:
    """Draw what is known of the criterion at hand, the runs, and what the store has to say.

    Args:
        view: What was worked out; None before that.
        name: The criterion at hand; "" when there is none.
        runs: The newest first.
        notices: What the store has to say.
        room: Cells there are; sections stand apart where there are enough rows.
    """
    sections: list[list[Content]] = []
    if notices:
        said = [Content.styled(f"  {printable(notice)}", "$warning") for notice in notices]
        sections.append([rule("the store says", room.width), *said])
    if view is not None and name:
        sections.append([rule("piles", room.width), _piles(view)])
        sections.append([rule(f"judges of {name}", room.width), *_judges(view, name, room.width)])
    if runs:
        shown = sorted(runs, key=lambda line: line.state not in OPEN_STATES)[:_RUNS]
        sections.append([rule("runs", room.width), *map(run, shown)])
    rows = sum(map(len, sections))
    airy = rows + len(sections) <= room.height
    return [line for section in sections for line in ([Content(""), *section] if airy else section)]


def _piles(view: Overview) -> Content:
    if not any(view.piles.values()):
        more = (
            f"not dealt yet: s deals {view.undealt} labelled rows" if view.undealt else "nothing to deal yet"
        )
        return Content.styled(f"  {more}", "$foreground-muted")
    sealed = f"{view.sealed} sealed" if view.sealed else f"{view.piles[PileName.HOLDOUT]} open"
    more = f"   {view.undealt} labelled rows not dealt: s" if view.undealt else ""
    return Content.assemble(
        f"  train {view.piles[PileName.TRAIN]}   dev {view.piles[PileName.DEV]}   hold-out {sealed}",
        (more, "$warning"),
    )


def _judges(view: Overview, name: str, width: int) -> Iterator[Content]:
    if not view.judges:
        yield Content.styled(
            f"  none yet: b makes the offline baseline; adjudge judge new NAME --criterion {printable(name)}",
            "$foreground-muted",
        )
    for line in view.judges[:_JUDGES]:
        yield _judge(line)
        yield _figures(line, width)
    if len(view.judges) > _JUDGES:
        yield Content.styled(f"  and {len(view.judges) - _JUDGES} older ones: gm", "$foreground-muted")


def _judge(line: JudgeLine) -> Content:
    about = one_line(line.about, 30) + (f" {DRAWING.dot} {line.pile}" if line.pile else "")
    parts: list[tuple[str, str] | str] = [f"  {one_line(line.name, 36)}", (f"  {about}", "$foreground-muted")]
    if line.stale:
        parts.append((f"  {_STALE} stale: {printable('; '.join(line.stale))}", "$warning"))
    return Content.assemble(*parts)


def _figures(line: JudgeLine, width: int) -> Content:
    view = line.figures
    if isinstance(view, NothingView):
        first = view.reason.partition("\n")[0]
        return Content.styled(f"    {printable(first)}", "$foreground-muted")
    if isinstance(view, SwapView):
        summary = view.report.summary
        return Content(
            f"    {rate_words('the same in both orders:', view.shares[0].figure, 'pairs')}, "
            f"{summary.no_verdict} without a verdict"
        )
    return _binary(view, width)


def _binary(view: BinaryView, width: int) -> Content:
    strict = view.metrics.figures.strict
    parts: list[tuple[str, str] | str] = ["    "]
    for verb, figure, noun in (("caught", strict.tnr, "fails"), ("kept", strict.tpr, "passes")):
        stands = reach(figure)
        parts.append(rate_words(verb, figure, noun))
        if isinstance(figure, Estimate):
            # On 80 columns the counts say it; the per cent is where there is room.
            share = f" {per_cent(figure.value)} %" if width >= _WIDE else ""
            parts += [f"{share} ", (stands.text, stands.style)]
        parts.append("   ")
    return Content.assemble(*parts)


def run(line: RunLine) -> Content:
    """Draw a run in one line: state, judge, rows, how far, money."""
    look = STATES[line.state]
    return Content.assemble(
        ("  " + look.text.ljust(13), look.style),
        f"{one_line(line.judge, 24)} ",
        (f"{DRAWING.dot} {one_line(line.slice, 22)}  ", "$foreground-muted"),
        f"{line.done:,}/{line.asked:,}  ",
        (spent(line.cost_usd, line.unpriced), "$foreground-muted"),
    )
