"""The facts a project keeps, as frozen dataclasses and closed sets of words.

Records are values: they are appended, never edited, and the current view of anything is derived
from them. They are written and read by `msgspec`, which checks every field's type on the way in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Final, TypeAlias

Json: TypeAlias = object
"""A JSON value: text, number, boolean, null, list or object."""


class TraceKind(StrEnum):
    """What there is to judge."""

    SINGLE = "single"
    PAIR = "pair"


class JudgeKind(StrEnum):
    """What sort of verdict is asked for."""

    PASS_FAIL = "pass-fail"
    PAIRWISE = "pairwise"
    CLASSIFY = "classify"
    SCORECARD = "scorecard"


class Decision(StrEnum):
    """The words a person or a judge may decide with."""

    PASS = "pass"
    FAIL = "fail"
    A = "A"
    B = "B"
    TIE = "tie"
    UNSURE = "unsure"
    """A person cannot decide yet; never counted as a label in a figure."""
    UNKNOWN = "unknown"
    """A judge says that it lacks what it needs; a verdict state of its own, never a pass or a fail."""


LABEL_WORDS: Final[Mapping[JudgeKind, tuple[str, ...]]] = {
    JudgeKind.PASS_FAIL: (Decision.PASS, Decision.FAIL, Decision.UNSURE),
    JudgeKind.PAIRWISE: (Decision.A, Decision.B, Decision.TIE, Decision.UNSURE),
}
"""What a person may say, by kind of criterion."""

VERDICT_WORDS: Final[Mapping[JudgeKind, tuple[str, ...]]] = {
    JudgeKind.PASS_FAIL: (Decision.PASS, Decision.FAIL, Decision.UNKNOWN),
    JudgeKind.PAIRWISE: (Decision.A, Decision.B, Decision.TIE, Decision.UNKNOWN),
}
"""What a judge may say, by kind of criterion."""


class Order(StrEnum):
    """Which answer of a pair was shown first."""

    AB = "AB"
    BA = "BA"


class PileName(StrEnum):
    """Where a labelled trace belongs."""

    TRAIN = "train"
    DEV = "dev"
    HOLDOUT = "holdout"


class Reason(StrEnum):
    """Why there is no verdict."""

    UNPARSED = "unparsed"
    """The judge answered, but no single verdict could be read from it."""
    CONTRADICTORY = "contradictory"
    """The answer states more than one verdict."""
    UNDECIDED = "undecided"
    """The votes did not reach a majority."""
    REFUSED = "refused"
    """The model's stop reason was a refusal."""
    TRUNCATED = "truncated"
    """The answer was cut off before a verdict."""
    EMPTY = "empty"
    """The answer holds no text."""
    OVERLOADED = "overloaded"
    RATE_LIMITED = "rate-limited"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    SERVER_ERROR = "server-error"
    BAD_REQUEST = "bad-request"
    BAD_RESPONSE = "bad-response"
    """HTTP 200, but not a message of the protocol."""
    AUTH = "auth"
    CREDIT = "credit"
    NOT_FOUND = "not-found"
    """The model or the endpoint is not there."""
    NO_VERDICT_RECORDED = "not-recorded"
    """An imported row says that the judge gave no verdict."""
    ERROR = "error"
    """Anything else, with its detail."""


# --- what is judged -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool inside a turn."""

    name: str
    arguments: str
    """As text: JSON where the source had JSON."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation."""

    role: str
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    name: str | None = None
    """Of the tool that answered, or of a named participant."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One reply to judge, with what led to it."""

    kind: ClassVar[TraceKind] = TraceKind.SINGLE

    id: str
    input: str
    output: str
    messages: tuple[Turn, ...] = ()
    """The conversation before the reply; empty when `input` is all there is."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Reference facts a careful person would look up, by name, in order."""
    metadata: Mapping[str, Json] = field(default_factory=dict)
    """Everything else the source said; never shown to a judge unless mapped to a fact."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One prompt with two answers to compare."""

    kind: ClassVar[TraceKind] = TraceKind.PAIR

    id: str
    input: str
    a: str
    b: str
    gold: str | None = None
    """"A", "B" or "tie" where the source knows which answer is better."""
    facts: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, Json] = field(default_factory=dict)


AnyTrace: TypeAlias = Trace | Pair


