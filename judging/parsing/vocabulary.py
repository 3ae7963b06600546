"""The words a verdict may be called by, and how a word is freed of its dress.

Only whole words count: a verdict is never found inside a longer word, so "INCORRECT" can not be
read as "correct", nor "passable" as "pass".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from store.records import Decision, JudgeKind

_DROPPED: Final = str.maketrans("", "", "*`~")
_EDGES: Final = "\"'“”‘’«»_#|-–—•+ \t\r\n.!,;:"
_DRESS_CATEGORIES: Final = frozenset({"So", "Sk", "Cf", "Mn", "Co", "Zs", "Cc"})
_GLUED: Final = re.compile(r"\s+")
_STATED: Final = re.compile(r"(?P<head>[^.,;:(\n—–]{1,80}?)\s*(?:[.,;:(—–]|\s-\s)(?P<rest>.*)", re.DOTALL)
_SHORT: Final = 3
"""Words up to this length are looked for as they are; longer ones with any ending."""


@dataclass(frozen=True)
class Vocabulary:
    """What a verdict may be called, in fields, lines and brackets."""

    words: Mapping[str, str]
    """Every accepted spelling, freed of its dress, to the verdict it means."""
    fields: tuple[str, ...] = ("verdict", "final_verdict", "final_answer", "decision", "judgement")
    """JSON keys that hold a verdict, the most telling first."""
    booleans: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """JSON keys that hold yes or no, to what true and false mean."""
    brackets: Mapping[str, str] = field(default_factory=dict)
    """What counts inside [[double brackets]] only."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """Signs that lean to a verdict; one that leans away makes a word unreadable."""
    lowest: str | None = None
    """The verdict that a score of 0 can only go with."""

    @classmethod
    def of_classes(cls, names: Iterable[str]) -> Vocabulary:
        """Make the vocabulary of named classes, with "unknown" as the way out.

        Raises:
            ValueError: when two names differ in case or dress alone.
        """
        words: dict[str, str] = {}
        for name in (*names, Decision.UNKNOWN):
            plain = undress(name)
            if not plain or words.setdefault(plain, str(name)) != name:
                raise ValueError(
                    f"the class name {name!r} cannot be told from another when a judge writes it"
                )
        return cls(words, fields=("verdict", "class", "label", "category", "final_answer"))

    def word(self, text: str) -> str | None:
        """Give the verdict that a text names when it names nothing else."""
        bracketed = re.fullmatch(r"\s*\[\[(.{1,60})\]\]\s*", text)
        if bracketed:
            return self.bracketed(bracketed[1])
        verdict = self.words.get(undress(text))
        return None if verdict is None or self._leans_away(text, verdict) else verdict

    def bracketed(self, text: str) -> str | None:
        """Give the verdict of a [[double bracket]]'s inside."""
        return self.brackets.get(undress(text)) or self.words.get(undress(text))

    def stated(self, text: str) -> Stated:
        """Read a value that names a verdict and may go on with why.

        What follows must not mention another verdict: "pass, though rule 2 fails" is no verdict.
        """
        exact = self.word(text)
        if exact is not None:
            return Stated(exact)
        parts = _STATED.fullmatch(text.strip())
        if parts is None:
            return Stated(None)
        verdict = self.word(parts["head"])
        if verdict is None or self._leans_away(text, verdict) or self._mentions_other(parts["rest"], verdict):
            return Stated(None)
        return Stated(verdict, parts["rest"].strip())

    def _leans_away(self, text: str, verdict: str) -> bool:
        return any(mark in text and leaning != verdict for mark, leaning in self.marks.items())

    def _mentions_other(self, text: str, verdict: str) -> bool:
        return bool(self._others[verdict].search(text))

    @cached_property
    def _others(self) -> dict[str, re.Pattern[str]]:
        # "Unknown" is an ordinary word in a critique, and a critique of "unknown" weighs the others.
        patterns = {}
        for verdict in set(self.words.values()):
            apart = {verdict, Decision.UNKNOWN}
            others = [_mention(word) for word, meaning in self.words.items() if meaning not in apart]
            nothing = verdict == Decision.UNKNOWN or not others
            patterns[verdict] = re.compile(r"(?!)" if nothing else "|".join(others))
        return patterns


@dataclass(frozen=True)
class Stated:
    """A verdict as a line or field states it."""

    verdict: str | None
    rest: str = ""
    """What the same line goes on to say."""


def undress(text: str) -> str:
    """Free a text of markdown, quotes, signs, outer punctuation and case."""
    text = text.translate(_DROPPED)
    start, end = 0, len(text)
    while start < end and _is_dress(text[start]):
        start += 1
    while end > start and _is_dress(text[end - 1]):
        end -= 1
    return _GLUED.sub(" ", text[start:end]).casefold()


def _is_dress(character: str) -> bool:
    return character in _EDGES or unicodedata.category(character) in _DRESS_CATEGORIES


def _mention(word: str) -> str:
    # A lone letter is a name only in capitals: "a" is an article.
    if len(word) == 1:
        return rf"\b{re.escape(word.upper())}\b"
    ending = r"\b" if len(word) <= _SHORT else ""
    return rf"(?i:\b{re.escape(word)}{ending})"


def _pass_fail() -> Vocabulary:
    good = ("pass", "passed", "passes", "correct", "acceptable", "success", "successful")
    bad = ("fail", "failed", "fails", "failure", "incorrect", "unacceptable", "unsuccessful")
    denied = ("not pass", "not passed", "not correct", "not acceptable", "not success", "not successful")
    words = {word: str(Decision.PASS) for word in good}
    words |= {
        word: str(Decision.FAIL) for word in (*bad, *denied, "no pass", "does not pass", "did not pass")
    }
    words[Decision.UNKNOWN] = str(Decision.UNKNOWN)
    either = (str(Decision.PASS), str(Decision.FAIL))
    keys = ("pass", "passed", "is_pass", "passes", "correct", "is_correct", "success", "acceptable")
    marks = dict.fromkeys("✅✔👍🟢", either[0]) | dict.fromkeys("❌✖✗✘👎🔴🚫", either[1])
    return Vocabulary(
        words,
        fields=(*Vocabulary.fields, "judgment", "result", "outcome", "grade", "label", "correctness"),
        booleans=dict.fromkeys(keys, either),
        marks=marks,
        lowest=either[1],
    )


def _pairwise() -> Vocabulary:
    words = {"tie": "tie", "a tie": "tie", "draw": "tie", "a draw": "tie", "unknown": "unknown"}
    for letter in ("A", "B"):
        nouns = ("answer", "response", "option", "output", "assistant", "candidate", "model")
        names = [letter, *(f"{noun} {letter}" for noun in nouns), *(f"{noun} ({letter})" for noun in nouns)]
        for name in names:
            words |= {
                undress(name): letter,
                undress(f"{name} is better"): letter,
                undress(f"{name} wins"): letter,
            }
    fields = (*Vocabulary.fields, "judgment", "winner", "better", "better_answer", "preferred", "preference")
    return Vocabulary(words, fields=(*fields, "choice"), brackets={"c": "tie"})


VOCABULARIES: Final[Mapping[JudgeKind, Vocabulary]] = {
    JudgeKind.PASS_FAIL: _pass_fail(),
    JudgeKind.PAIRWISE: _pairwise(),
}
"""The words of the kinds whose verdicts are the same for every judge."""
