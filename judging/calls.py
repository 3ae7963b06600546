"""What recipes, backends and the runner say to each other: requests, calls, replies, drafts.

A recipe yields calls and is told replies; a backend turns a request into a reply; the runner
carries them between the two. None of the three knows the others' insides.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from store.identity import content_hash
from store.records import Candidate, Json, Reason, Usage


@dataclass(frozen=True)
class Message:
    """One message of a request."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True)
class Request:
    """Everything that is sent for one call; its hash is the identity of the question."""

    model: str
    system: str
    messages: tuple[Message, ...]
    max_tokens: int = 4096
    temperature: float | None = None
    """None: the provider's default. Only some backends take it; see the backend."""
    schema: Mapping[str, Json] | None = None
    """JSON schema of the wanted answer, for servers that give structured output."""
    options: Mapping[str, Json] = field(default_factory=dict)
    """effort, thinking, server-side tools: passed on where the backend knows them."""

    @cached_property
    def hash(self) -> str:
        """Content hash over every field."""
        return content_hash(
            {
                "model": self.model,
                "system": self.system,
                "messages": [(m.role, m.content) for m in self.messages],
                "max_tokens": self.max_tokens,
                "temperature": self.temperature,
                "schema": self.schema,
                "options": self.options,
            }
        )


@dataclass(frozen=True)
class Call:
    """One draw of an answer to a request."""

    request: Request
    sample: int = 0
    """Which draw of the same request this is, from 0."""

    @property
    def key(self) -> str:
        """Identity of this draw: what a resumed run looks up before it pays."""
        return f"{self.request.hash}#{self.sample}"


@dataclass(frozen=True)
class Answer:
    """A model answered with HTTP 200 and a message of the protocol."""

    text: str
    """All text blocks joined; thinking blocks are left out."""
    stop_reason: str | None
    usage: Usage = Usage()
    model: str = ""
    request_id: str = ""
    seconds: float = 0.0
    attempts: int = 1
    stop_detail: str = ""
    """A refusal's category, where the server names one."""


@dataclass(frozen=True)
class Failure:
    """A call ended without a usable answer."""

    reason: Reason
    detail: str
    status: int | None = None
    retry_after: float | None = None
    """Seconds the server asked to wait, as it said them."""
    request_id: str = ""
    seconds: float = 0.0
    attempts: int = 1
    fatal: bool = False
    """The whole run must stop: bad key, no credit, spend limit, unknown model."""
    may_have_cost: bool = False
    """The request reached the server, so an answer that never arrived may be on the bill."""


Reply: TypeAlias = Answer | Failure


@dataclass(frozen=True)
class Draft:
    """What a recipe or a direct judge concludes about one row, before the runner adds cost and time."""

    verdict: str | None
    critique: str = ""
    reason: Reason | None = None
    detail: str = ""
    flags: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    """A scorecard's points by dimension."""


RecipeSteps: TypeAlias = Generator[Sequence[Call], Sequence[Reply], Draft]
"""A recipe at work on one row: yields the calls of one round, is sent their replies in the same
order, and returns its draft. It knows no network, no clock and no store."""
