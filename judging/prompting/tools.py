"""The API's own server-side tools, as a request names them.

A tool goes into the request as the Messages API defines it; whether the server has it is found out
when it is asked. The short names stand for the versions that need no beta header and that most
models take; another version is given whole, as the API's documentation writes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from store.records import Json

SERVER_TOOLS: Final[Mapping[str, Mapping[str, Json]]] = {
    "code_execution": {"type": "code_execution_20250825", "name": "code_execution"},
    "web_search": {"type": "web_search_20250305", "name": "web_search", "max_uses": 5},
}
"""The tools a critic may be given, by short name."""


def server_tools(given: Json) -> tuple[dict[str, Json], ...]:
    """Give tools as a request holds them, from short names or whole definitions.

    Raises:
        ValueError: when one is neither, or one is named twice.
    """
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ValueError(f"critic_tools has to be a list of tools, not {given!r}")
    tools = tuple(_tool(one) for one in given)
    if len({tool["name"] for tool in tools}) < len(tools):
        raise ValueError("critic_tools names a tool twice")
    return tools


def _tool(given: Json) -> dict[str, Json]:
    if isinstance(given, str) and given in SERVER_TOOLS:
        return dict(SERVER_TOOLS[given])
    if isinstance(given, Mapping) and all(isinstance(given.get(key), str) for key in ("type", "name")):
        return dict(given)
    raise ValueError(f"{given!r} is no tool of the server; there are {', '.join(SERVER_TOOLS)}")
