"""The book of judges: immutable versions, named by the hash of everything that can change a verdict."""

from __future__ import annotations

from dataclasses import replace

from store.books import Book, as_document
from store.errors import BadInput, NotFound
from store.identity import content_hash, short_hash, utc_now
from store.records import JudgeVersion

_NOT_CONTENT = ("name", "parent", "hash", "at")


def judge_hash(version: JudgeVersion) -> str:
    """Hash what makes a judge version what it is; its name, parent and date are not part of it."""
    content = {key: value for key, value in as_document(version).items() if key not in _NOT_CONTENT}
    return content_hash(content)


class JudgeBook(Book[JudgeVersion]):
    """All judge versions of a project."""

    table_name = "judges"
    record_type = JudgeVersion

    def _reset(self) -> None:
        self._versions: list[JudgeVersion] = []

    def _apply(self, doc_id: int, record: JudgeVersion) -> None:
        self._versions.append(record)

    def add(self, version: JudgeVersion) -> JudgeVersion:
        """Write a version; the same content under the same name is not written twice.

        Raises:
            BadInput: The name is empty or holds an @.
        """
        if not version.name.strip() or "@" in version.name:
            raise BadInput("a judge needs a name without @")
        hashed = judge_hash(version)
        with self.exclusive():
            earlier = self.named(version.name)
            for known in earlier:
                if known.hash == hashed:
                    return known
            parent = version.parent or (earlier[-1].hash if earlier else None)
            self.append(replace(version, hash=hashed, parent=parent, at=version.at or utc_now()))
            return self._versions[-1]

    def all(self, criterion: str | None = None) -> tuple[JudgeVersion, ...]:
        """Give every version, oldest first."""
        return tuple(version for version in self._versions if criterion in (None, version.criterion))

    def named(self, name: str) -> tuple[JudgeVersion, ...]:
        """Give the versions under one name, oldest first."""
        return tuple(version for version in self._versions if version.name == name)

    def number(self, version: JudgeVersion) -> int:
        """Give a version's number among those of its name, from 1."""
        return [known.hash for known in self.named(version.name)].index(version.hash) + 1

    def get(self, reference: str) -> JudgeVersion:
        """Find a version by name (its newest), by name@hash, or by hash; hashes may be shortened.

        Raises:
            NotFound: Nothing matches, or a short hash matches several.
        """
        name, at, digits = reference.partition("@")
        if not at:
            named = self.named(reference)
            if named:
                return named[-1]
            digits = reference
        wanted = short_hash(digits, 64)
        found = {
            version.hash: version
            for version in self._versions
            if wanted and short_hash(version.hash, 64).startswith(wanted) and (not at or version.name == name)
        }
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            raise NotFound(f"{reference!r} fits {len(found)} judges: give more digits")
        names = ", ".join(dict.fromkeys(version.name for version in self._versions)) or "none yet"
        raise NotFound(f"there is no judge {reference!r}; judges here: {names}")
