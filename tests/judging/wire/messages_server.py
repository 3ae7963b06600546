"""A loopback HTTP server that speaks the Messages API as a script tells it, faults included.

It runs in a thread of its own with its own event loop, keeps every request it got, and answers over
kept-alive connections as the real one does.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

MODEL: Final = "claude-haiku-5-5"
USAGE: Final = {"input_tokens": 1000, "output_tokens": 100}


@dataclass(frozen=True)
class Ask:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, object]

    @property
    def text(self) -> str:
        """The newest message's text."""
        return str(self.body["messages"][-1]["content"])

    @property
    def is_probe(self) -> bool:
        """Whether it asks how the server behaves rather than for a verdict."""
        return "ok" in str(self.body.get("output_config")) and "weather" in self.text


@dataclass(frozen=True)
class Reply:
    """What goes back, or what goes wrong."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    """Close the connection after so many bytes of the body."""
    drop: bool = False
    """Close the connection without a word."""
    hang: bool = False
    """Never answer."""
    delay: float = 0.0


Script = Callable[[Ask], Reply]


def message(
    text: str = "",
    *,
    content: list[dict[str, object]] | None = None,
    stop_reason: str = "end_turn",
    headers: Mapping[str, str] | None = None,
    delay: float = 0.0,
    **fields: object,
) -> Reply:
    """Give a message with one text block, or with other content."""
    body = {
        "id": "msg_x",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [{"type": "text", "text": text}] if content is None else content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": USAGE,
        **fields,
    }
    own = {"content-type": "application/json", "request-id": "req_wire", **(headers or {})}
    return Reply(200, json.dumps(body).encode(), own, delay=delay)


def verdict(word: str, critique: str = "because of the words", **more: object) -> Reply:
    """Give a message that states a verdict as it was asked for."""
    return message(json.dumps({"critique": critique, "verdict": word}), **more)


def error(status: int, kind: str, said: str = "no", **headers: str) -> Reply:
    """Give an error of the protocol."""
    body = {"type": "error", "error": {"type": kind, "message": said}}
    own = {name.replace("_", "-"): value for name, value in headers.items()}
    own |= {"content-type": "application/json", "request-id": "req_bad"}
    return Reply(status, json.dumps(body).encode(), own)


def page(text: str = "<html><p>Please pass the login check</p></html>", status: int = 200) -> Reply:
    """Give a page as a proxy would."""
    return Reply(status, text.encode(), {"content-type": "text/html"})


def recorded(case: Mapping[str, object]) -> Reply:
    """Give a reply as a case file describes it."""
    raw = case.get("raw")
    body = str(raw) if raw is not None else json.dumps(case["body"])
    return Reply(
        int(str(case["status"])), body.encode(), {"content-type": "application/json", **case["headers"]}
    )


def in_turn(replies: Iterable[Reply]) -> Script:
    """Give replies one after the other; asking for more is a fault of the program under test."""
    left = iter(replies)

    def answer(_ask: Ask) -> Reply:
        return next(left, error(400, "invalid_request_error", "the script is at its end"))

    return answer


class MessagesServer:
    """The server; use `serving` to have one."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asks: list[Ask] = []
        """Every request for a message except probes, in the order of arrival."""
        self.probes: list[Ask] = []
        self.native = True
        """Whether a probe for structured answers is answered in shape."""
        self.url = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._answer(await _read(reader), writer):
                    pass
        finally:
            # Not when it suits the collector: a transport left open is a warning, which is an error here.
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, ask: Ask, writer: asyncio.StreamWriter) -> bool:
        if ask.is_probe:
            self.probes.append(ask)
            reply = message('{"ok": true}' if self.native else "Lovely, and yours?")
        else:
            self.asks.append(ask)
            reply = self.script(ask)
        if reply.hang:
            await asyncio.sleep(3600)
        if reply.delay:
            await asyncio.sleep(reply.delay)
        if reply.drop:
            return False
        head = [f"HTTP/1.1 {reply.status} -", f"content-length: {len(reply.body)}"]
        head += [f"{name}: {value}" for name, value in reply.headers.items()]
        body = reply.body if reply.cut is None else reply.body[: reply.cut]
        writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await writer.drain()
        return reply.cut is None


async def _read(reader: asyncio.StreamReader) -> Ask:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:] if line)
    headers = {name.lower(): value for name, value in headers.items()}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Ask(lines[0].split()[1], headers, json.loads(body) if body else {})


@contextmanager
def serving(script: Script) -> Iterator[MessagesServer]:
    """Serve on a free port of this machine for the length of a block."""
    server = MessagesServer(script)
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def serve() -> None:
        listening = await asyncio.start_server(server.handle, "127.0.0.1", 0)
        server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        ready.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        listening.close()
        open_connections = asyncio.all_tasks(loop) - {asyncio.current_task()}
        for task in open_connections:
            task.cancel()
        await asyncio.gather(*open_connections, return_exceptions=True)
        await asyncio.sleep(0)

    main = loop.create_task(serve())
    thread = threading.Thread(target=loop.run_until_complete, args=(main,), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(main.cancel)
        thread.join(10)
        loop.close()
