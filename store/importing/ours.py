"""Rows of our own lists of labels and verdicts, turned back into plain rows.

A list names what each row is about by `trace`, and calls a person's word a verdict as the screens do.
"""

from __future__ import annotations

from typing import Final

from store.importing.layout import Layout, Values
from store.records import Decision


def _label(row: Values) -> list[dict[str, object]]:
    """Unfold one label; when and in which queue it was made is told by a whole project only."""
    kept = {name: row[name] for name in ("criterion", "annotator", "note") if name in row}
    word = row["verdict"]
    # In a file of others "unsure" may mean anything; in ours it is the word that was said.
    return [{"id": row["trace"], "label": Decision.UNSURE if word == Decision.UNSURE else word, **kept}]


def _verdict(row: Values) -> list[dict[str, object]]:
    """Unfold one recorded verdict."""
    kept = {name: row[name] for name in ("criterion", "order", "verdict", "critique") if name in row}
    return [{"id": row["trace"], **kept}]


LISTS: Final = (
    Layout("exported labels", frozenset({"trace", "criterion", "version", "verdict", "annotator"}), _label),
    Layout("exported verdicts", frozenset({"trace", "judge", "run", "criterion", "verdict"}), _verdict),
)
