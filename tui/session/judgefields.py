"""What stands in the form of a judge version, and how typed texts become its parameters."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from judging.backends.code import FIELD, FUNCTION, IGNORE_CASE, MATCH, PASS_WHEN, PATTERN
from judging.recipes import RECIPES
from store.errors import BadInput
from store.records import Json, JudgeKind, JudgeVersion, Label

ANTHROPIC: Final = "anthropic"
BASELINE: Final = "baseline"
CODE: Final = "code"

BACKENDS_OF: Final[Mapping[JudgeKind, tuple[str, ...]]] = {
    JudgeKind.PASS_FAIL: (ANTHROPIC, BASELINE, CODE),
}
"""Where verdicts may come from, by kind; here other kinds are for models alone."""

BACKEND_WORDS: Final = {
    ANTHROPIC: "a model, asked live",
    BASELINE: "offline text classifier, free",
    CODE: "your own pattern, free",
}

NO: Final = "no"
YES: Final = "yes"

OF_PATTERNS: Final = ("pattern", "searched", "pass_when", "ignore_case")

TYPED: Final = frozenset({"n", "reducer", "temperature", "max_tokens", "critic_model", "models", "tier"})
"""Parameters that have a field of their own."""

OF_REDUCERS: Final[Mapping[str, tuple[str, ...]]] = {
    "critic_model": ("critique",),
    "critic_temperature": ("critique",),
    "critic_tools": ("critique",),
    "advocate": ("critique",),
    "vote": ("majority", "adaptive"),
    "confidence": ("adaptive",),
}
"""Parameters that make sense with some reducers only."""


@dataclass(frozen=True)
class JudgeFields:
    """What stands in the form; texts are as typed."""

    name: str = ""
    backend: str = ANTHROPIC
    tier: str = ""
    """A preset; "" leaves recipe, number and reducer to the fields below."""
    recipe: str = "critique-first"
    samples: str = ""
    reducer: str = ""
    """"": the usual one for that many candidates."""
    model: str = ""
    """One, or several separated by commas that draw candidates in turn."""
    critic_model: str = ""
    base_url: str = ""
    temperature: str = ""
    max_tokens: str = ""
    picked: tuple[str, ...] = ()
    """Examples chosen by hand, in the order they were chosen."""
    examples: str = "0"
    """How many there are to be in all; what was not picked by hand is picked by the program."""
    pattern: str = ""
    """Code: a regular expression. A Python function is named on the command line: it is loaded there."""
    searched: str = "output"
    """Which field of a row the pattern is looked for in."""
    pass_when: str = MATCH
    ignore_case: str = NO


@dataclass(frozen=True)
class ExampleChoice:
    """One labelled row of train."""

    label: Label
    asked: str


@dataclass(frozen=True)
class Made:
    """The version a form made."""

    judge: JudgeVersion
    is_new: bool
    """False: the same version was there already."""


def fields_of(judge: JudgeVersion, labelled: Collection[str]) -> JudgeFields:
    """Give the fields as they stand for a version.

    Args:
        judge: The version to go on from.
        labelled: Rows that may be examples now; others are left out.
    """
    params = judge.params
    models = params.get("models")
    several = ", ".join(map(str, models)) if isinstance(models, list | tuple) else ""
    picked = tuple(one.trace for one in judge.examples if one.trace in labelled)
    return JudgeFields(
        name=judge.name,
        backend=judge.backend if judge.backend in (BASELINE, CODE) else ANTHROPIC,
        tier=_text(params.get("tier")),
        recipe=judge.recipe if judge.recipe in RECIPES else JudgeFields.recipe,
        samples=_text(params.get("n")),
        reducer=_text(params.get("reducer")),
        model=several or (judge.model if judge.backend == ANTHROPIC else ""),
        critic_model=_text(params.get("critic_model")),
        base_url=judge.base_url,
        temperature=_text(params.get("temperature")),
        max_tokens=_text(params.get("max_tokens")),
        picked=picked,
        examples=str(len(picked)),
        pattern=_text(params.get(PATTERN)),
        searched=_text(params.get(FIELD)) or JudgeFields.searched,
        pass_when=_text(params.get(PASS_WHEN)) or MATCH,
        ignore_case=YES if params.get(IGNORE_CASE) is True else NO,
    )


def pattern_params(fields: JudgeFields) -> dict[str, Json]:
    """Give the parameters of a judge by a pattern; one that cannot be compiled is refused when it is made.

    Raises:
        BadInput: There is no pattern.
    """
    # A pattern is taken as it stands: a space in it is a space to be found.
    if not fields.pattern:
        raise BadInput("pattern: type a regular expression")
    return {
        PATTERN: fields.pattern,
        FIELD: fields.searched.strip(),
        PASS_WHEN: fields.pass_when,
        IGNORE_CASE: fields.ignore_case == YES,
    }


def _text(value: Json) -> str:
    return "" if value is None else str(value)


def names_in(text: str) -> tuple[str, ...]:
    """Give the names in a list separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def whole_in(text: str, field: str) -> int:
    """Read a whole number.

    Raises:
        BadInput: It is none; the message begins with the field's name.
    """
    try:
        return int(text)
    except ValueError as error:
        raise BadInput(f"{field}: type a whole number, not {text.strip()!r}") from error


def number_in(text: str, field: str) -> float:
    """Read a number.

    Raises:
        BadInput: It is none; the message begins with the field's name.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"{field}: type a number, e.g. 0.7, or nothing for the model's own")
    return value


def why_not_edited(judge: JudgeVersion) -> str:
    """Say why a version cannot be the beginning of the next one here; "" when it can."""
    if judge.backend == "imported":
        return "its verdicts were made elsewhere: n makes a judge of your own"
    if FUNCTION in judge.params:
        return f"it runs a function: adjudge judge new {judge.name} --backend code --function ..."
    return ""
