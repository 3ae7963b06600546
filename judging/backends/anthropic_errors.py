"""What went wrong with a request: every exception of the SDK becomes one named Failure.

The reason says what kind of fault it was, `fatal` whether going on is pointless, and the detail is
one line for people that names the endpoint and holds no key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from judging.calls import Failure
from store.records import Reason

if TYPE_CHECKING:
    from anthropic import APIConnectionError, APIStatusError

_LONGEST: Final = 300
_KEY_LIKE: Final = re.compile(r"sk-[A-Za-z0-9_-]{8,}")
_MONEY: Final = re.compile(r"credit balance|usage limits?\b|spend(?:ing)? limit|billing", re.IGNORECASE)
_SPENT: Final = ("spend_limit_reached", "organization_on_hold")
"""Ends or names of error codes that no waiting mends."""

_BY_STATUS: Final[Mapping[int, Reason]] = {
    401: Reason.AUTH,
    402: Reason.CREDIT,
    403: Reason.AUTH,
    404: Reason.NOT_FOUND,
    408: Reason.TIMEOUT,
    409: Reason.SERVER_ERROR,
    429: Reason.RATE_LIMITED,
    504: Reason.TIMEOUT,
    529: Reason.OVERLOADED,
}
_FATAL: Final = frozenset({Reason.AUTH, Reason.CREDIT, Reason.NOT_FOUND})
_NEVER_SENT: Final = frozenset(
    {
        "ConnectError",
        "ConnectTimeout",
        "PoolTimeout",
        "LocalProtocolError",
        "UnsupportedProtocol",
        "ProxyError",
    }
)
"""Classes of the HTTP library for requests that did not reach the server."""


@dataclass(frozen=True)
class ErrorReader:
    """Reads exceptions raised by a request to one endpoint."""

    endpoint: str
    secrets: tuple[str, ...] = ()
    """Keys that must not appear in any text."""

    def failure(self, error: Exception, seconds: float) -> Failure:
        """Give the failure that an exception stands for.

        Args:
            error: As raised by the SDK, or by the time limit around it.
            seconds: How long the attempt took.
        """
        import anthropic

        if isinstance(error, anthropic.APIStatusError):
            return self._refused(error, seconds)
        if isinstance(error, anthropic.APIConnectionError):
            return self._disconnected(error, seconds, timed_out=isinstance(error, anthropic.APITimeoutError))
        if isinstance(error, TimeoutError):
            return self._late(seconds)
        if isinstance(error, json.JSONDecodeError | anthropic.APIResponseValidationError):
            return self.no_message("a body that is not the JSON of a message", seconds)
        if isinstance(error, anthropic.CredentialsError) or "authentication method" in str(error):
            detail = (
                "no API key was found: set ANTHROPIC_API_KEY (or another source the anthropic SDK reads) "
                f"to send requests to {self.endpoint}"
            )
            return Failure(Reason.AUTH, detail, seconds=seconds, fatal=True)
        return Failure(Reason.ERROR, self.clean(f"{type(error).__name__}: {error}"), seconds=seconds)

    def no_message(self, what: str, seconds: float, *, request_id: str = "") -> Failure:
        """Give the failure of an answer with status 200 that is no message of the protocol."""
        detail = (
            f"{self.endpoint} answered 200 with {what}, not with a message of the Messages API: "
            "check the base URL, and whether a proxy or a login page stands in between"
        )
        return Failure(
            Reason.BAD_RESPONSE,
            self.clean(detail),
            200,
            request_id=request_id,
            seconds=seconds,
            may_have_cost=True,
        )

    def reported(self, kind: str, said: str, seconds: float, *, request_id: str = "") -> Failure:
        """Give the failure of an answer with status 200 whose body is an error of the protocol."""
        reason = Reason.OVERLOADED if kind == "overloaded_error" else Reason.BAD_RESPONSE
        detail = self.clean(f"{self.endpoint} answered 200 with an error ({kind}): {said}")
        return Failure(reason, detail, 200, request_id=request_id, seconds=seconds)

    def clean(self, text: str) -> str:
        """Take keys out of a text and make it one line of bearable length."""
        for secret in self.secrets:
            text = text.replace(secret, "[key]")
        text = " ".join(_KEY_LIKE.sub("[key]", text).split())
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

    def _refused(self, error: APIStatusError, seconds: float) -> Failure:
        status, said = error.status_code, _said(error)
        reason = _reason(error, said)
        kind = f" ({error.type})" if error.type else ""
        return Failure(
            reason,
            self.clean(f"{self.endpoint} answered {status}{kind}: {said}"),
            status,
            retry_after=retry_after(error.response.headers),
            request_id=error.request_id or "",
            seconds=seconds,
            fatal=reason in _FATAL,
        )

    def _disconnected(self, error: APIConnectionError, seconds: float, *, timed_out: bool) -> Failure:
        cause = error.__cause__
        name = type(cause).__name__ if cause is not None else type(error).__name__
        sent = name not in _NEVER_SENT
        if timed_out and sent:
            return self._late(seconds)
        # The cause's own text is left out: for a bad header it would be the key.
        what = "the connection was lost before an answer came" if sent else "it cannot be reached"
        return Failure(
            Reason.CONNECTION, f"{self.endpoint}: {what} ({name})", seconds=seconds, may_have_cost=sent
        )

    def _late(self, seconds: float) -> Failure:
        detail = f"{self.endpoint} gave no answer in {seconds:.0f} s"
        return Failure(Reason.TIMEOUT, detail, seconds=seconds, may_have_cost=True)


def _reason(error: APIStatusError, said: str) -> Reason:
    code = error.error_code or ""
    if code.endswith(_SPENT) or (error.status_code == 400 and _MONEY.search(said)):
        return Reason.CREDIT
    if error.type == "overloaded_error":
        return Reason.OVERLOADED
    known = _BY_STATUS.get(error.status_code)
    if known is not None:
        return known
    return Reason.SERVER_ERROR if error.status_code >= 500 else Reason.BAD_REQUEST


def _said(error: APIStatusError) -> str:
    if error.api_message:
        return str(error.api_message)
    if "html" in error.response.headers.get("content-type", ""):
        return "a page of HTML"
    return str(error.body or "nothing more")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read how many seconds a server asks to wait: `retry-after-ms`, or `retry-after` as seconds or date."""
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _seconds(text)
    if seconds is not None or not text:
        return seconds
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _seconds(text: str) -> float | None:
    # Digits only: "inf", "nan" and "-5" are numbers to Python and nonsense here.
    return float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text.strip()) else None
