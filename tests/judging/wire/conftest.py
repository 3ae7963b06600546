"""No test here sees a real key, or a server other than its own."""

from __future__ import annotations

import pytest

KEY = "sk-ant-test-0123456789"


@pytest.fixture(autouse=True)
def made_up_key(monkeypatch: pytest.MonkeyPatch) -> str:
    for name in (
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_PROFILE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    return KEY
