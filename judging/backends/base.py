"""What a backend is: something that answers calls, or something that judges rows by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from judging.calls import Call, Draft, Reply
from store.records import AnyTrace, Order

Structured: TypeAlias = Literal["native", "prompt"]
"""How an answer gets its shape: the server is given the schema, or the prompt alone asks for it."""


@dataclass(frozen=True)
class BackendFacts:
    """What a backend can do, as far as it knows by now."""

    name: str
    endpoint: str = ""
    """Where requests go; empty when nothing leaves this machine."""
    structured: Structured = "prompt"
    takes_temperature: bool = False
    """Whether a stated temperature is sent for the judge's model; otherwise the provider's default holds."""


@runtime_checkable
class CallBackend(Protocol):
    """Turns calls into replies, one attempt each: waiting and retrying belong to the runner."""

    def facts(self) -> BackendFacts:
        """Say what it can do."""
        ...

    def probe(self) -> Call | None:
        """Give a call whose reply tells how the server behaves, or None when that is known."""
        ...

    def learn(self, reply: Reply) -> None:
        """Take in the reply to the probe."""
        ...

    def news(self) -> tuple[str, ...]:
        """Give what a person should be told since the last time, e.g. that a model is about to end."""
        ...

    async def ask(self, call: Call) -> Reply:
        """Make one attempt; whatever goes wrong is a Failure, never an exception."""
        ...

    async def close(self) -> None:
        """Let connections go."""
        ...


@runtime_checkable
class RowBackend(Protocol):
    """Judges a row by itself, without calls of a model."""

    def facts(self) -> BackendFacts:
        """Say what it can do."""
        ...

    def judge(self, trace: AnyTrace, order: Order | None) -> Draft:
        """Judge one row."""
        ...


Backend: TypeAlias = CallBackend | RowBackend
