"""Ask a model through the anthropic SDK: one client for a run, one attempt a call.

The SDK's own retries are off: waiting, retrying and pacing belong to the runner, where they are
counted, shown and can be cancelled. Whatever the server does becomes an Answer or a named Failure.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from judging.backends.anthropic_errors import ErrorReader
from judging.backends.anthropic_requests import Dress, Server, honours_schema, probe_call, time_limit
from judging.backends.anthropic_sdk import WarningsKept, import_sdk
from judging.backends.base import BackendFacts, Structured
from judging.calls import Answer, Call, Failure, Reply, Request
from store.errors import BadInput
from store.records import Json, JudgeVersion, Reason, Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import (
        Message,
        MessageParam,
        OutputConfigParam,
        TextBlockParam,
        ThinkingConfigParam,
        ToolUnionParam,
    )

_NO_KEY: Final = "no-key"
"""Sent to servers that are not Anthropic's when there is no key: local ones take any."""

_CONNECT: Final = 10.0
_BEYOND: Final = 5.0
"""Seconds beyond the SDK's time limit at which an attempt is cut off: a trickle of bytes resets its clock."""


class AnthropicBackend:
    """Answers calls through one AsyncAnthropic client."""

    def __init__(
        self, *, model: str, base_url: str = "", timeout: Json = None, structured: Structured | None = None
    ) -> None:
        """Make the client; nothing is sent yet.

        Args:
            model: The judge's model, for the probe and for what is said of the backend.
            base_url: Any server that speaks the Messages API; empty: the SDK's own sources.
            timeout: Seconds an attempt may last; None: 10 minutes, or more for long answers.
            structured: How answers get their shape; None: found out by one probe call where it is not known.
        """
        import_sdk()
        self._model = model
        self._timeout = timeout
        self._client, self._server = _connect(base_url)
        self._errors = ErrorReader(self._server.endpoint, _secrets(self._client))
        self._probe: Call | None = None
        if structured is not None:
            self._server.structured = structured
        elif not self._server.official:
            self._probe = probe_call(model)
        self._warnings = WarningsKept()
        self._fresh: list[str] = []
        self._told: set[str] = set()

    @classmethod
    def for_judge(cls, judge: JudgeVersion) -> AnthropicBackend:
        """Make the backend of a judge version; its `timeout` and `structured` parameters are heeded."""
        wanted = judge.params.get("structured")
        structured: Structured | None = (
            "native" if wanted == "native" else "prompt" if wanted == "prompt" else None
        )
        return cls(
            model=judge.model,
            base_url=judge.base_url,
            timeout=judge.params.get("timeout"),
            structured=structured,
        )

    def facts(self) -> BackendFacts:
        """Say what the server is known to do."""
        return BackendFacts(
            "anthropic",
            self._server.endpoint,
            self._server.structured,
            self._server.takes_temperature(self._model),
        )

    def probe(self) -> Call | None:
        """Give the call that tells whether a server that is not Anthropic's honours a schema."""
        return self._probe

    def learn(self, reply: Reply) -> None:
        """Take in the reply to the probe: without the asked-for shape, the prompt has to give it."""
        self._probe = None
        if self._server.structured == "native" and not (
            isinstance(reply, Answer) and honours_schema(reply.text)
        ):
            self._server.structured = "prompt"
            self._fresh.append(
                f"{self._server.endpoint} does not honour a schema: the shape is asked for in the prompt"
            )

    def news(self) -> tuple[str, ...]:
        """Give the SDK's warnings and what was learned of the server since the last time."""
        found = dict.fromkeys([*self._warnings.taken(), *self._fresh])
        self._fresh.clear()
        told = tuple(text for text in found if text not in self._told)
        self._told.update(told)
        return told

    async def ask(self, call: Call) -> Reply:
        """Make one attempt; a second one only where the server refused a field it can do without."""
        sent = self._server.dress(call.request)
        reply = await self._attempt(call.request, sent)
        if isinstance(reply, Failure) and reply.reason is Reason.BAD_REQUEST:
            learned = self._server.adapt(sent, reply.detail)
            if learned is not None:
                self._fresh.append(learned)
                again = await self._attempt(call.request, self._server.dress(call.request))
                return replace(again, attempts=reply.attempts + again.attempts)
        return reply

    async def close(self) -> None:
        """Close the connections."""
        self._warnings.close()
        await self._client.close()

    async def _attempt(self, request: Request, sent: Dress) -> Reply:
        started = time.monotonic()
        try:
            message = await self._send(request, sent)
        except Exception as error:
            return self._errors.failure(error, time.monotonic() - started)
        return self._read(message, time.monotonic() - started)

    async def _send(self, request: Request, sent: Dress) -> object:
        from anthropic import Timeout, omit

        limit = time_limit(request, self._timeout)
        async with asyncio.timeout(limit + _BEYOND):
            return await self._client.messages.create(
                model=request.model,
                max_tokens=request.max_tokens,
                messages=_messages(request),
                system=self._system(request) or omit,
                output_config=_output_config(request, sent) or omit,
                thinking=_thinking(request) or omit,
                tools=_tools(request) or omit,
                extra_body=dict(sent.body) or None,
                extra_headers=sent.headers or None,
                timeout=Timeout(limit, connect=min(_CONNECT, limit)),
            )

    def _system(self, request: Request) -> str | list[TextBlockParam]:
        # The system prompt is the same for every row, so Anthropic's cache is offered it; other servers
        # get plain text, which every one of them takes.
        if not request.system or not self._server.official:
            return request.system
        return [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]

    def _read(self, message: object, seconds: float) -> Reply:
        """Check that an answer is a message at all: the SDK validates none of its fields."""
        from anthropic.types import Message

        if not isinstance(message, Message):
            return self._errors.no_message("something else", seconds)
        request_id = message._request_id or ""
        kind: object = message.type
        content: object = message.content
        if kind != "message" or not isinstance(content, list):
            error = (message.model_extra or {}).get("error")
            if isinstance(error, Mapping):
                fault, said = str(error.get("type", "")), str(error.get("message", ""))
                return self._errors.reported(fault, said, seconds, request_id=request_id)
            return self._errors.no_message("JSON of another kind", seconds, request_id=request_id)
        return _answer(message, request_id, seconds)


