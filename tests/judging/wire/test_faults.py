"""What a server can do to one call, and what becomes of it: an answer or a failure with its reason."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime

import pytest
from conftest import KEY
from messages_server import Reply, error, message, page, serving, verdict

from judging.backends.anthropic_errors import ErrorReader, retry_after
from judging.backends.anthropic_live import AnthropicBackend
from judging.backends.anthropic_requests import Server, time_limit
from judging.calls import Answer, Call, Failure, Message, Request
from store.errors import BadInput
from store.records import Reason

QUESTION = Request(
    "claude-haiku-5-5", "be strict", (Message("user", "is it right?"),), schema={"type": "object"}
)


async def ask(reply, request: Request = QUESTION, **settings):
    """Ask a server that gives one reply (or what a function says) and return what came of it."""
    script = reply if callable(reply) else lambda _ask: reply
    with serving(script) as server:
        backend = AnthropicBackend(
            model=request.model,
            base_url=server.url,
            structured=settings.pop("structured", "native"),
            **settings,
        )
        try:
            told = await backend.ask(Call(request))
        finally:
            await backend.close()
    return told, server


@pytest.mark.parametrize(
    ("reply", "reason", "status", "fatal"),
    [
        (error(400, "invalid_request_error", "prompt is too long"), Reason.BAD_REQUEST, 400, False),
        (error(400, "invalid_request_error", "Your credit balance is too low"), Reason.CREDIT, 400, True),
        (error(401, "authentication_error"), Reason.AUTH, 401, True),
        (error(402, "billing_error"), Reason.CREDIT, 402, True),
        (error(403, "permission_error"), Reason.AUTH, 403, True),
        (error(404, "not_found_error", "model: claude-nope"), Reason.NOT_FOUND, 404, True),
        (error(408, "timeout_error"), Reason.TIMEOUT, 408, False),
        (error(413, "request_too_large"), Reason.BAD_REQUEST, 413, False),
        (error(429, "rate_limit_error"), Reason.RATE_LIMITED, 429, False),
        (error(500, "api_error"), Reason.SERVER_ERROR, 500, False),
        (error(503, "unavailable_error"), Reason.SERVER_ERROR, 503, False),
        (error(529, "overloaded_error"), Reason.OVERLOADED, 529, False),
        (error(500, "overloaded_error"), Reason.OVERLOADED, 500, False),
        (page("<html>busy</html>", 529), Reason.OVERLOADED, 529, False),
        (page(), Reason.BAD_RESPONSE, 200, False),
        (Reply(200, b"", {"content-type": "application/json"}), Reason.BAD_RESPONSE, 200, False),
        (Reply(200, b"{", {"content-type": "application/json"}), Reason.BAD_RESPONSE, 200, False),
        (Reply(200, b"[1]", {"content-type": "application/json"}), Reason.BAD_RESPONSE, 200, False),
        (Reply(200, b'{"ok": 1}', {"content-type": "application/json"}), Reason.BAD_RESPONSE, 200, False),
        (message("pass", type="completion"), Reason.BAD_RESPONSE, 200, False),
        (Reply(drop=True), Reason.CONNECTION, None, False),
        (Reply(200, verdict("pass").body, verdict("pass").headers, cut=40), Reason.CONNECTION, None, False),
    ],
)
async def test_every_fault_has_its_reason_and_names_the_endpoint(reply, reason, status, fatal) -> None:
    told, server = await ask(reply)
    assert isinstance(told, Failure)
    assert (told.reason, told.status, told.fatal) == (reason, status, fatal)
    assert f"{server.url}/v1/messages" in told.detail
    assert len(server.asks) == 1, "the SDK itself tries nothing again"


async def test_an_error_in_a_200_is_an_error() -> None:
    told, _ = await ask(
        Reply(200, error(529, "overloaded_error", "busy").body, {"content-type": "application/json"})
    )
    assert isinstance(told, Failure)
    assert (told.reason, told.status) == (Reason.OVERLOADED, 200)
    assert "busy" in told.detail


@pytest.mark.parametrize("code", ["enforced_spend_limit_reached", "contract_spend_limit_reached"])
async def test_a_spend_limit_is_no_rate_limit_to_be_waited_for(code: str) -> None:
    body = (
        '{"type": "error", "error": {"type": "rate_limit_error", "message": "limit reached", '
        f'"details": {{"error_code": "{code}"}}}}}}'
    )
    told, _ = await ask(Reply(429, body.encode(), {"content-type": "application/json", "retry-after": "5"}))
    assert isinstance(told, Failure)
    assert (told.reason, told.fatal) == (Reason.CREDIT, True)


async def test_a_server_that_never_answers_is_given_up_after_the_limit() -> None:
    told, _ = await ask(Reply(hang=True), timeout=0.15)
    assert isinstance(told, Failure)
    assert (told.reason, told.may_have_cost) == (Reason.TIMEOUT, True)


async def test_a_port_where_nobody_listens_costs_nothing() -> None:
    with serving(lambda _ask: page()) as server:
        url = server.url
    backend = AnthropicBackend(model="m", base_url=url, structured="native")
    told = await backend.ask(Call(QUESTION))
    await backend.close()
    assert isinstance(told, Failure)
    assert (told.reason, told.may_have_cost) == (Reason.CONNECTION, False)
    assert "cannot be reached" in told.detail


async def test_an_answer_brings_its_usage_model_and_request_id() -> None:
    usage = {
        "input_tokens": 7,
        "output_tokens": 3,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 2,
    }
    told, _ = await ask(message("hello", usage=usage))
    assert isinstance(told, Answer)
    assert (told.text, told.stop_reason, told.model, told.request_id) == (
        "hello",
        "end_turn",
        "claude-haiku-5-5",
        "req_wire",
    )
    assert (told.usage.input_tokens, told.usage.cache_read_input_tokens) == (7, 5)
    assert (told.usage.output_tokens, told.usage.cache_creation_input_tokens) == (3, 2)
    assert told.seconds > 0


async def test_servers_that_leave_usage_out_are_answers_all_the_same() -> None:
    told, _ = await ask(message("hello", usage=None, stop_reason="something_new"))
    assert isinstance(told, Answer)
    assert (told.usage.input_tokens, told.stop_reason) == (0, "something_new")


async def test_a_refusal_and_a_cut_answer_are_answers_with_their_stop_reason() -> None:
    refused, _ = await ask(
        message(stop_reason="refusal", content=[], stop_details={"type": "refusal", "category": "bio"})
    )
    assert isinstance(refused, Answer)
    assert (refused.text, refused.stop_reason, refused.stop_detail) == ("", "refusal", "bio")
    cut, _ = await ask(message('{"critique": "the', stop_reason="max_tokens"))
    assert isinstance(cut, Answer)
    assert cut.stop_reason == "max_tokens"


# What is sent ---------------------------------------------------------------------------------------


async def test_the_schema_goes_out_where_it_is_honoured_and_stays_at_home_elsewhere() -> None:
    _, native = await ask(message("x"))
    assert native.asks[0].body["output_config"]["format"] == {
        "type": "json_schema",
        "schema": {"type": "object"},
    }
    _, prompt = await ask(message("x"), structured="prompt")
    assert "output_config" not in prompt.asks[0].body


async def test_other_servers_find_the_key_in_either_header() -> None:
    _, server = await ask(message("x"))
    assert server.asks[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.asks[0].headers["x-api-key"] == KEY


async def test_a_local_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    told, _ = await ask(message("x"))
    assert isinstance(told, Answer)


async def test_without_a_key_anthropics_own_api_is_not_even_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("HOME", str(tmp_path))
    backend = AnthropicBackend(model="claude-haiku-5-5")
    told = await backend.ask(Call(QUESTION))
    await backend.close()
    assert isinstance(told, Failure)
    assert (told.reason, told.fatal) == (Reason.AUTH, True)
    assert "ANTHROPIC_API_KEY" in told.detail


def test_a_broken_setup_of_the_sdk_is_bad_input(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_PROFILE", "nobody")
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    with pytest.raises(BadInput, match="nobody"):
        AnthropicBackend(model="claude-haiku-5-5")


async def test_no_text_ever_holds_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    told, _ = await ask(
        error(401, "authentication_error", f"the key {KEY} is not known, nor sk-ant-other-99999999")
    )
    assert isinstance(told, Failure)
    assert KEY not in told.detail
    assert "sk-ant" not in told.detail
    assert told.detail.count("[key]") == 2
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-of-another-shape")
    told, _ = await ask(error(401, "authentication_error", "a-key-of-another-shape is not known"))
    assert isinstance(told, Failure)
    assert "shape" not in told.detail
    told, _ = await ask(error(400, "invalid_request_error", "x" * 5000))
    assert isinstance(told, Failure)
    assert len(told.detail) <= 300


def test_a_password_in_the_base_url_is_not_shown() -> None:
    assert Server.at("https://me:secret@proxy.example/a/").endpoint == "https://proxy.example/a/v1/messages"


async def test_a_temperature_goes_to_servers_that_may_take_it() -> None:
    warm = Request("local", "", QUESTION.messages, temperature=0.4)
    _, server = await ask(message("x"), warm)
    assert server.asks[0].body["temperature"] == 0.4
    _, server = await ask(message("x"))
    assert "temperature" not in server.asks[0].body


@pytest.mark.parametrize(
    ("model", "taken"),
    [
        ("claude-3-5-haiku-20241022", True),
        ("claude-sonnet-4-20250514", True),
        ("claude-opus-4-6", True),
        ("claude-haiku-4-5-20251001", True),
        ("claude-opus-4-7", False),
        ("claude-opus-4-8", False),
        ("claude-sonnet-5-5", False),
        ("claude-haiku-5-5", False),
        ("claude-fable-5-2", False),
    ],
)
def test_current_models_of_anthropic_get_no_temperature(model: str, taken: bool) -> None:
    server = Server.at("https://api.anthropic.com")
    dress = server.dress(Request(model, "", (), temperature=0.0))
    assert server.takes_temperature(model) is taken
    assert dress.body == ({"temperature": 0.0} if taken else {})
    assert dress.headers == ({"anthropic-version": "2023-06-01"} if taken else {})


async def test_a_refused_temperature_is_left_out_from_then_on_and_that_is_said() -> None:
    def picky(asked):
        if "temperature" in asked.body:
            return error(400, "invalid_request_error", "temperature: Extra inputs are not permitted")
        return message("x")

    with serving(picky) as server:
        backend = AnthropicBackend(model="m", base_url=server.url, structured="native")
        warm = Call(Request("m", "", QUESTION.messages, temperature=0.4))
        first, second = await backend.ask(warm), await backend.ask(warm)
        told = backend.news()
        await backend.close()
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert (first.attempts, second.attempts, len(server.asks)) == (2, 1, 3)
    assert "takes no temperature" in told[0]
    assert backend.news() == ()


async def test_a_refused_schema_is_asked_for_in_the_prompt_from_then_on() -> None:
    def old(asked):
        if "output_config" in asked.body:
            return error(400, "invalid_request_error", "output_config: Extra inputs are not permitted")
        return message("x")

    told, server = await ask(old)
    assert isinstance(told, Answer)
    assert len(server.asks) == 2


async def test_effort_and_thinking_are_passed_on() -> None:
    request = Request("m", "s", QUESTION.messages, options={"effort": "low", "thinking": "disabled"})
    _, server = await ask(message("x"), request)
    assert server.asks[0].body["output_config"] == {"effort": "low"}
    assert server.asks[0].body["thinking"] == {"type": "disabled"}


async def test_server_side_tools_are_passed_on_and_a_server_without_them_says_so() -> None:
    tool = {"type": "code_execution_20250825", "name": "code_execution"}
    request = Request("m", "s", QUESTION.messages, options={"tools": [tool]})
    _, server = await ask(message("x"), request)
    assert server.asks[0].body["tools"] == [tool]
    _, server = await ask(message("x"), Request("m", "s", QUESTION.messages))
    assert "tools" not in server.asks[0].body
    told, _ = await ask(
        error(400, "invalid_request_error", "tools: code_execution is not available"), request
    )
    assert isinstance(told, Failure)
    assert told.reason is Reason.BAD_REQUEST
    assert "code_execution is not available" in told.detail


async def test_the_sdks_warnings_become_news_and_reach_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    before = warnings.showwarning
    with serving(lambda _ask: message("x")) as server:
        backend = AnthropicBackend(model="claude-sonnet-4-5", base_url=server.url, structured="native")
        told = await backend.ask(Call(Request("claude-sonnet-4-5", "", QUESTION.messages)))
        assert isinstance(told, Answer)
        assert any("end-of-life" in text for text in backend.news())
        await backend.ask(Call(Request("claude-sonnet-4-5", "", QUESTION.messages)))
        assert backend.news() == (), "said once"
        await backend.close()
    assert warnings.showwarning is before
    assert capfd.readouterr() == ("", "")


# Small readers --------------------------------------------------------------------------------------


def test_retry_after_is_read_as_seconds_milliseconds_or_date() -> None:
    now = datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert retry_after({"retry-after": "2"}) == 2.0
    assert retry_after({"retry-after": "2", "retry-after-ms": "1500"}) == 1.5
    assert retry_after({"retry-after": "Tue, 01 Dec 2026 12:01:00 GMT"}, now) == 60.0
    assert retry_after({"retry-after": "Tue, 01 Dec 2026 11:00:00 GMT"}, now) == 0.0
    for nonsense in ("", "soon", "-5", "nan", "inf", "1e999"):
        assert retry_after({"retry-after": nonsense}) is None


def test_long_answers_are_given_the_time_they_need() -> None:
    def of(tokens: int) -> Request:
        return Request("m", "", (), max_tokens=tokens)

    assert time_limit(of(4096)) == 600.0
    assert time_limit(of(64_000)) == 1800.0
    assert time_limit(of(64_000), 5) == 5.0
    assert time_limit(of(4096), "nonsense") == 600.0


def test_a_fault_nobody_thought_of_is_an_error_with_its_name() -> None:
    told = ErrorReader("http://x").failure(KeyError("oops"), 0.1)
    assert (told.reason, told.fatal) == (Reason.ERROR, False)
    assert "KeyError" in told.detail
