"""Say what a thing is by its content: canonical JSON, prefixed hashes, ids."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Final

import msgspec

from store.errors import BadInput

ALGORITHM: Final = "sha256"


def canonical_json(value: object) -> bytes:
    """Encode a value so that equal content gives equal bytes.

    Keys are sorted, no white space is added, text is UTF-8; NaN and infinities become null.

    Raises:
        BadInput: JSON cannot hold it: a key that is not text, half a surrogate pair, an unknown type.
    """
    try:
        return msgspec.json.encode(value, order="deterministic")
    except (TypeError, UnicodeEncodeError) as error:
        raise BadInput(f"this cannot be written as JSON: {error}") from error


def content_hash(value: object) -> str:
    """Hash a value's canonical JSON, as ``sha256:<64 hex digits>``."""
    return f"{ALGORITHM}:{hashlib.sha256(canonical_json(value)).hexdigest()}"


def short_hash(full: str, digits: int = 8) -> str:
    """Shorten a hash for people: the first hex digits, without the algorithm."""
    return full.removeprefix(f"{ALGORITHM}:")[:digits]


def new_run_id(now: datetime | None = None) -> str:
    """Make a run id that sorts by time, also within a second, and does not collide between processes."""
    # Imported here: it loads a quarter of the cryptography there is, and only a new run needs it.
    import secrets

    moment = now or datetime.now(UTC)
    return f"r{moment:%Y%m%d-%H%M%S}-{moment.microsecond // 1000:03d}{secrets.token_hex(2)}"


def utc_now() -> str:
    """Give the present moment in UTC as ISO 8601 with seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
