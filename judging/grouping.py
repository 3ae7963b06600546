"""Find the traces that must fall in one pile: near-equal inputs, and the turns of one conversation.

A judge that was tuned on a question, or was shown it as an example, is not tested by the same question
in other words. Two inputs are near-equal when, as sets of runs of three words, they share at least 80 %
(Jaccard). One word exchanged in the middle changes three runs on either side, so n words then share
(n - 5) / (n + 1): 80 % is reached from 29 words on. So a long text with a word changed is the same text,
and a short question with a word changed ("does the scone / the brownie contain nuts") is another
question; texts under 20 words must be equal word for word. Runs that stand in more than a fifth of all
texts belong to a template around the question and are not counted.

Candidates come from an inverted index over the rarest runs of each text (prefix filtering: Bayardo, Ma and
Srikant, "Scaling up all pairs similarity search", 2007), which misses no pair and compares few.
"""

from __future__ import annotations

import math
import re
import unicodedata
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from store.identity import content_hash
from store.records import AnyTrace, Pair

SAME: Final = Fraction(4, 5)
"""Share of three-word runs from which two long texts are the same."""
SHORT: Final = 20
"""Texts of fewer words must be equal."""
_TEMPLATE: Final = Fraction(1, 5)
"""Share of all texts from which a run of words is a template's."""
_FEW: Final = 20
"""With fewer texts than this nothing is taken for a template, an instruction or a constant."""

_CONVERSATION: Final = (
    "conversationid",
    "sessionid",
    "threadid",
    "chatid",
    "dialogid",
    "dialogueid",
    "conversation",
    "session",
    "thread",
)
_NOT_NAME: Final = re.compile(r"[\W_]+")
# Scripts without spaces between words: every character counts as a word.
_NO_SPACES: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD: Final = re.compile(rf"[{_NO_SPACES}]|[^\W_{_NO_SPACES}]+")


def groups_of(traces: Iterable[AnyTrace]) -> Mapping[str, str]:
    """Say which traces must stay together.

    Args:
        traces: In the order of their import; the first of a group names it, so that later traces do not
            change the name.

    Returns:
        The group's hash of each trace id; traces that share one stay together.
    """
    everything = list(traces)
    groups = _Groups(len(everything))
    texts = _texts(everything)
    for key in (texts, *_conversations(everything)):
        groups.join_equal(key)
    _join_near_equal(texts, groups)
    return {
        trace.id: content_hash({"group": everything[groups.first(number)].id})
        for number, trace in enumerate(everything)
    }


class _Groups:
    """Numbers that were joined, directly or through others, are one group."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def first(self, number: int) -> int:
        """Give the lowest number of a group."""
        while self._above[number] != number:
            self._above[number] = self._above[self._above[number]]
            number = self._above[number]
        return number

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self.first(one), self.first(other)))
        self._above[high] = low

    def join_equal(self, keys: Sequence[str | None]) -> None:
        """Join the numbers whose keys are equal; None is equal to nothing."""
        seen: dict[str, int] = {}
        for number, key in enumerate(keys):
            if key is not None:
                self.join(seen.setdefault(key, number), number)


# --- what is compared --------------------------------------------------------------------------


def _texts(traces: Sequence[AnyTrace]) -> list[str | None]:
    """Give what is asked in each trace, word by word; None when a trace holds no text at all."""
    asked = [_normal(_asked(trace)) for trace in traces]
    instructions = _constants(asked)
    return [
        _normal(" ".join((text, *trace.facts.values(), _reply(trace)))) if text in instructions else text
        for text, trace in zip(asked, traces, strict=True)
    ]


def _asked(trace: AnyTrace) -> str:
    """Give the input; without one, what the user said; without that, what there is to judge.

    A system prompt is not looked at: it is long and the same everywhere.
    """
    if trace.input.strip():
        return trace.input
    turns = () if isinstance(trace, Pair) else trace.messages
    return " ".join(turn.content for turn in turns if turn.role in ("user", "human")) or _reply(trace)


def _reply(trace: AnyTrace) -> str:
    return f"{trace.a} {trace.b}" if isinstance(trace, Pair) else trace.output


def _normal(text: str) -> str | None:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words) or text.strip() or None


def _conversations(traces: Sequence[AnyTrace]) -> Iterator[list[str | None]]:
    """Give, for each metadata field that names a conversation, its value in each trace."""
    fields: dict[str, list[str | None]] = {}
    for number, trace in enumerate(traces):
        for key, value in trace.metadata.items():
            name = _NOT_NAME.sub("", key).casefold()
            if name.endswith(_CONVERSATION) and isinstance(value, str | int) and not isinstance(value, bool):
                values = fields.setdefault(name, [None] * len(traces))
                values[number] = str(value).strip() or None
    for values in fields.values():
        constants = _constants(values)
        yield [None if value in constants else value for value in values]


def _constants(values: Sequence[str | None]) -> frozenset[str]:
    """Give the value that more than half of all traces share: it tells none of them apart."""
    if len(values) < _FEW:
        return frozenset()
    counted = Counter(value for value in values if value is not None)
    return frozenset(value for value, count in counted.items() if 2 * count > len(values))


# --- near-equal texts --------------------------------------------------------------------------


def _join_near_equal(texts: Sequence[str | None], groups: _Groups) -> None:
    """Join long texts that share enough runs of three words."""
    distinct: dict[str, int] = {}
    for number, text in enumerate(texts):
        if text is not None:
            distinct.setdefault(text, number)
    runs = {number: found for text, number in distinct.items() if (found := _runs(text)) is not None}
    _order_by_rarity(runs, len(distinct))
    index: defaultdict[int, list[int]] = defaultdict(list)
    for number, mine in runs.items():
        whole = frozenset(mine)
        looked_at: set[int] = set()
        # Of two texts that share enough, these beginnings of both must share a run.
        for run in mine[: len(mine) - math.ceil(SAME * len(mine)) + 1]:
            for other in index[run]:
                if other not in looked_at:
                    looked_at.add(other)
                    if groups.first(other) != groups.first(number) and _same(whole, runs[other]):
                        groups.join(other, number)
            index[run].append(number)


def _runs(text: str) -> array[int] | None:
    """Give a long text's different runs of three words as numbers; None for a short one."""
    words = text.split(" ")
    if len(words) < SHORT:
        return None
    return array("q", set(map(hash, zip(words, words[1:], words[2:], strict=False))))


def _order_by_rarity(runs: Mapping[int, array[int]], texts: int) -> None:
    """Put each text's runs in order, those that fewest texts hold first, and drop those of a template."""
    # Counted in buckets: exact counts of millions of runs would take far more memory than they are worth.
    last_bucket = (1 << min(22, (2 * sum(map(len, runs.values()))).bit_length())) - 1
    counts = array("I", bytes(4 * (last_bucket + 1)))
    for found in runs.values():
        for run in found:
            counts[run & last_bucket] += 1
    most = max(_FEW, math.floor(_TEMPLATE * texts))
    for found in runs.values():
        ordered = sorted([(counts[run & last_bucket], run) for run in found])
        found[:] = array("q", [run for count, run in ordered if count <= most])


def _same(one: frozenset[int], other: Sequence[int]) -> bool:
    shared = sum(run in one for run in other)
    return shared >= SAME * (len(one) + len(other) - shared)
