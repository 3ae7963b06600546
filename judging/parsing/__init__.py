"""Read one verdict, or one named kind of no verdict, out of what a judge wrote.

The only place that reads verdicts. Objects are found by a real JSON scanner and the last one at top
level wins; without one, a labelled line, tag, [[bracket]] or one-word line decides; statements that
differ are a contradiction. Never a guess, never a word found inside another.
"""

from __future__ import annotations

from judging.parsing.judged import read_answer
from judging.parsing.objects import CONTRADICTS_SCORE
from judging.parsing.reading import CHANGED, REPAIRED, Reading, read_verdict
from judging.parsing.vocabulary import VOCABULARIES, Vocabulary

__all__ = [
    "CHANGED",
    "CONTRADICTS_SCORE",
    "REPAIRED",
    "VOCABULARIES",
    "Reading",
    "Vocabulary",
    "read_answer",
    "read_verdict",
]
