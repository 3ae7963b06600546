"""A backend that answers from a script: for tests, dry runs and demonstrations of the runner.

It is a fake by name and says so wherever its facts are shown; it never poses as a model.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

from judging.backends.base import BackendFacts, Structured
from judging.calls import Call, Failure, Reply
from store.records import Reason

Script: TypeAlias = Iterable[Reply] | Callable[[Call], Reply | Awaitable[Reply]]
"""Replies in the order of the calls, or a function (also an async one) that answers each call."""


class ScriptedBackend:
    """Answers calls from a script and remembers what it was asked."""

    def __init__(
        self,
        script: Script,
        *,
        structured: Structured = "native",
        takes_temperature: bool = True,
        probe: Call | None = None,
    ) -> None:
        self.asked: list[Call] = []
        """Every attempt, in order."""
        self.learned: Reply | None = None
        """The reply to the probe."""
        self.closed = False
        self.notices: list[str] = []
        """Handed out by `news` and emptied."""
        self._facts = BackendFacts("scripted", "", structured, takes_temperature)
        self._probe = probe
        self._answer = script if callable(script) else _one_by_one(script)

    def facts(self) -> BackendFacts:
        """Say what it was told to be able to do."""
        return self._facts

    def probe(self) -> Call | None:
        """Give the probe it was made with."""
        return self._probe

    def learn(self, reply: Reply) -> None:
        """Keep the reply to the probe."""
        self.learned = reply

    def news(self) -> tuple[str, ...]:
        """Give the notices."""
        told = tuple(self.notices)
        self.notices.clear()
        return told

    async def ask(self, call: Call) -> Reply:
        """Answer from the script."""
        self.asked.append(call)
        reply = self._answer(call)
        if inspect.isawaitable(reply):
            return await reply
        return reply

    async def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True


def _one_by_one(replies: Iterable[Reply]) -> Callable[[Call], Reply]:
    left = deque(replies)

    def answer(_call: Call) -> Reply:
        return left.popleft() if left else Failure(Reason.ERROR, "the script has no more replies")

    return answer
