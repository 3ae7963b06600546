"""A person's own Python function as a judge: found by its import path, loaded once, never trusted to behave.

The bytes that are hashed are the bytes that are run: the source is compiled here, since Python's own
cache of compiled files may hold on to an edit of the same second and size.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import importlib.machinery
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

from judging.calls import Draft
from store.errors import BadInput
from store.identity import ALGORITHM, content_hash, short_hash
from store.records import VERDICT_WORDS, AnyTrace, Decision, JudgeKind, Pair, Reason

_SHOWN: Final = 80
"""Characters of an unreadable answer that are shown."""


@dataclass(frozen=True)
class Source:
    """The file a function stands in, as it is now."""

    module: str
    function: str
    file: Path
    code: bytes

    @property
    def hash(self) -> str:
        """Hash of the file's bytes."""
        return f"{ALGORITHM}:{hashlib.sha256(self.code).hexdigest()}"


def find_source(path: str, root: Path) -> Source:
    """Find the file of a function without running anything.

    Args:
        path: As "package.module:function".
        root: Folder that is searched before the installed packages.

    Raises:
        BadInput: The path has another shape, or there is no such source file.
    """
    module, _, function = path.partition(":")
    names = module.split(".")
    if not function.isidentifier() or not all(name.isidentifier() for name in names):
        raise BadInput(f'{path!r} names no function: write it as "package.module:function"')
    spec = _find(names, root)
    if spec is None:
        raise BadInput(f"there is no module {module!r} in {root} or among the installed packages")
    if not spec.has_location or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
        raise BadInput(f"module {module!r} is no Python source file, so a change of it would not be seen")
    file = Path(str(spec.origin))
    try:
        return Source(module, function, file, file.read_bytes())
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror or error}") from error


def _find(names: list[str], root: Path) -> importlib.machinery.ModuleSpec | None:
    """Look a module up part by part, which unlike `importlib.util.find_spec` runs no package on the way."""
    importlib.invalidate_caches()
    places: list[str] | None = [str(root), *sys.path]
    spec: importlib.machinery.ModuleSpec | None = None
    for name in names:
        if places is None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, places)
        if spec is None:
            return None
        found = spec.submodule_search_locations
        places = None if found is None else list(found)
    return spec


@dataclass(frozen=True)
class FunctionCheck:
    """Judges rows by a function that has been loaded."""

    source: Source
    call: Callable[[dict[str, object]], object]
    root: Path
    kind: JudgeKind

    @classmethod
    def loaded(cls, source: Source, root: Path, kind: JudgeKind) -> FunctionCheck:
        """Run the function's module once and take the function out of it.

        Raises:
            BadInput: The module cannot be run, or holds no such function.
        """
        function = getattr(_module(source, root), source.function, None)
        if function is None:
            raise BadInput(f"{source.file} holds no {source.function!r}")
        if not callable(function):
            raise BadInput(f"{source.function!r} in {source.file} is no function")
        return cls(source, function, root, kind)

    def judge(self, trace: AnyTrace) -> Draft:
        """Judge one row; whatever the function does ends in a verdict or in a reason."""
        try:
            with _at_home(self.root):
                said = self.call(fields_of(trace))
        except (Exception, SystemExit) as error:
            return Draft(None, reason=Reason.ERROR, detail=_in_words(error, self.source.file))
        return _read(said, self.kind)


def fields_of(trace: AnyTrace) -> dict[str, object]:
    """Give a trace as plain values, a copy that a function may change; a pair's gold answer stays out."""
    shared: dict[str, object] = {
        "id": trace.id,
        "input": trace.input,
        "facts": dict(trace.facts),
        "metadata": copy.deepcopy(dict(trace.metadata)),
    }
    if isinstance(trace, Pair):
        return {**shared, "a": trace.a, "b": trace.b}
    messages = [{"role": turn.role, "content": turn.content} for turn in trace.messages]
    return {**shared, "output": trace.output, "messages": messages}


def _module(source: Source, root: Path) -> ModuleType:
    # A name of its own, by content: a changed file is another module, and one called "json" harms nobody.
    parent, dot, leaf = source.module.rpartition(".")
    mark = short_hash(content_hash([str(source.file), source.hash]), 16)
    name = f"{parent}{dot}_adjudge_{leaf}_{mark}"
    if name in sys.modules:
        return sys.modules[name]
    inside = [str(source.file.parent)] if source.file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, source.file, submodule_search_locations=inside)
    if spec is None:
        raise BadInput(f"{source.file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _at_home(root):
            exec(compile(source.code, str(source.file), "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise BadInput(f"{source.file} cannot be run: {_in_words(error, source.file)}") from error
    return module


@contextlib.contextmanager
def _at_home(root: Path) -> Iterator[None]:
    """Let a function import what is beside it, and keep what it prints out of standard output."""
    # Last, so that no file of the project hides an installed module.
    place = str(root)
    added = place not in sys.path
    if added:
        sys.path.append(place)
    try:
        # A script reads one JSON document from standard output.
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        # The function may have taken it off by itself.
        if added and place in sys.path:
            sys.path.remove(place)


def _in_words(error: BaseException, file: Path) -> str:
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)
    ]
    where = f" ({file.name}, line {lines[-1]})" if lines else ""
    try:
        said = str(error)
    except Exception:
        # An exception of a person's own may fail even at saying what it is.
        said = ""
    return _clean(f"{type(error).__name__}: {said}{where}" if said else f"{type(error).__name__}{where}")


def _read(said: object, kind: JudgeKind) -> Draft:
    """Read what a function returned; a critique may stand beside the verdict."""
    critique = ""
    verdict = said
    if isinstance(said, tuple) and len(said) == 2:
        verdict, beside = said
        if not (beside is None or isinstance(beside, str)):
            return _unreadable(said, kind)
        critique = _clean(beside or "")
    word = _word(verdict, kind)
    return Draft(word, critique) if word else _unreadable(said, kind)


def _word(verdict: object, kind: JudgeKind) -> str | None:
    if verdict is None:
        return Decision.UNKNOWN
    if isinstance(verdict, bool):
        truth = Decision.PASS if verdict else Decision.FAIL
        return truth if kind is JudgeKind.PASS_FAIL else None
    if not isinstance(verdict, str):
        return None
    known: Mapping[str, str] = {word.casefold(): word for word in VERDICT_WORDS[kind]}
    return known.get(verdict.strip().casefold())


def _unreadable(said: object, kind: JudgeKind) -> Draft:
    try:
        shown = repr(said)
    except Exception:
        # Any object may come back, also one that cannot be shown.
        shown = f"a {type(said).__name__}"
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    truth = "True, False, " if kind is JudgeKind.PASS_FAIL else ""
    wanted = f"{truth}None, {', '.join(VERDICT_WORDS[kind])}, or one of them with a critique"
    detail = _clean(f"the function returned {shown}, which is no verdict; it may return {wanted}")
    return Draft(None, reason=Reason.UNPARSED, detail=detail)


def _clean(text: str) -> str:
    """Make plain text that a file of JSON can hold: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
