"""Where a judge and people differ: read each, give it a cause, change the label where the person slipped."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from judging.disagreeing import Difference
from store.causes import STANDARD_CAUSES
from store.errors import StoreError
from store.project import Project
from store.records import Criterion, Decision, JudgeVersion, PileName
from tui.screens.comparing import BREAKPOINTS, ComparingScreen, settle_width
from tui.session.emptiness import why_no_disagreements, why_nothing_compared
from tui.session.reviewing import Compared, Review, pile_words, read_compared
from tui.text import content, one_line
from tui.theme import DRAWING
from tui.widgets.arrow_panes import ArrowList, ArrowText
from tui.widgets.blocks import blocks_of, facts_of
from tui.widgets.cause_bars import CauseBars
from tui.widgets.line_field import LineField
from tui.widgets.lines_list import LinesList
from tui.widgets.one_liner import OneLiner
from tui.widgets.sayings import crossing, decision_words, judge_blocks, judge_line, person_blocks, person_line
from tui.widgets.trace_view import TraceView

_READING = "reading verdicts and labels ..."


class DisagreementsScreen(ComparingScreen[Compared]):
    """Lists disagreements, the most harmful first, beside what person and judge said."""

    NAME = "disagreements"
    AUTO_FOCUS = "#list"
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    DEFAULT_CSS = """
    DisagreementsScreen {
        & #body { height: 1fr; width: 1fr; layout: vertical; }
        & #right, & #sayings, & .box { height: 1fr; width: 1fr; }
        & #judge-box { width: 2fr; }
        & #sayings { background: $surface; }
        & .line { padding: 0 1; }
        & .box ArrowText { padding: 0 1; background: $surface; }
        & #trace { padding: 0 1; }
        & ArrowText:focus > .pane--title { text-style: bold; color: $accent; }
        & #empty { height: 1fr; padding: 1 2; }
        & #said { height: 1; padding: 0 1; color: $foreground-muted; }
        & #note { padding: 0 1; display: none; }
        & #left { layout: horizontal; height: 30%; min-height: 6; width: 1fr; }
        & #causes { width: 31; padding: 0 1; height: 100%; }
        &.-small #left { min-height: 2; }
        &.-small #causes { display: none; }
        &.-wide #body { layout: horizontal; }
        &.-wide #left { layout: vertical; width: 46; height: 1fr; }
        &.-wide #causes { height: 8; padding: 1 1 0 2; width: 1fr; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._review: Review | None = None
        self._noting = ""
        """The trace a note is being typed for."""

    def compose_body(self) -> ComposeResult:
        """Put the list and the causes beside, or above, the trace and what was said of it."""
        settle_width(self)
        yield Static(id="empty")
        with Container(id="body"):
            with Container(id="left"):
                yield ArrowList(id="list")
                yield CauseBars(STANDARD_CAUSES, id="causes")
            with Vertical(id="right"):
                yield ArrowText(id="trace")
                with Horizontal(id="sayings"):
                    for who in ("person", "judge"):
                        with Vertical(id=f"{who}-box", classes="box"):
                            yield OneLiner(id=f"{who}-line", classes="line")
                            yield ArrowText(id=who)
        yield Static(id="said")
        yield LineField(id="note")

    # Reading ------------------------------------------------------------------------------------

    def read(self, project: Project, judge: JudgeVersion, pile: PileName | None) -> Compared:
        """Join labels and verdicts."""
        return read_compared(project, judge, pile)

    def begin(self, criterion: Criterion, judge: JudgeVersion) -> None:
        """Begin with another judge or pile."""
        self._review = Review(self.session.project, criterion, judge, self.session.annotator, pile=self.pile)
        self.show_nothing(_READING)
        self._say("")

    def take(self, result: Compared) -> None:
        """Show what was read."""
        if self._review is not None:
            self._review.take(result)
            self._show()

    def show_nothing(self, reason: str) -> None:
        """Say why the list is empty."""
        self.query_one("#body").display = False
        empty = self.query_one("#empty", Static)
        empty.display = True
        empty.update(content(reason))
        self._draw_top()
        self.applicable_changed()

    # Drawing ------------------------------------------------------------------------------------

    def _show(self) -> None:
        review = self._review
        if review is None or review.compared is None:
            return
        if not review.found:
            joined = review.compared.joined
            silent = sum(row.verdict.verdict in (None, Decision.UNKNOWN) for row in joined.rows)
            reason = why_nothing_compared(review.project, review.judge, joined, review.pile)
            self.show_nothing(reason or why_no_disagreements(joined, silent))
            return
        self.query_one("#empty").display = False
        self.query_one("#body").display = True
        self.query_one("#list", LinesList).set_rows(len(review.found), self._row, cursor=review.position)
        self._show_at_hand()

    def _row(self, index: int) -> Content:
        if self._review is None or index >= len(self._review.found):
            return Content("")
        one = self._review.found[index]
        digit = str(STANDARD_CAUSES.index(one.cause) + 1) if one.cause in STANDARD_CAUSES else " "
        asked = one_line(self._review.trace(index).input, 60)
        return Content.assemble(
            crossing(one.row.label.verdict, one.row.verdict.verdict),
            (f" {digit} ", "bold $accent"),
            (one_line(one.trace, 24), "$foreground-muted"),
            f" {asked}",
        )

    def _show_at_hand(self) -> None:
        review = self._review
        one = review.at_hand if review else None
        if review is None or one is None:
            return
        trace = review.trace(review.position)
        self.query_one("#trace", TraceView).show_blocks((*blocks_of(trace), *facts_of(trace.facts)))
        label, verdict, other = one.row.label, one.row.verdict, review.other_order(one)
        self.query_one("#person-line", OneLiner).say(person_line(label))
        self.query_one("#person", TraceView).show_blocks(person_blocks(label))
        self.query_one("#judge-line", OneLiner).say(judge_line(verdict, other))
        self.query_one("#judge", TraceView).show_blocks(judge_blocks(verdict, other))
        self.query_one(CauseBars).set_counts(dict(review.causes), here=one.cause)
        self._draw_top()
        self.applicable_changed()

    def _draw_top(self) -> None:
        review = self._review
        if review is None:
            self.top("disagreements")
            return
        kinds = review.kinds
        right = pile_words(self.pile)
        if review.compared and review.rows:
            right += f": {len(review.found)} of {review.rows}"
        if kinds.get(Difference.FALSE_PASS) or kinds.get(Difference.FALSE_FAIL):
            right += f"   waved through {kinds.get(Difference.FALSE_PASS, 0)}"
            right += f"   too strict {kinds.get(Difference.FALSE_FAIL, 0)}"
        self.top(self.place(review.criterion, review.judge), right)

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(content(text), layout=False)

    def on_resize(self) -> None:
        """Draw the status at the new width once it is known."""
        self.call_after_refresh(self._draw_top)

    # Keys ---------------------------------------------------------------------------------------

    def command_applies(self, command_id: str) -> bool:
        """Leave out what makes no sense without a disagreement."""
        needs = ("cause", "next", "previous", "relabel", "clear", "note", "read", "undo")
        one = bool(self._review and self._review.found)
        return one or command_id.removeprefix("disagreements.").split("-")[0] not in needs

    def on_lines_list_moved(self, event: LinesList.Moved) -> None:
        """Show the disagreement the cursor is on."""
        if self._review is not None and event.index < len(self._review.found):
            self._review.position = event.index
            self._show_at_hand()

    def on_lines_list_selected(self) -> None:
        """Read on."""
        self.action_read_on()

    def action_read_on(self) -> None:
        """Scroll the trace by a screenful."""
        self.query_one("#trace", TraceView).action_screens(1)

    def action_step(self, by: int) -> None:
        """Go to the next or the previous disagreement."""
        if self._review is not None and not self._review.step(by):
            self._say("that was the last one" if by > 0 else "that was the first one")
        self._show()

    def action_cause(self, digit: int) -> None:
        """Give the cause and go on; 0 takes it back and stays."""
        review, one = self._review, self._review.at_hand if self._review else None
        if review is None or one is None:
            return
        try:
            cause = review.set_cause(digit)
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
            return
        self._say(f"{one.trace}: {cause}" if cause else f"{one.trace}: no cause")
        if digit:
            review.step(1)
        self._show()

    def action_relabel(self) -> None:
        """Change the label to what the judge said."""
        if self._review is None or self._review.at_hand is None:
            return
        try:
            changed = self._review.relabel()
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
            return
        before, after = decision_words(changed.before.verdict), decision_words(changed.after.verdict)
        who = "" if changed.after.annotator == self.session.annotator else ", settled: what people said stays"
        self._show()
        self._say(f"{changed.after.trace} is {after} now, was {before}{who} {DRAWING.dot} z takes it back")

    def action_take_back(self) -> None:
        """Take the last change of a label back."""
        if self._review is None:
            return
        try:
            changed = self._review.take_back()
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
            return
        self._show()
        if changed is None:
            self._say("no label was changed here last: undo others where they were made (gl, z)")
        else:
            self._say(f"{changed.before.trace} is {decision_words(changed.before.verdict)} again")

    # The note -----------------------------------------------------------------------------------

    def action_note(self) -> None:
        """Write a note with the label at hand."""
        one = self._review.at_hand if self._review else None
        if one is not None:
            self._noting = one.trace
            self._open_note(True)
            self.query_one("#note", LineField).ask(one.row.label.note)

    def on_line_field_submitted(self, event: LineField.Submitted) -> None:
        """Keep the note."""
        self._open_note(False)
        # Another process may have changed the label meanwhile, and the list with it.
        if self._review is None or not self._review.go_to(self._noting):
            self._say(f"not saved: {self._noting} is no disagreement any more. The note was: {event.text}")
            return
        try:
            self._review.write_note(event.text.strip())
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
            return
        self._show()
        self._say(f"{self._noting}: note saved")

    def on_line_field_dropped(self) -> None:
        """Leave the note as it was."""
        self._open_note(False)

    def _open_note(self, opened: bool) -> None:
        self.query_one("#note").display = opened
        self.query_one("#said").display = not opened
        if not opened:
            self.query_one("#list").focus()
