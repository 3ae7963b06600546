"""A trace or a pair as lines to draw: prepared lazily, addressed by anchors, the same for any size.

A document is a row of pieces (`tui.widgets.pieces`). Places in it are anchors, piece and line, and
not line numbers: nothing before a place has to be wrapped to stand there, so the end of 5 MB is as
near as its beginning. How many lines there are in all is an estimate until every piece was wrapped,
which `wrap_more` does in slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from store.records import AnyTrace, Order
from tui.text import printable
from tui.theme import DRAWING, Drawing
from tui.widgets.blocks import Block, BlockKind, blocks_of
from tui.widgets.body import Query
from tui.widgets.inks import Line
from tui.widgets.layout import pieces_of

MOST_HITS: Final = 9_999
"""Counting hits stops here."""


class Anchor(NamedTuple):
    """A line: which piece, and which line of it. Anchors of one document compare by place."""

    piece: int
    line: int


class Place(NamedTuple):
    """A line by its text, which survives a change of width or folds."""

    block: int
    offset: int


class Standing(NamedTuple):
    """How much there is outside of what is drawn."""

    above: int
    below: int
    exact: bool
    """Whether every line was counted; False: lines not yet wrapped are estimated."""


class Hit(NamedTuple):
    """A found place."""

    at: Anchor
    offset: int


class TraceLines:
    """The lines of some blocks at one width.

    Args:
        blocks: What to read, in order.
        width: Cells a line may take; anything below 1 counts as 1.
        folded: Blocks, by index, of which only the beginning is drawn.
        drawing: Characters of frames and rules.
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        *,
        width: int,
        folded: frozenset[int] = frozenset(),
        drawing: Drawing = DRAWING,
    ) -> None:
        self.blocks = tuple(blocks)
        self.width = max(1, width)
        self.folded = folded
        self._pieces = pieces_of(self.blocks, width=self.width, folded=folded, drawing=drawing)
        self._query: Query | None = None
        self._now: Hit | None = None
        self._unwrapped = 0

    @classmethod
    def of(cls, item: AnyTrace, *, width: int, order: Order = Order.AB) -> TraceLines:
        """Prepare a trace or a pair, nothing folded."""
        return cls(blocks_of(item, order=order), width=width)

    # --- places -----------------------------------------------------------------------------

    @property
    def first(self) -> Anchor:
        """The first line."""
        return Anchor(0, 0)

    @property
    def last(self) -> Anchor:
        """The last line; only the last piece is wrapped for it."""
        piece = len(self._pieces) - 1
        return Anchor(piece, self._pieces[piece].count() - 1)

    @property
    def reply(self) -> Anchor | None:
        """The first line of what is judged, its frame."""
        return next((Anchor(i, 0) for i, p in enumerate(self._pieces) if self._is_reply(p.block)), None)

    def forward(self, at: Anchor, lines: int) -> Anchor:
        """Return the place some lines further on, at most the last line."""
        piece, line = at
        line += lines
        while line >= (count := self._pieces[piece].count()):
            if piece == len(self._pieces) - 1:
                return Anchor(piece, count - 1)
            line -= count
            piece += 1
        return Anchor(piece, line)

    def back(self, at: Anchor, lines: int) -> Anchor:
        """Return the place some lines before, at least the first line."""
        piece, line = at
        line -= lines
        while line < 0:
            if piece == 0:
                return self.first
            piece -= 1
            line += self._pieces[piece].count()
        return Anchor(piece, line)

    def end(self, height: int) -> Anchor:
        """Return the top line with which the last `height` lines are drawn."""
        return self.back(self.last, max(height, 1) - 1)

    def fits(self, height: int) -> bool:
        """Tell whether all lines fit into `height`, wrapping no more than that takes."""
        left = height
        for piece in self._pieces:
            # An estimate far above what is left spares wrapping a piece only to learn that.
            if piece.estimate > 2 * left + 100 or (left := left - piece.count()) < 0:
                return False
        return True

    def opening(self, height: int, *, lead: int = 0) -> Anchor:
        """Return the top line to start reading from: the reply is in view, with all before it that fits.

        Args:
            height: Lines that are drawn.
            lead: Lines before a reply that does not fit by itself: what it answers stays in view.
        """
        reply = self.reply
        if reply is None or self.fits(height):
            return self.first
        judged = [i for i, p in enumerate(self._pieces) if self._is_reply(p.block)]
        rows = 0
        for index in judged:
            rows += self._pieces[index].count()
            if rows > height:
                return self.back(reply, lead)
        return self.back(Anchor(judged[-1], self._pieces[judged[-1]].count() - 1), height - 1)

    def place(self, at: Anchor) -> Place:
        """Return where an anchor stands in the text, for finding it at another width."""
        piece = self._pieces[at.piece]
        return Place(piece.block, piece.offset(at.line))

    def find(self, place: Place) -> Anchor:
        """Return the line that holds a place."""
        own = [index for index, piece in enumerate(self._pieces) if piece.block == place.block]
        if not own:
            return self.first
        index = max((i for i in own if self._pieces[i].start <= place.offset), default=own[0])
        return Anchor(index, self._pieces[index].at(place.offset))

    def block_at(self, at: Anchor) -> int:
        """Return the block a line belongs to."""
        return self._pieces[at.piece].block

    # --- lines ------------------------------------------------------------------------------

    def window(self, top: Anchor, height: int) -> list[Line]:
        """Return up to `height` lines from `top` on."""
        lines: list[Line] = []
        for index in range(top.piece, len(self._pieces)):
            piece = self._pieces[index]
            now = self._now.offset if self._now and self._now.at.piece == index else None
            start = top.line if index == top.piece else 0
            stop = min(piece.count(), start + height - len(lines))
            lines.extend(piece.line(line, self._query, now) for line in range(start, stop))
            if len(lines) >= height:
                break
        return lines

    def standing(self, top: Anchor, height: int) -> Standing:
        """Return how many lines there are above `top` and below the `height` lines from it."""
        sizes = [piece.estimate for piece in self._pieces]
        above = sum(sizes[: top.piece]) + top.line
        return Standing(above, max(0, sum(sizes) - above - height), self.complete)

    @property
    def complete(self) -> bool:
        """Whether every piece has been wrapped."""
        return not self.wrap_more(0)

    def wrap_more(self, pieces: int) -> bool:
        """Wrap some more pieces, from the front; a piece takes a few milliseconds at most.

        Args:
            pieces: How many.

        Returns:
            Whether there is more to wrap.
        """
        while self._unwrapped < len(self._pieces):
            piece = self._pieces[self._unwrapped]
            if piece.known is None:
                if pieces <= 0:
                    return True
                piece.count()
                pieces -= 1
            self._unwrapped += 1
        return False

    # --- search -----------------------------------------------------------------------------

    def search(self, term: str) -> int:
        """Mark all places that hold `term`, case ignored; "" marks nothing.

        Returns:
            How many there are, folded text aside; counting stops at 9,999.
        """
        self._query = Query.of(printable(term)) if term else None
        self._now = None
        if not self._query:
            return 0
        count = 0
        for piece in self._pieces:
            count += sum(1 for _ in piece.hits(self._query))
            if count >= MOST_HITS:
                return MOST_HITS
        return count

    def hidden_hits(self, term: str) -> frozenset[int]:
        """Return the folded blocks whose text holds `term`, so that they can be unfolded first."""
        pattern = Query.of(printable(term)).pattern
        return frozenset(b for b in self.folded if pattern.search(printable(self.blocks[b].text)))

    def next_hit(self, top: Anchor, *, backwards: bool = False) -> Anchor | None:
        """Go to the next hit and mark it: after the current one, else from `top` on, around the end.

        Returns:
            Its line, or None when there is none.
        """
        if not self._query:
            return None
        start = self._now.at.piece if self._now else top.piece
        step = -1 if backwards else 1
        count = len(self._pieces)
        for tried in range(count + 1):
            index = (start + step * tried) % count
            hits = self._hits_in(index, self._query, backwards=backwards)
            found = next(iter(hits if tried else self._rest(hits, top, backwards=backwards)), None)
            if found:
                self._now = found
                return found.at
        return None

    def _hits_in(self, index: int, query: Query, *, backwards: bool) -> list[Hit]:
        piece = self._pieces[index]
        hits = [Hit(Anchor(index, piece.line_of_hit(hit)), hit) for hit in piece.hits(query)]
        return hits[::-1] if backwards else hits

    def _rest(self, hits: list[Hit], top: Anchor, *, backwards: bool) -> list[Hit]:
        """Return those of a piece's hits that come after the current one, or from `top` on."""
        if self._now is None:
            return [hit for hit in hits if (hit.at < top if backwards else hit.at >= top)]
        return hits[hits.index(self._now) + 1 :] if self._now in hits else []

    def _is_reply(self, block: int) -> bool:
        return self.blocks[block].kind is BlockKind.REPLY
