"""Turn a trace and a judge version into the exact request that is sent: pure, hashed, blind."""

from __future__ import annotations

from judging.prompting.building import (
    BUILDER_VERSION,
    DEFAULT_MAX_TOKENS,
    build_advocate_request,
    build_critic_request,
    build_request,
    prompt_code_hash,
)
from judging.prompting.tools import SERVER_TOOLS

__all__ = [
    "BUILDER_VERSION",
    "DEFAULT_MAX_TOKENS",
    "SERVER_TOOLS",
    "build_advocate_request",
    "build_critic_request",
    "build_request",
    "prompt_code_hash",
]
