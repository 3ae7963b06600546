"""Which field of a file becomes which field of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from store.errors import BadInput

TEXT_FIELDS: Final = ("input", "output", "messages", "a", "b")
"""Fields that hold what is judged; a row with none of them speaks about a trace that is here already."""

TRACE_FIELDS: Final = (
    "id", *TEXT_FIELDS, "facts", "metadata", "gold",
    "label", "note", "annotator", "verdict", "critique", "order",
)  # fmt: skip
"""Fields that mean something; every other one is kept as metadata."""

ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("trace_id", "pair_id"),
    "input": ("prompt", "question", "query", "user_input", "instruction"),
    "output": ("response", "answer", "completion", "reply", "generated", "generation"),
    "messages": ("conversation", "turns"),
    "a": ("output_1", "response_a", "response_A", "response1", "answer_a"),
    "b": ("output_2", "response_b", "response_B", "response2", "answer_b"),
}
"""Other names of a field, taken only when a row lacks the field's own name."""

CHAT_ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    **ALIASES,
    "id": (*ALIASES["id"], "conversation_id", "thread_id", "session_id"),
}
"""The same where each row is a whole conversation, so that the conversation's id is the trace's."""

MISSING: Final = object()

_FACT: Final = "facts."
_NOT_OF_PAIRS: Final = ("output", "messages")
_ONLY_OF_PAIRS: Final = ("a", "b", "gold", "order")
_COMPANY: Final[Mapping[str, tuple[str, ...]]] = {
    "label": ("note", "annotator"),
    "verdict": ("critique", "order"),
}
"""Fields that say something about another one, and mean nothing in rows without that one."""


@dataclass(frozen=True)
class Shape:
    """How to read rows that have one set of fields."""

    names: tuple[str, ...]
    """The rows' fields, in their order."""
    sources: Mapping[str, str]
    """For each trace field that is there: the name of the file's field, or a path into one."""
    facts: Mapping[str, str]
    """For each fact mapped by name: the file's field or path."""
    metadata: tuple[str, ...]
    """Fields that are nothing else."""
    inner: tuple[str, ...]
    """Paths into nested objects; what they leave over is metadata too."""
    aliases: Mapping[str, str]
    """Trace fields that were found under another name."""
    is_pair: bool
    """Whether the rows have two answers."""
    has_text: bool
    """Whether the rows have anything to judge in them."""

    def get(self, values: Mapping[str, object], target: str) -> object:
        """Give a trace field's value in a row, or MISSING."""
        source = self.sources.get(target)
        if source is None:
            return MISSING
        return values[source] if source in values else look_up(values, source)


