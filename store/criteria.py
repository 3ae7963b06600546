"""The book of criteria: every version of every written standard."""

from __future__ import annotations

from dataclasses import replace

from store.books import Book
from store.errors import BadInput, NotFound
from store.identity import utc_now
from store.records import Criterion


class CriterionBook(Book[Criterion]):
    """All criteria of a project, by name and version."""

    table_name = "criteria"
    record_type = Criterion

    def _reset(self) -> None:
        self._versions: dict[str, list[Criterion]] = {}

    def _apply(self, doc_id: int, record: Criterion) -> None:
        self._versions.setdefault(record.name, []).append(record)

    def names(self) -> tuple[str, ...]:
        """Name all criteria in the order they were made."""
        return tuple(self._versions)

    def __contains__(self, name: str) -> bool:
        return name in self._versions

    def latest(self, name: str) -> Criterion:
        """Give the newest version.

        Raises:
            NotFound: There is no such criterion.
        """
        return self.versions(name)[-1]

    def version(self, name: str, number: int) -> Criterion:
        """Give one version by its number, from 1.

        Raises:
            NotFound: There is no such criterion or version.
        """
        for criterion in self.versions(name):
            if criterion.version == number:
                return criterion
        raise NotFound(f"criterion {name!r} has no version {number}")

    def versions(self, name: str) -> tuple[Criterion, ...]:
        """Give every version, oldest first.

        Raises:
            NotFound: There is no such criterion.
        """
        if name not in self._versions:
            here = ", ".join(self._versions) or "none yet"
            raise NotFound(f"there is no criterion {name!r}; criteria here: {here}")
        return tuple(self._versions[name])

    def add(self, criterion: Criterion) -> Criterion:
        """Write a new criterion, or the next version of one; its version number is given here.

        Raises:
            BadInput: The name is empty, or a new version changes the kind.
        """
        if not criterion.name.strip():
            raise BadInput("a criterion needs a name")
        with self.exclusive():
            earlier = self._versions.get(criterion.name, [])
            if earlier and earlier[-1].kind is not criterion.kind:
                kind = earlier[-1].kind
                raise BadInput(
                    f"criterion {criterion.name!r} is of kind {kind}; a version cannot change that"
                )
            number = earlier[-1].version + 1 if earlier else 1
            self.append(replace(criterion, version=number, at=criterion.at or utc_now()))
            return self.latest(criterion.name)
