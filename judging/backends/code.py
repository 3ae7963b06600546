"""A person's own check as a judge: a Python function, or a regular expression on one field of a row."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol, Self

from judging.backends.base import BackendFacts
from judging.backends.code_function import FunctionCheck, Source, find_source
from judging.calls import Draft
from store.errors import BadInput
from store.project import Project
from store.records import AnyTrace, Decision, Json, JudgeKind, JudgeVersion, Order, Pair, Trace

FUNCTION: Final = "function"
SOURCE_HASH: Final = "source_hash"
"""Hash of the file the function stands in, so that a changed file is another judge version."""

PATTERN: Final = "pattern"
FIELD: Final = "field"
PASS_WHEN: Final = "pass_when"
IGNORE_CASE: Final = "ignore_case"

MATCH: Final = "match"
NO_MATCH: Final = "no match"

_OF_PATTERNS: Final = (FIELD, PASS_WHEN, IGNORE_CASE)
_OF_CODE: Final = frozenset({FUNCTION, SOURCE_HASH, PATTERN, *_OF_PATTERNS})
_WHOLE: Final = ("input", "output")
_NAMED: Final = ("facts", "metadata")
_SHOWN: Final = 80
"""Characters of a match that its critique quotes."""


class RowCheck(Protocol):
    """Judges one row by code."""

    def judge(self, trace: AnyTrace) -> Draft:
        """Judge one row."""
        ...


class CodeBackend:
    """Judges rows by a person's own code; nothing leaves this machine."""

    def __init__(self, check: RowCheck) -> None:
        """Take a check that is ready."""
        self._check = check

    @classmethod
    def for_judge(cls, judge: JudgeVersion, project: Project) -> Self:
        """Load the function, or compile the pattern, of a judge version.

        Raises:
            BadInput: As `check_code`.
        """
        return cls(check_code(judge, project))

    def facts(self) -> BackendFacts:
        """Say that nothing leaves this machine."""
        return BackendFacts("code")

    def judge(self, trace: AnyTrace, order: Order | None) -> Draft:
        """Judge one row; code reads a pair by its answers' names, whatever the order."""
        return self._check.judge(trace)


# Judge versions -------------------------------------------------------------------------------------


def refuse_code_params(backend: str, params: Mapping[str, Json]) -> None:
    """Refuse parameters that only a code judge has a use for.

    Raises:
        BadInput: There is one.
    """
    idle = sorted(_OF_CODE & params.keys())
    if idle:
        raise BadInput(f"{', '.join(idle)}: only a judge with the backend code takes that, not {backend}")


def code_params(judge: JudgeVersion, project: Project) -> dict[str, Json]:
    """Give the parameters of a new code judge: those asked for, completed by what they mean now.

    Raises:
        BadInput: It cannot be run.
    """
    params = dict(judge.params)
    if params.get(FUNCTION) is not None:
        params[SOURCE_HASH] = _source(judge, project).hash
    else:
        params = {FIELD: "output", PASS_WHEN: MATCH, IGNORE_CASE: False, **params}
    _made(judge, params, project)
    return params


def check_code(judge: JudgeVersion, project: Project) -> RowCheck:
    """Make a code judge's check ready, or say in plain words why it cannot be run.

    Raises:
        BadInput: A parameter makes no sense, the pattern is none, the function is not there, or its file
            has changed since the version was made.
    """
    return _made(judge, judge.params, project)


def _made(judge: JudgeVersion, params: Mapping[str, Json], project: Project) -> RowCheck:
    other = sorted(params.keys() - _OF_CODE)
    if other:
        raise BadInput(f"a code judge has no use for {', '.join(other)}")
    if (FUNCTION in params) is (PATTERN in params):
        raise BadInput(
            "a code judge needs one thing to run: --function package.module:function, or --pattern RE"
        )
    if PATTERN in params:
        if judge.kind is not JudgeKind.PASS_FAIL:
            raise BadInput(f"judge {judge.name!r} is {judge.kind}: a pattern judges pass or fail only")
        return PatternCheck.of(params)
    return _function(judge, params, project)


