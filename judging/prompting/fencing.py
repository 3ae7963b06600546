"""Bound untrusted text so that nothing in it can end its section.

The tags carry a mark made from a hash of everything inside, so it is the same whenever the row is
the same (requests keep their hash) and is lengthened until it occurs nowhere inside.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from judging.prompting.library import fill, text

_MARK_LENGTH: Final = 12


@dataclass(frozen=True)
class Fence:
    """Tags that only this row's prompt uses."""

    mark: str
    """What every tag carries and no text inside contains."""

    @classmethod
    def around(cls, texts: Iterable[str]) -> Fence:
        """Make the fence for a set of texts."""
        inside = list(texts)
        digest = hashlib.sha256()
        for part in inside:
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "big"))
            digest.update(encoded)
        name = digest.hexdigest()
        mark = name[:_MARK_LENGTH]
        while any(mark in part for part in inside):
            # A text that contains its own hash was made for it; the next hash it cannot know as well.
            name = hashlib.sha256(name.encode()).hexdigest()
            mark = name[:_MARK_LENGTH]
        return cls(mark)

    def wrap(self, name: str, body: str, *, attributes: str = "") -> str:
        """Put a body between tags; the body is not changed.

        Args:
            name: What the section holds; one of our own words.
            body: Sections of this fence, or untrusted text, whole.
            attributes: Further words for the opening tag, already safe.
        """
        opening = " ".join(filter(None, (f"{name}-{self.mark}", attributes)))
        return f"<{opening}>\n{body}\n</{name}-{self.mark}>"

    def quote(self, name: str, body: str, *, attributes: str = "") -> str:
        """Put untrusted text between tags; text that is blank is said to be so in words."""
        if body.strip():
            return self.wrap(name, body, attributes=attributes)
        said = fill(text("blank.space"), count=str(len(body))) if body else text("blank.empty")
        return self.wrap(name, said, attributes=" ".join(filter(None, (attributes, "blank"))))
