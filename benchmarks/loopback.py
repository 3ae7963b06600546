"""A Messages API server on loopback that answers every call with a pass after a fixed time.

Run as a process of its own, so that its work does not slow down what is measured.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from subprocess import PIPE, Popen

BODY = json.dumps(
    {
        "id": "msg_bench",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [
            {"type": "text", "text": '{"critique": "The reply meets the standard.", "verdict": "pass"}'}
        ],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 30},
    }
).encode()
PROBE = BODY.replace(
    b'{\\"critique\\": \\"The reply meets the standard.\\", \\"verdict\\": \\"pass\\"}', b'{\\"ok\\": true}'
)


async def _handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0] or b"0")
            asked = await reader.readexactly(size)
            await asyncio.sleep(seconds)
            body = BODY if b"critique" in asked else PROBE
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nrequest-id: req_bench\r\n"
                b"content-length: %d\r\n\r\n" % len(body) + body
            )
            await writer.drain()
    writer.close()


async def _serve(seconds: float) -> None:
    server = await asyncio.start_server(lambda r, w: _handle(r, w, seconds), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


@contextmanager
def server(milliseconds: int) -> Iterator[str]:
    """Run the server in a process of its own for the length of a block; gives its base URL."""
    process = Popen([sys.executable, "-m", "benchmarks.loopback", str(milliseconds)], stdout=PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait()
        if process.stdout:
            process.stdout.close()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]) / 1000))
