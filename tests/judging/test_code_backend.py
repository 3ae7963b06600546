"""A person's own code as a judge: a function or a pattern, loaded once, and no fault of it stops a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_kit import add_run, make_project, pair, verdicts, words

from judging.authoring import JudgeOrder, make_judge
from judging.backends import open_backend
from judging.backends.base import RowBackend
from judging.calls import Draft
from judging.planning import estimate, plan_run
from judging.running import carry_out
from store.errors import BadInput
from store.project import Project
from store.records import Json, JudgeKind, JudgeVersion, Reason, Trace, Turn

RICH = Trace(
    "t1",
    "Is it safe?",
    "Yes.\nCall 555-1234 now",
    messages=(Turn("system", "Be kind."), Turn("user", "Is it safe?")),
    facts={"golden": "No, it has nuts."},
    metadata={"shop": {"city": "Bonn", "staff": 3, "closed": None}, "a.b": "dotted"},
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with make_project(tmp_path, [RICH, Trace("t2", "Hello?", "")]) as made:
        yield made


def code(project: Project, name: str, text: str) -> None:
    file = project.root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def judge_of(project: Project, **params: Json) -> JudgeVersion:
    return make_judge(project, JudgeOrder("check", "c", backend="code", params=params))


def opened(project: Project, **params: Json) -> RowBackend:
    backend = open_backend(judge_of(project, **params), project)
    assert isinstance(backend, RowBackend)
    return backend


def answer(project: Project, body: str, trace: Trace = RICH) -> Draft:
    """Judge a row by a function with this body."""
    code(project, "checks.py", f"def check(row):\n    {body}\n")
    return opened(project, function="checks:check").judge(trace, None)


# Functions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("returned", "verdict", "critique"),
    [
        ("True", "pass", ""),
        ("False", "fail", ""),
        ("'pass'", "pass", ""),
        ("' Fail '", "fail", ""),
        ("'unknown'", "unknown", ""),
        ("None", "unknown", ""),
        ("(False, 'too short')", "fail", "too short"),
        ("('pass', None)", "pass", ""),
        ("('unknown', 'half \\ud800')", "unknown", "half ?"),
    ],
)
def test_what_a_function_returns_is_read(
    project: Project, returned: str, verdict: str, critique: str
) -> None:
    draft = answer(project, f"return {returned}")
    assert (draft.verdict, draft.critique, draft.reason) == (verdict, critique, None)


@pytest.mark.parametrize("returned", ["1", "'A'", "'maybe'", "[]", "(True, 3)", "(True, 'a', 'b')", "row"])
def test_anything_else_is_no_verdict(project: Project, returned: str) -> None:
    draft = answer(project, f"return {returned}")
    assert (draft.verdict, draft.reason) == (None, Reason.UNPARSED)
    assert "which is no verdict; it may return True, False, None, pass, fail, unknown" in draft.detail


def test_a_function_is_told_the_fields_of_a_row_as_plain_values(project: Project) -> None:
    draft = answer(project, "import json; return True, json.dumps(row)")
    assert json.loads(draft.critique) == {
        "id": "t1",
        "input": "Is it safe?",
        "output": "Yes.\nCall 555-1234 now",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Is it safe?"},
        ],
        "facts": {"golden": "No, it has nuts."},
        "metadata": {"shop": {"city": "Bonn", "staff": 3, "closed": None}, "a.b": "dotted"},
    }


def test_a_function_may_change_what_it_is_given(project: Project) -> None:
    answer(project, "row['facts'].clear(); row['metadata']['shop'].clear(); return True")
    assert RICH.facts
    assert RICH.metadata["shop"]


def test_an_exception_is_no_verdict_and_says_where(project: Project) -> None:
    draft = answer(project, "return row['wrong']")
    assert (draft.verdict, draft.reason) == (None, Reason.ERROR)
    assert draft.detail == "KeyError: 'wrong' (checks.py, line 2)"


def test_a_function_that_ends_the_program_costs_its_row_only(project: Project) -> None:
    assert answer(project, "raise SystemExit(3)").detail == "SystemExit: 3 (checks.py, line 2)"


def test_what_a_function_prints_stays_out_of_standard_output(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    code(project, "checks.py", "print('loading')\ndef check(row):\n    print('checking')\n    return True\n")
    opened(project, function="checks:check").judge(RICH, None)
    said = capsys.readouterr()
    assert said.out == ""
    assert "checking" in said.err


def test_a_pair_is_judged_by_its_answers_names_and_without_its_gold(tmp_path: Path) -> None:
    with make_project(tmp_path, [pair(1)], kind=JudgeKind.PAIRWISE) as project:
        code(project, "checks.py", "def check(row):\n    return 'b', ','.join(sorted(row))\n")
        backend = opened(project, function="checks:check")
        draft = backend.judge(project.traces.get("p1"), None)
        assert (draft.verdict, draft.critique) == ("B", "a,b,facts,id,input,metadata")
        code(project, "checks.py", "def check(row):\n    return True\n")
        draft = opened(project, function="checks:check").judge(project.traces.get("p1"), None)
        assert draft.reason is Reason.UNPARSED


# Finding and loading --------------------------------------------------------------------------------


def test_a_function_in_a_package_may_import_what_is_beside_it(project: Project) -> None:
    code(project, "own/__init__.py", "")
    code(
        project,
        "own/inner/rules.py",
        "from .words import BAD\ndef check(row):\n    return BAD in row['output']\n",
    )
    code(project, "own/inner/words.py", "BAD = 'Call'\n")
    assert opened(project, function="own.inner.rules:check").judge(RICH, None).verdict == "pass"


def test_a_file_of_the_project_hides_no_module_of_python(project: Project) -> None:
    code(project, "json.py", "def check(row):\n    return True\n")
    assert opened(project, function="json:check").judge(RICH, None).verdict == "pass"
    assert json.loads("1") == 1
    import json as again

    assert again is json


def test_a_module_is_run_once(project: Project) -> None:
    code(
        project,
        "checks.py",
        "from pathlib import Path\n"
        "log = Path(__file__).with_name('log.txt')\n"
        "log.write_text(log.read_text() + 'x' if log.exists() else 'x')\n"
        "def check(row):\n    return True\n",
    )
    judge = judge_of(project, function="checks:check")
    for _ in range(3):
        open_backend(judge, project)
    assert (project.root / "log.txt").read_text() == "x"


def test_a_changed_file_is_another_judge_version(project: Project) -> None:
    code(project, "checks.py", "def check(row):\n    return True \n")
    first = judge_of(project, function="checks:check")
    code(project, "checks.py", "def check(row):\n    return False\n")
    with pytest.raises(
        BadInput, match=r"checks.py has changed since judge 'check' was made.*--function checks:check"
    ):
        plan_run(project, first, every=True)
    assert opened(project, function="checks:check").judge(RICH, None).verdict == "fail"
    assert project.judges.get("check").hash != first.hash


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere:check", "there is no module 'nowhere'"),
        ("checks.deeper:check", "there is no module 'checks.deeper'"),
        ("checks", "names no function"),
        ("checks:", "names no function"),
        ("../checks:check", "names no function"),
        ("checks:missing", "holds no 'missing'"),
        ("checks:NUMBER", "'NUMBER' in .* is no function"),
        (
            "broken:check",
            r"broken.py cannot be run: ZeroDivisionError: division by zero \(broken.py, line 2\)",
        ),
        ("unread:check", "unread.py cannot be run: SyntaxError"),
        ("own:check", "no Python source file"),
    ],
)
def test_what_cannot_be_loaded_is_said_before_anything_is_written(
    project: Project, path: str, said: str
) -> None:
    code(project, "checks.py", "NUMBER = 3\ndef check(row):\n    return True\n")
    code(project, "broken.py", "\n1 / 0\n")
    code(project, "unread.py", "def check(row:\n")
    (project.root / "own").mkdir()
    with pytest.raises(BadInput, match=said):
        judge_of(project, function=path)
    assert not list(project.judges.all())


# Patterns -------------------------------------------------------------------------------------------


def test_a_pattern_passes_when_it_matches_and_says_where(project: Project) -> None:
    draft = opened(project, pattern=r"\d{3}-\d{4}").judge(RICH, None)
    assert draft.verdict == "pass"
    assert draft.critique == r'/\d{3}-\d{4}/ matches "555-1234" in output, line 2, column 6.'


def test_a_pattern_may_pass_when_it_does_not_match(project: Project) -> None:
    backend = opened(project, pattern=r"\d{3}-\d{4}", pass_when="no match")
    assert backend.judge(RICH, None).verdict == "fail"
    draft = backend.judge(Trace("x", "", "nothing"), None)
    assert (draft.verdict, draft.critique) == (
        "pass",
        r"/\d{3}-\d{4}/ matches nothing in output (7 characters).",
    )


def test_capitals_matter_unless_they_are_said_not_to(project: Project) -> None:
    assert opened(project, pattern="call").judge(RICH, None).verdict == "fail"
    assert opened(project, pattern="call", ignore_case=True).judge(RICH, None).verdict == "pass"


@pytest.mark.parametrize(
    ("field", "pattern"),
    [
        ("input", "^Is it"),
        ("facts.golden", "nuts"),
        ("metadata.shop.city", "^Bonn$"),
        ("metadata.shop.staff", "^3$"),
        ("metadata.shop", '"city": "Bonn"'),
        ("metadata.a.b", "^dotted$"),
    ],
)
def test_a_pattern_reads_the_field_it_names(project: Project, field: str, pattern: str) -> None:
    assert opened(project, pattern=pattern, field=field).judge(RICH, None).verdict == "pass"


@pytest.mark.parametrize("field", ["facts.other", "metadata.shop.closed", "metadata.shop.city.deeper"])
def test_a_row_without_the_field_is_unknown_never_a_fail(project: Project, field: str) -> None:
    for pass_when in ("match", "no match"):
        draft = opened(project, pattern=".", field=field, pass_when=pass_when).judge(RICH, None)
        assert (draft.verdict, draft.critique) == ("unknown", f"This row has no {field}.")


def test_a_long_match_is_quoted_short(project: Project) -> None:
    draft = opened(project, pattern="a+").judge(Trace("x", "", "a" * 5000), None)
    assert len(draft.critique) < 150


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, "needs one thing to run"),
        ({"pattern": "a", "function": "m:f"}, "there is no module 'm'|needs one thing to run"),
        ({"pattern": "("}, r"'\(' is no regular expression: missing \)"),
        ({"pattern": ""}, "pattern has to be text"),
        ({"pattern": "a", "field": "author"}, "'author' is no field of a row"),
        ({"pattern": "a", "field": "facts."}, "is no field of a row"),
        ({"pattern": "a", "pass_when": "always"}, "pass_when is 'match' or 'no match'"),
        ({"pattern": "a", "ignore_case": "yes"}, "ignore_case is true or false"),
        ({"pattern": "a", "n": 3}, "a code judge asks no model"),
        ({"pattern": "a", "colour": "red"}, "has no use for colour"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    project: Project, params: dict[str, Json], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        judge_of(project, **params)
    assert not list(project.judges.all())


def test_settings_of_a_pattern_are_refused_beside_a_function(project: Project) -> None:
    code(project, "checks.py", "def check(row):\n    return True\n")
    with pytest.raises(BadInput, match="field: only a pattern takes that"):
        judge_of(project, function="checks:check", field="input")


def test_only_a_code_judge_takes_code(project: Project) -> None:
    with pytest.raises(
        BadInput, match="pattern: only a judge with the backend code takes that, not anthropic"
    ):
        make_judge(project, JudgeOrder("j", "c", model="m", params={"pattern": "a"}))


@pytest.mark.parametrize("kind", [JudgeKind.PAIRWISE, JudgeKind.CLASSIFY])
def test_a_pattern_judges_pass_or_fail_only(tmp_path: Path, kind: JudgeKind) -> None:
    with (
        make_project(tmp_path, [pair(1)], kind=kind) as project,
        pytest.raises(BadInput, match="a pattern judges pass or fail only"),
    ):
        judge_of(project, pattern="a")


# Runs -----------------------------------------------------------------------------------------------


async def test_a_run_ends_whatever_the_function_does(project: Project) -> None:
    code(project, "checks.py", "def check(row):\n    return len(row['output']) / len(row['output']) == 1\n")
    judge = judge_of(project, function="checks:check")
    run = add_run(project, judge)
    outcome = await carry_out(project, run)
    assert words(project, run) == {"t1": "pass", "t2": "(error)"}
    assert outcome.without_verdict == 1
    assert verdicts(project, run)["t2"].detail == "ZeroDivisionError: division by zero (checks.py, line 2)"


def test_a_run_by_code_costs_nothing(project: Project) -> None:
    plan = plan_run(project, judge_of(project, pattern="a"), every=True, budget_usd=0.01)
    expected = estimate(project, plan)
    assert (expected.rows, expected.calls, expected.expected_usd) == (2, 0, 0.0)
