"""What `judge new` is told beside a recipe: options and files, turned into a judge's parameters."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from store.errors import BadInput

if TYPE_CHECKING:
    # Not for the sake of help: it is the first thing a person sees, and the records cost 20 ms.
    from store.records import Json

_PLAIN: Final = (
    "n", "temperature", "max_tokens", "reducer", "vote", "confidence", "critic_model", "rubric_fact",
    "effort", "function", "pattern", "field",
)  # fmt: skip
"""Options that become a parameter of the same name."""


def add_options(new: ArgumentParser) -> None:
    """Add the options; what each does stands in docs/judges.md."""
    new.add_argument("--tier", default="", metavar="T", help="stream, batch or gate: a recipe with settings")
    new.add_argument("--n", type=int, metavar="N", help="candidates to draw")
    new.add_argument(
        "--reducer", metavar="R", help="first, majority, adaptive, median, critique: what makes one of them"
    )
    new.add_argument("--vote", metavar="RULE", help="quorum, paper, strict: how a vote is decided")
    new.add_argument("--confidence", type=float, metavar="P", help="adaptive: stop at this probability")
    new.add_argument("--models", metavar="M,M,...", help="several models draw the candidates in turn")
    new.add_argument("--critic-model", metavar="M", help="who the critic is (default: --model)")
    new.add_argument("--critic-tools", metavar="T,T", help="the server's own: code_execution, web_search")
    new.add_argument("--advocate", action="store_true", help="a devil's advocate speaks before the critic")
    new.add_argument("--classes", metavar="FILE.json", help="classify: {name: description}")
    new.add_argument("--dimensions", metavar="FILE.json", help="scorecard: weights, points and rounding")
    new.add_argument("--rubric-fact", metavar="NAME", help="the fact that holds a row's own rubric")
    new.add_argument("--temperature", type=float, metavar="T")
    new.add_argument("--max-tokens", type=int, metavar="N")
    new.add_argument("--effort", metavar="E", help="low, medium, high, xhigh, max")
    new.add_argument(
        "--thinking", metavar="T", help="adaptive, disabled, between_tools, or a budget of tokens"
    )
    new.add_argument("--function", metavar="MODULE:NAME", help="code: your Python function")
    new.add_argument("--pattern", metavar="RE", help="code: a regular expression")
    new.add_argument("--field", metavar="F", help="of --pattern: output, input, facts.NAME, metadata.NAME")
    new.add_argument("--pass-when", choices=("match", "no-match"), help="of --pattern (default: match)")
    new.add_argument("--ignore-case", action="store_true", help="of --pattern: capitals mean nothing")


def params_of(arguments: Namespace) -> dict[str, Json]:
    """Give the judge's parameters; what was not named is left out.

    Raises:
        BadInput: A file cannot be read, or is not the JSON it has to be.
    """
    given: dict[str, Json] = {name: getattr(arguments, name) for name in _PLAIN}
    given["models"] = _listed(arguments.models)
    given["critic_tools"] = _listed(arguments.critic_tools)
    given["advocate"] = True if arguments.advocate else None
    given["thinking"] = _thinking(arguments.thinking)
    given["pass_when"] = arguments.pass_when and arguments.pass_when.replace("-", " ")
    given["ignore_case"] = True if arguments.ignore_case else None
    if arguments.classes is not None:
        given["classes"] = _object_in(arguments.classes)
    if arguments.dimensions is not None:
        given |= _dimensions_in(arguments.dimensions)
    return {name: value for name, value in given.items() if value is not None}


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def _thinking(text: str | None) -> Json:
    if text is None or not text.isdecimal():
        return text
    return {"type": "enabled", "budget_tokens": int(text)}


def _dimensions_in(file: str) -> dict[str, Json]:
    """Read a scorecard: dimensions alone, or `dimensions` and `overall` side by side."""
    found = _object_in(file)
    if "dimensions" not in found:
        return {"dimensions": found}
    other = found.keys() - {"dimensions", "overall"}
    if other:
        raise BadInput(f"{file}: {sorted(other)[0]!r} stands beside 'dimensions'; only 'overall' may")
    return found


def _object_in(file: str) -> dict[str, Json]:
    try:
        value = json.loads(Path(file).read_bytes(), object_pairs_hook=_without_repeats)
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror or error}") from error
    except json.JSONDecodeError as error:
        raise BadInput(f"{file}, line {error.lineno}, column {error.colno}: {error.msg}") from error
    except ValueError as error:
        raise BadInput(f"{file}: {error}") from error
    if not isinstance(value, dict):
        raise BadInput(f"{file}: a JSON object of names is needed")
    return value


def _without_repeats(pairs: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the name {name!r} stands there twice")
        found[name] = value
    return found