class FieldMap:
    """Where each trace field is found; a path with dots goes into nested objects."""

    def __init__(
        self, paths: Mapping[str, str], *, aliases: Mapping[str, tuple[str, ...]], pair: bool
    ) -> None:
        self.paths = dict(paths)
        """The file's field or path for a trace field, or "" to leave that trace field alone."""
        self._aliases = aliases
        self._pair = pair
        self._shapes: dict[tuple[str, ...], Shape] = {}

    @classmethod
    def of(
        cls,
        maps: tuple[str, ...] = (),
        *,
        aliases: Mapping[str, tuple[str, ...]] = ALIASES,
        pair: bool = False,
        **named: str | None,
    ) -> FieldMap:
        """Read ``trace_field=file.field`` pairs, and fields named by options of their own.

        Args:
            maps: The pairs.
            aliases: Other names that are tried for trace fields nothing was said about.
            pair: Whether every row is a pair; otherwise those are that have both answers.
            named: The file's field for a trace field, or "" to leave that trace field alone.

        Raises:
            BadInput: A pair is not of this form, or names no trace field.
        """
        paths: dict[str, str] = {}
        for said in maps:
            target, equals, source = said.partition("=")
            if not equals or not target or not source:
                raise BadInput(f"--map takes TRACE_FIELD=FILE.FIELD, not {said!r}")
            is_fact = target.startswith(_FACT) and target != _FACT
            if target not in TRACE_FIELDS and not is_fact:
                known = ", ".join(TRACE_FIELDS)
                raise BadInput(f"--map: {target!r} is no trace field; there are {known} and facts.NAME")
            paths[target] = source
        paths.update({target: source for target, source in named.items() if source is not None})
        return cls(paths, aliases=aliases, pair=pair)

    def shape(self, values: Mapping[str, object]) -> Shape:
        """Give how to read a row; worked out once for all rows that have the same fields."""
        names = tuple(values)
        shape = self._shapes.get(names)
        if shape is None:
            shape = self._shapes[names] = self._work_out(names)
        return shape

    def _work_out(self, names: tuple[str, ...]) -> Shape:
        sources = {
            target: found for target in TRACE_FIELDS if (found := self._source(target, names)) is not None
        }
        # A row with an output under that very name is one reply, whatever else is called a and b.
        is_pair = self._pair or ("a" in sources and "b" in sources and sources.get("output") != "output")
        has_text = any(target in sources for target in TEXT_FIELDS)
        # What means nothing for this kind of row is the source's own affair: metadata.
        for target in _NOT_OF_PAIRS if is_pair else _ONLY_OF_PAIRS if has_text else ():
            sources.pop(target, None)
        for target, company in _COMPANY.items() if has_text else ():
            if target not in sources:
                for name in company:
                    sources.pop(name, None)
        facts = {
            target.removeprefix(_FACT): path
            for target, path in self.paths.items()
            if target.startswith(_FACT) and _is_there(path, names)
        }
        taken = (*sources.values(), *facts.values())
        return Shape(
            names=names,
            sources=sources,
            facts=facts,
            metadata=tuple(name for name in names if name not in taken),
            inner=tuple(path for path in taken if path not in names),
            aliases={
                target: source
                for target, source in sources.items()
                if source != target and target not in self.paths
            },
            is_pair=is_pair,
            has_text=has_text,
        )

    def _source(self, target: str, names: tuple[str, ...]) -> str | None:
        if target in self.paths:
            return self.paths[target] if _is_there(self.paths[target], names) else None
        return next((name for name in (target, *self._aliases.get(target, ())) if name in names), None)

    @property
    def has_rows(self) -> bool:
        """Whether any row was read through it."""
        return bool(self._shapes)

    def aliases_used(self) -> dict[str, str]:
        """Give the trace fields that were found under another name, with that name."""
        return {target: name for shape in self._shapes.values() for target, name in shape.aliases.items()}

    def never_found(self) -> tuple[str, ...]:
        """Name the fields that the user spoke of and that no row so far had."""
        return tuple(
            path
            for path in self.paths.values()
            if path and not any(_is_there(path, names) for names in self._shapes)
        )


def _is_there(path: str, names: tuple[str, ...]) -> bool:
    return path in names or ("." in path and path.partition(".")[0] in names)


def look_up(values: Mapping[str, object], path: str) -> object:
    """Follow a path with dots into nested objects and lists; MISSING when it leads nowhere."""
    found: object = values
    for part in path.split("."):
        if isinstance(found, Mapping) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isascii() and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            return MISSING
    return found


def left_over(value: object, path: list[str]) -> object:
    """Give a nested object without the value that a path leads to; what becomes empty goes too.

    Lists stay whole, since a position taken out would rename the others.

    Returns:
        A changed copy, the value itself when nothing was taken out, or MISSING when nothing is left.
    """
    if not path:
        return MISSING
    if not isinstance(value, Mapping) or path[0] not in value:
        return value
    rest = left_over(value[path[0]], path[1:])
    copy = {key: one for key, one in value.items() if key != path[0]}
    if rest is not MISSING:
        copy = {key: rest if key == path[0] else one for key, one in value.items()}
    return copy or MISSING
