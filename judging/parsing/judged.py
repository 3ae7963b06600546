"""Read an answer as the judge that gave it was asked: by its kind, its classes or its scorecard."""

from __future__ import annotations

from functools import lru_cache

from judging.classes import classes_of
from judging.parsing.reading import Reading, read_verdict
from judging.parsing.scores import read_scores
from judging.parsing.vocabulary import Vocabulary
from judging.scorecards import Scorecard
from store.records import JudgeKind, JudgeVersion


def read_answer(text: str, judge: JudgeVersion) -> Reading:
    """Read the verdict or the scores that an answer states.

    Raises:
        ValueError: when the judge's classes or dimensions cannot be used. No text raises.
    """
    if judge.kind is JudgeKind.SCORECARD:
        return read_scores(text, Scorecard.of(judge))
    if judge.kind is JudgeKind.CLASSIFY:
        words = _words(tuple(one.name for one in classes_of(judge)))
        return read_verdict(text, judge.kind, vocabulary=words)
    return read_verdict(text, judge.kind)


@lru_cache(maxsize=64)
def _words(names: tuple[str, ...]) -> Vocabulary:
    return Vocabulary.of_classes(names)