def _function(judge: JudgeVersion, params: Mapping[str, Json], project: Project) -> FunctionCheck:
    idle = [name for name in _OF_PATTERNS if name in params]
    if idle:
        raise BadInput(f"{', '.join(idle)}: only a pattern takes that, a function reads the row itself")
    if judge.kind not in (JudgeKind.PASS_FAIL, JudgeKind.PAIRWISE):
        raise BadInput(f"judge {judge.name!r} is {judge.kind}: code judges pass or fail, or pairs")
    source = _source(judge, project)
    if params.get(SOURCE_HASH) != source.hash:
        raise BadInput(
            f"{source.file} has changed since judge {judge.name!r} was made: it would be another judge. "
            f"Make the next version with `adjudge judge new {judge.name} --criterion {judge.criterion} "
            f"--backend code --function {source.module}:{source.function}`"
        )
    return FunctionCheck.loaded(source, project.root, judge.kind)


def _source(judge: JudgeVersion, project: Project) -> Source:
    return find_source(_text(judge.params, FUNCTION), project.root)


def _text(params: Mapping[str, Json], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str) or not value:
        raise BadInput(f"{name} has to be text, not {value!r}")
    return value


# Patterns -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PatternCheck:
    """Judges rows by whether a regular expression is found anywhere in one field."""

    pattern: re.Pattern[str]
    field: str
    """"input", "output", "facts.NAME", or "metadata." and a path of names."""
    pass_when: str

    @classmethod
    def of(cls, params: Mapping[str, Json]) -> Self:
        """Compile a judge's pattern.

        Raises:
            BadInput: It is no regular expression, or a setting makes no sense.
        """
        text, field, pass_when = (_text(params, name) for name in (PATTERN, FIELD, PASS_WHEN))
        if pass_when not in (MATCH, NO_MATCH):
            raise BadInput(f"{PASS_WHEN} is {MATCH!r} or {NO_MATCH!r}, not {pass_when!r}")
        ignore_case = params.get(IGNORE_CASE, False)
        if not isinstance(ignore_case, bool):
            raise BadInput(f"{IGNORE_CASE} is true or false, not {ignore_case!r}")
        head, _, name = field.partition(".")
        if field not in _WHOLE and not (head in _NAMED and name):
            raise BadInput(
                f"{field!r} is no field of a row: there are {', '.join(_WHOLE)}, facts.NAME and metadata.NAME"
            )
        try:
            pattern = re.compile(text, re.IGNORECASE if ignore_case else 0)
        except (re.error, OverflowError, RecursionError) as error:
            raise BadInput(f"{text!r} is no regular expression: {error}") from error
        return cls(pattern, field, pass_when)

    def judge(self, trace: AnyTrace) -> Draft:
        """Judge one row; the critique names the match and where it is.

        Raises:
            BadInput: The trace is a pair.
        """
        if isinstance(trace, Pair):
            raise BadInput(f"trace {trace.id!r} is a pair: a pattern judges single traces only")
        text = _field_of(trace, self.field)
        if text is None:
            return Draft(Decision.UNKNOWN, f"This row has no {self.field}.")
        found = self.pattern.search(text)
        passes = (found is not None) is (self.pass_when == MATCH)
        critique = self._not_found(text) if found is None else self._found(text, found)
        return Draft(Decision.PASS if passes else Decision.FAIL, critique)

    def _found(self, text: str, match: re.Match[str]) -> str:
        start = match.start()
        line = text.count("\n", 0, start) + 1
        column = start - (text.rfind("\n", 0, start) + 1) + 1
        found = match[0] if len(match[0]) <= _SHOWN else f"{match[0][:_SHOWN]}…"
        quoted = f'"{found}"' if found else "an empty text"
        return f"/{self.pattern.pattern}/ matches {quoted} in {self.field}, line {line}, column {column}."

    def _not_found(self, text: str) -> str:
        return f"/{self.pattern.pattern}/ matches nothing in {self.field} ({len(text)} characters)."


def _field_of(trace: Trace, field: str) -> str | None:
    if field in _WHOLE:
        return trace.output if field == "output" else trace.input
    head, _, name = field.partition(".")
    if head == "facts":
        return trace.facts.get(name)
    value = _inside(trace.metadata, name)
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _inside(value: Json, path: str) -> Json:
    """Follow a path of names; a name may hold dots itself, so the whole of what is left is tried first."""
    if not isinstance(value, Mapping):
        return None
    if path in value:
        return value[path]
    head, _, rest = path.partition(".")
    return _inside(value.get(head), rest) if rest else None