# --- what people decide -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Criterion:
    """One version of one failure mode's written standard."""

    name: str
    version: int
    pass_definition: str
    fail_definition: str
    kind: JudgeKind = JudgeKind.PASS_FAIL
    facts_needed: str = ""
    """What has to be looked up to decide, in words."""
    author: str = ""
    at: str = ""
    note: str = ""
    """Why this version was written."""


class LabelAction(StrEnum):
    """What a label record does to the history of its trace."""

    LABEL = "label"
    UNDO = "undo"
    REDO = "redo"


@dataclass(frozen=True, slots=True)
class Label:
    """One person's decision on one trace for one version of a criterion.

    A change is a new record; the newest record of (criterion, annotator, trace) is the current
    one. An undo restates what it goes back to (`verdict` None: unlabelled again).
    """

    trace: str
    criterion: str
    version: int
    verdict: str | None
    annotator: str
    note: str = ""
    at: str = ""
    seconds: float | None = None
    """From the trace being drawn to the key."""
    queue: str = "imported"
    """How the row came up: the queue's order, or "import", "command", "disagreement", "settled"."""
    probability: float | None = None
    """Chance that this row was picked from all rows; None when the order does not say."""
    shown_order: Order | None = None
    """For pairs: which answer was drawn first."""
    revealed: bool = False
    """Whether the judge's verdict on this row had been seen before this decision."""
    action: LabelAction = LabelAction.LABEL
    target: int | None = None
    """The record that an undo or redo is about."""
    id: int = 0
    """Position in the project's history; given by the book that keeps it."""


SETTLED: Final = "settled"
"""Annotator name of the record that settles a conflict between people."""


@dataclass(frozen=True, slots=True)
class Piled:
    """One labelled trace's place in a pile; once dealt it never moves."""

    trace: str
    criterion: str
    pile: PileName
    group: str
    """Hash that traces which must stay together share."""
    seed: int
    at: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a person and a judge differ on a row, in a person's judgement."""

    trace: str
    criterion: str
    judge: str
    """Hash of the judge version."""
    cause: str | None
    """None takes an earlier cause back."""
    annotator: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """The hold-out was opened for one judge version; chained to the opening before it."""

    criterion: str
    judge: str
    annotator: str
    at: str
    previous: str
    """Hash of the record before, or "" for the first."""
    hash: str


# --- judges, runs and what they say ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """A train row shown in the prompt, with the person's verdict and reason."""

    trace: str
    verdict: str
    critique: str


@dataclass(frozen=True, slots=True)
class JudgeVersion:
    """An immutable judge: its hash covers everything that can change a verdict."""

    name: str
    criterion: str
    criterion_version: int
    kind: JudgeKind
    recipe: str
    backend: str
    model: str = ""
    base_url: str = ""
    params: Mapping[str, Json] = field(default_factory=dict)
    """n, temperature, max_tokens, effort and whatever else the recipe or backend takes."""
    examples: tuple[Example, ...] = ()
    prompt_code: str = ""
    """Hash of the prompt texts this version was made with."""
    parent: str | None = None
    """Hash of the version it was made from; not part of its own hash."""
    hash: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more calls, as the API counts them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Sum field by field."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_input_tokens + other.cache_read_input_tokens,
            self.cache_creation_input_tokens + other.cache_creation_input_tokens,
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """One sampled answer on the way to a verdict, or the critic's."""

    verdict: str | None
    critique: str
    raw: str
    """The answer's text as it came."""
    reason: Reason | None = None
    role: str = "candidate"
    """"candidate", "advocate" (argues, gives no verdict) or "critic"."""
    call: str = ""
    """Key of the recorded call it was read from."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """A scorecard's points by dimension."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge version says of one trace: a decision with its critique, or the reason there is none."""

    trace: str
    verdict: str | None
    critique: str = ""
    reason: Reason | None = None
    detail: str = ""
    """What went wrong, in words, when there is a reason."""
    order: Order | None = None
    """For pairs: which answer was shown first; the verdict is by the answers' own names."""
    sample: int = 0
    """0 for the first run over a row, 1.. for repeats."""
    flags: tuple[str, ...] = ()
    """What a reader should know, e.g. "contradicts its score"."""
    candidates: tuple[Candidate, ...] = ()
    usage: Usage = Usage()
    cost_usd: float | None = None
    """None when a price is unknown; 0.0 when it costs nothing."""
    seconds: float | None = None
    model: str = ""
    """As the server reported it."""
    request_id: str = ""
    reused: bool = False
    """Whether every answer behind it had been paid for before."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """A scorecard's points by dimension; its verdict is the overall, computed from them, as text."""
