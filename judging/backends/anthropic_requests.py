"""How a request is put for one server: what it takes, what is left out, how long it may last."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from judging.backends.base import Structured
from judging.calls import Call, Message, Request
from store.records import Json

OLD_API_VERSION: Final = "2023-06-01"
"""The last version of the API at which a temperature is taken at all, and only by older models."""

_TAKES_TEMPERATURE: Final = re.compile(
    r"claude-(?:[12]|instant|3)\b.*|claude-(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:[-@]\d{8})?"
)
"""Up to Opus and Sonnet 4.6 and Haiku 4.5; there is no field for this in the Models API."""

DEFAULT_TIMEOUT: Final = 600.0
_SECONDS_PER_TOKEN: Final = 3600 / 128_000
"""The pace the SDK itself expects of a long answer; without a stated limit it refuses to wait that long."""

_PROBE_SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Dress:
    """What goes with one request besides its texts."""

    schema: Mapping[str, Json] | None = None
    """None: the prompt alone gives the shape."""
    body: Mapping[str, object] = field(default_factory=dict)
    """Fields the SDK has no argument for."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Server:
    """What is known of the server behind a base URL; more may be learned in the course of a run."""

    endpoint: str
    official: bool
    """Whether it is Anthropic's own."""
    structured: Structured = "native"
    refuses_temperature: bool = False

    @classmethod
    def at(cls, base_url: str) -> Server:
        """Describe the server at a base URL."""
        parts = urlsplit(base_url)
        host = parts.hostname or ""
        # A user name and password in a URL are secrets like a key.
        shown = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        official = host == "anthropic.com" or host.endswith(".anthropic.com")
        return cls(f"{shown.rstrip('/')}/v1/messages", official)

    def takes_temperature(self, model: str) -> bool:
        """Say whether a temperature is sent for a model: to older Claude models, and to other servers."""
        if self.refuses_temperature:
            return False
        return not self.official or _TAKES_TEMPERATURE.fullmatch(model) is not None

    def dress(self, request: Request) -> Dress:
        """Give what is sent with a request, by what is known now."""
        schema = request.schema if self.structured == "native" else None
        if request.temperature is None or not self.takes_temperature(request.model):
            return Dress(schema)
        headers = {"anthropic-version": OLD_API_VERSION} if self.official else {}
        return Dress(schema, {"temperature": request.temperature}, headers)

    def adapt(self, sent: Dress, complaint: str) -> str | None:
        """Leave out from now on what a server complained of.

        Args:
            sent: What went with the request it refused.
            complaint: What it said.

        Returns:
            What a person should be told when the request is worth sending again, or None.
        """
        if "temperature" in sent.body and "temperature" in complaint:
            self.refuses_temperature = True
            return f"{self.endpoint} takes no temperature: the provider's default is used"
        if sent.schema and re.search(r"output_config|output_format|json_schema", complaint):
            self.structured = "prompt"
            return f"{self.endpoint} takes no schema: the shape is asked for in the prompt"
        return None


def time_limit(request: Request, wanted: Json = None) -> float:
    """Give how many seconds an attempt may last: as wanted, or by the length of answer that is allowed."""
    if isinstance(wanted, int | float) and not isinstance(wanted, bool) and wanted > 0:
        return float(wanted)
    return max(DEFAULT_TIMEOUT, request.max_tokens * _SECONDS_PER_TOKEN)


def probe_call(model: str) -> Call:
    """Give the call that tells whether a server honours a schema: the prompt invites prose."""
    return Call(
        Request(
            model=model,
            system="You are a friendly companion who answers in one plain sentence.",
            messages=(Message("user", "How is the weather where you are?"),),
            max_tokens=1024,
            schema=_PROBE_SCHEMA,
        )
    )


def honours_schema(text: str) -> bool:
    """Say whether the probe's answer has the shape that only the schema asked for."""
    try:
        answer = json.loads(text)
    except ValueError:
        return False
    return isinstance(answer, dict) and set(answer) == {"ok"} and isinstance(answer["ok"], bool)