def _connect(base_url: str) -> tuple[AsyncAnthropic, Server]:
    """Make the client; servers that are not Anthropic's find the key in both headers, or do without one.

    Raises:
        BadInput: The SDK cannot read a profile or credentials file of the user's.
    """
    from anthropic import AnthropicError, AsyncAnthropic

    try:
        client = AsyncAnthropic(base_url=base_url or None, max_retries=0)
    except AnthropicError as error:
        raise BadInput(f"the anthropic SDK could not be set up: {error}") from error
    server = Server.at(str(client.base_url))
    if server.official:
        return client, server
    if not (client.api_key or client.auth_token or client.credentials):
        client = client.copy(api_key=_NO_KEY)
    key = client.api_key or client.auth_token
    return (client.copy(default_headers={"X-Api-Key": key}) if key else client), server


def _secrets(client: AsyncAnthropic) -> tuple[str, ...]:
    keys = (client.api_key or "", client.auth_token or "")
    return tuple(key.strip() for key in keys if key.strip() not in ("", _NO_KEY))


def _messages(request: Request) -> list[MessageParam]:
    texts = [{"role": message.role, "content": message.content} for message in request.messages]
    return cast("list[MessageParam]", texts)


def _output_config(request: Request, sent: Dress) -> OutputConfigParam:
    config: dict[str, object] = {}
    if sent.schema is not None:
        config["format"] = {"type": "json_schema", "schema": dict(sent.schema)}
    effort = request.options.get("effort")
    if isinstance(effort, str):
        config["effort"] = effort
    return cast("OutputConfigParam", config)


def _thinking(request: Request) -> ThinkingConfigParam | None:
    thinking = request.options.get("thinking")
    if isinstance(thinking, str):
        thinking = {"type": thinking}
    return cast("ThinkingConfigParam", dict(thinking)) if isinstance(thinking, Mapping) else None


def _tools(request: Request) -> list[ToolUnionParam]:
    """Give the API's own server-side tools that the request names; a server without them answers 400."""
    tools = request.options.get("tools")
    if isinstance(tools, str) or not isinstance(tools, Sequence):
        return []
    return [cast("ToolUnionParam", dict(tool)) for tool in tools if isinstance(tool, Mapping)]


def _answer(message: Message, request_id: str, seconds: float) -> Answer:
    # By type, never by position: thinking may come first, and answers may come in several blocks.
    texts = [block.text for block in message.content if block.type == "text" and isinstance(block.text, str)]
    category = getattr(message.stop_details, "category", None)
    return Answer(
        "".join(texts),
        message.stop_reason,
        _usage(message),
        message.model or "",
        request_id,
        seconds,
        stop_detail=str(category) if category else "",
    )


def _usage(message: Message) -> Usage:
    # Servers leave fields out, or all of it; what was not said is 0 tokens known.
    counted = message.usage
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    values = [getattr(counted, name, None) for name in names]
    return Usage(*(value if isinstance(value, int) else 0 for value in values))
