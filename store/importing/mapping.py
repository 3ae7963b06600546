"""Which field of a file becomes which field of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from store.errors import BadInput

TRACE_FIELDS: Final = (
    "id", "input", "output", "messages", "facts", "a", "b", "gold", "label", "note", "annotator", "verdict",
    "critique", "order",
)  # fmt: skip
"""Fields that mean something; every other one is kept as metadata."""

ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("trace_id", "pair_id", "conversation_id", "idx"),
    "input": ("prompt", "question", "query", "user_input", "instruction"),
    "output": ("response", "answer", "completion", "reply", "generated", "generation"),
    "messages": ("conversation", "turns"),
    "a": ("output_1", "response_a", "response_A", "response1", "answer_a"),
    "b": ("output_2", "response_b", "response_B", "response2", "answer_b"),
}
"""Other names of a field, taken only when no row has the field under its own name."""

MISSING: Final = object()


@dataclass(frozen=True)
class FieldMap:
    """Where each trace field is found in a row; a path with dots goes into nested objects."""

    paths: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, maps: tuple[str, ...], **named: str | None) -> FieldMap:
        """Read ``trace_field=file.field`` pairs, and fields named by options of their own.

        Raises:
            BadInput: A pair is not of this form, or names no trace field.
        """
        paths: dict[str, str] = {}
        for pair in maps:
            target, equals, source = pair.partition("=")
            if not equals or not target or not source:
                raise BadInput(f"--map takes TRACE_FIELD=FILE.FIELD, not {pair!r}")
            if target.partition(".")[0] not in TRACE_FIELDS or (
                "." in target and not target.startswith("facts.")
            ):
                raise BadInput(
                    f"--map: {target!r} is no trace field; there are {', '.join(TRACE_FIELDS)}, facts.NAME"
                )
            paths[target] = source
        paths.update({target: source for target, source in named.items() if source is not None})
        return cls(paths)

    def get(self, values: Mapping[str, object], target: str) -> object:
        """Give a trace field's value in a row, or MISSING."""
        if target in self.paths:
            path = self.paths[target]
            return look_up(values, path) if path else MISSING
        if target in values:
            return values[target]
        for alias in ALIASES.get(target, ()):
            if alias in values:
                return values[alias]
        return MISSING

    def alias_used(self, values: Mapping[str, object], target: str) -> str | None:
        """Give the other name that a field was found under, or None."""
        if target in self.paths or target in values:
            return None
        return next((alias for alias in ALIASES.get(target, ()) if alias in values), None)

    def used(self, values: Mapping[str, object]) -> set[str]:
        """Name the fields of a row that became trace fields; the others are metadata."""
        names = {path.partition(".")[0] for path in self.paths.values() if path.partition(".")[0] in values}
        names.update(path for path in self.paths.values() if path in values)
        for target in TRACE_FIELDS:
            if target in self.paths:
                continue
            if target in values:
                names.add(target)
            elif (alias := self.alias_used(values, target)) is not None:
                names.add(alias)
        return names


def look_up(values: Mapping[str, object], path: str) -> object:
    """Follow a path with dots into nested objects; a field whose own name has the dots comes first."""
    if path in values:
        return values[path]
    found: object = values
    for part in path.split("."):
        if isinstance(found, Mapping) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            return MISSING
    return found
