"""Check everything a project needs: the store, the key, the endpoint, the terminal."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tui.theme import is_utf8


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    store: bool = False
    """Whether it is about the store: only that makes the command fail."""


def examine(root: Path) -> tuple[Finding, ...]:
    """Look at everything; nothing is changed and nothing is sent anywhere."""
    from store.repair import check

    return (
        *(Finding(one.name, one.ok, one.detail, store=True) for one in check(root)),
        _key(),
        _endpoint(),
        _terminal(),
    )


def _key() -> Finding:
    # The key itself is never shown, not even in part.
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        if os.environ.get(name):
            return Finding("key", True, f"{name} is set")
    return Finding("key", True, "no key in the environment: live judges need one, everything else works")


def _endpoint() -> Finding:
    url = os.environ.get("ANTHROPIC_BASE_URL", "")
    if url.rstrip("/").endswith("/v1"):
        return Finding(
            "endpoint", False, "ANTHROPIC_BASE_URL ends in /v1, which the SDK adds itself: take it off"
        )
    return Finding("endpoint", True, url or "the SDK's default")


def _terminal() -> Finding:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Finding("terminal", True, "none: commands work, the app needs one")
    term = os.environ.get("TERM", "")
    if term in ("", "dumb"):
        return Finding("terminal", False, f"TERM={term or '(not set)'}: the app cannot draw there")
    encoding = "UTF-8" if is_utf8(os.environ) else "not UTF-8: the app draws with ASCII"
    return Finding("terminal", True, f"TERM={term}, {encoding}")
