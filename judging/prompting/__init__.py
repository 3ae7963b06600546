"""Turn a trace and a judge version into the exact request that is sent: pure, hashed, blind."""

from __future__ import annotations

from collections.abc import Sequence

from judging.calls import Request
from store.records import AnyTrace, Candidate, Criterion, Example, JudgeVersion, Order


def build_request(
    trace: AnyTrace,
    judge: JudgeVersion,
    criterion: Criterion,
    examples: Sequence[tuple[AnyTrace, Example]],
    *,
    order: Order | None = None,
) -> Request:
    """Build the request for one sample of the judge's recipe."""
    raise NotImplementedError


def build_critic_request(
    trace: AnyTrace,
    judge: JudgeVersion,
    criterion: Criterion,
    examples: Sequence[tuple[AnyTrace, Example]],
    *,
    candidates: Sequence[Candidate],
    order: Order | None = None,
) -> Request:
    """Build the request for the critic over sampled candidates."""
    raise NotImplementedError


def prompt_code_hash() -> str:
    """Hash every prompt text and the builder's version."""
    raise NotImplementedError
