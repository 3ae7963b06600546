"""Find JSON objects and thinking in an answer, with a real scanner.

Braces and quotes inside JSON strings are text; `<think>` inside one is text too, and anywhere else
it bounds what the model said to itself, which decides nothing.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from store.records import Json

_STOPS: Final = re.compile(r"\{|<(?P<close>/?)(?P<tag>think|thinking|reasoning)>", re.IGNORECASE)
_TOKENS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|["{}]', re.DOTALL)
_COMMAS: Final = re.compile(r'("(?:[^"\\]++|\\.)*+")|,(?=\s*[}\]])', re.DOTALL)
_OPENING: Final = re.compile(r'\{\s*(?:\}|"(?:[^"\\]++|\\.)*+"\s*:)', re.DOTALL)
_FIRST_KEY: Final = re.compile(r'\{\s*"([^"\\\n]{1,40})"\s*:')

_MAX_BROKEN: Final = 50
_WORK_PER_CHARACTER: Final = 8
_WORK_AT_LEAST: Final = 1_000_000
_CHEAP: Final = 64
"""How many characters cost as much to count lines in as one costs to decode."""


@dataclass(frozen=True)
class JsonObject:
    """A JSON object with its members as written: in order, repeats kept."""

    pairs: tuple[tuple[str, Json], ...]


@dataclass(frozen=True)
class Found:
    """One JSON object in a text."""

    start: int
    end: int
    value: JsonObject
    repaired: bool = False
    """Commas before a closing bracket had to be dropped."""
    inside_broken: bool = False
    """It stands where an object that cannot be read had begun, so it may be a quotation."""


@dataclass(frozen=True)
class Broken:
    """Where an object of the judge's own shape begins that cannot be read."""

    start: int
    end: int


@dataclass(frozen=True)
class Scan:
    """What an answer consists of."""

    objects: tuple[Found, ...]
    broken: tuple[Broken, ...]
    prose: str
    """The answer, character for character, with objects and thinking turned into line breaks."""
    given_up: bool = False
    """The text is built so that reading it on would take too long."""


def scan(text: str, own_keys: frozenset[str]) -> Scan:
    """Split an answer into top-level objects, prose, and thinking that is left out.

    Args:
        text: The answer.
        own_keys: Keys, as `plain_key` gives them, that tell an object as the judge's own.
    """
    return _Scanner(text, own_keys).run()


def plain_key(key: str) -> str:
    """Give a JSON key without case, spaces and hyphens."""
    return re.sub(r"[\s_-]+", "_", key.strip().casefold())


class _Scanner:
    def __init__(self, text: str, own_keys: frozenset[str]) -> None:
        self._text = text
        self._own_keys = own_keys
        self._decoder = json.JSONDecoder(object_pairs_hook=_as_object, strict=False)
        self._objects: list[Found] = []
        self._broken: list[Broken] = []
        self._hidden: list[tuple[int, int]] = []
        self._work = max(_WORK_AT_LEAST, _WORK_PER_CHARACTER * len(text))

    def run(self) -> Scan:
        position = 0
        while stop := _STOPS.search(self._text, position):
            if self._work < 0 or len(self._broken) > _MAX_BROKEN:
                return Scan((), (), "", given_up=True)
            opens_object = stop[0] == "{"
            position = self._take_object(stop.start()) if opens_object else self._take_thinking(stop)
        return Scan(tuple(self._objects), tuple(self._broken), self._prose())

    def _take_thinking(self, tag: re.Match[str]) -> int:
        if tag["close"]:
            # Only the end of the thinking was sent: all before it was thinking.
            self._objects.clear()
            self._broken.clear()
            self._hidden = [(0, tag.end())]
            return tag.end()
        closing = re.compile(rf"</{tag['tag']}>", re.IGNORECASE).search(self._text, tag.end())
        end = closing.end() if closing else len(self._text)
        self._hidden.append((tag.start(), end))
        return end

    def _take_object(self, start: int) -> int:
        if not _OPENING.match(self._text, start):
            return start + 1
        try:
            value, end = self._decoder.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            # The error's own line number was counted from the beginning of the text.
            self._work -= error.pos - start + error.pos // _CHEAP
        except (ValueError, RecursionError):
            self._work -= len(self._text) - start
        else:
            self._add(start, end, value)
            return end
        return self._take_unreadable(start)

    def _take_unreadable(self, start: int) -> int:
        """Repair an object of the judge's own shape, or remember that one begins here."""
        key = _FIRST_KEY.match(self._text, start)
        if key is None or plain_key(key[1]) not in self._own_keys:
            return start + 1
        end = _balanced_end(self._text, start)
        if end is not None:
            try:
                value = self._decoder.decode(_COMMAS.sub(lambda m: m[1] or "", self._text[start:end]))
            except (ValueError, RecursionError):
                pass
            else:
                self._add(start, end, value, repaired=True)
                return end
        self._broken.append(Broken(start, len(self._text) if end is None else end))
        return start + 1

    def _add(self, start: int, end: int, value: Json, *, repaired: bool = False) -> None:
        if isinstance(value, JsonObject):
            inside = any(broken.start < start < broken.end for broken in self._broken)
            self._objects.append(Found(start, end, value, repaired, inside))
            self._hidden.append((start, end))

    def _prose(self) -> str:
        pieces, position = [], 0
        for start, end in self._hidden:
            pieces += [self._text[position:start], "\n" * (end - start)]
            position = end
        return "".join([*pieces, self._text[position:]])


def _as_object(pairs: list[tuple[str, Json]]) -> JsonObject:
    return JsonObject(tuple(pairs))


def _balanced_end(text: str, start: int) -> int | None:
    depth = 0
    for token in _TOKENS.finditer(text, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                return token.end()
        elif token[0] == '"':
            return None
    return None
