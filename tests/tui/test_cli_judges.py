"""`adjudge judge new` and `prompt` for every kind, preset and setting, as a script sees them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tui.cli import main

Run = Callable[..., Any]

POINTS = {"1": "all wrong", "3": "half right", "5": "all right"}
CLASSES = {"refund": "wants money back", "question": "wants to know something"}
DIMENSIONS = {
    "accuracy": {"weight": 0.45, "points": POINTS},
    "completeness": {"weight": 0.45, "points": POINTS},
    "fluency": {"weight": 0.1, "points": POINTS},
}
CARD = {"dimensions": DIMENSIONS, "overall": {"round": 0.5}}
STANDARD = ("--pass", "It is right.", "--fail", "It is wrong.")


def rows() -> list[dict[str, Any]]:
    single = {
        "id": "t1",
        "input": "Where is my money?",
        "output": "On its way.",
        "facts": {"golden": "a date"},
    }
    other = {"id": "t2", "input": "Do you open on Monday?", "output": "Yes."}
    return [single, other, {"id": "p1", "input": "Name a prime.", "a": "7", "b": "9"}]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a project with a criterion of every kind; give its one JSON document."""
    root = tmp_path / "project"

    def call(*words: str, code: int = 0, plain: bool = False) -> Any:
        ended = main(["--project", str(root), *words, *([] if plain else ["--json"])])
        said = capsys.readouterr()
        assert ended == code, said
        return said.out if plain else json.loads(said.out)

    assert main(["init", str(root), "--json"]) == 0
    capsys.readouterr()
    (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps(row) for row in rows()), "utf-8")
    call("import", str(tmp_path / "rows.jsonl"))
    for kind in ("pass-fail", "pairwise"):
        call("criterion", "new", kind, "--kind", kind, *STANDARD)
    for kind in ("classify", "scorecard"):
        call("criterion", "new", kind, "--kind", kind)
    return call


@pytest.fixture
def file(tmp_path: Path) -> Callable[[object], str]:
    def write(content: object) -> str:
        path = tmp_path / "settings.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return str(path)

    return write


def new(kind: str, *words: str) -> tuple[str, ...]:
    return ("judge", "new", "j", "--criterion", kind, "--model", "m", *words)


@pytest.fixture
def needed(file: Callable[[object], str]) -> Callable[[str], tuple[str, ...]]:
    """Give the options that a kind cannot do without."""

    def options(kind: str) -> tuple[str, ...]:
        if kind == "classify":
            return ("--classes", file(CLASSES))
        return ("--dimensions", file(CARD)) if kind == "scorecard" else ()

    return options


# --- every kind ---------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", ["plain", "critique-first", "solve-first", "teach", "self-critique"])
@pytest.mark.parametrize("kind", ["pass-fail", "pairwise", "classify", "scorecard"])
def test_the_prompt_of_every_kind_and_recipe_is_printed(
    run: Run, needed: Any, kind: str, recipe: str
) -> None:
    run(*new(kind, "--recipe", recipe, *needed(kind)))
    said = run("judge", "prompt", "j", "p1" if kind == "pairwise" else "t1")
    assert said["input_tokens"] > 50
    assert "{{" not in said["system"] + said["messages"][0]["content"]
    assert said["schema"]["additionalProperties"] is False
    shown = run("judge", "prompt", "j", "p1" if kind == "pairwise" else "t1", plain=True)
    assert said["system"].split("\n")[0] in shown


def test_classes_and_points_stand_in_the_version_and_are_shown(run: Run, needed: Any) -> None:
    said = run(*new("classify", *needed("classify")))
    assert said["params"] == {"classes": CLASSES}
    assert "class     refund: wants money back" in run("judge", "show", "j", plain=True)
    run("judge", "new", "k", "--criterion", "scorecard", "--model", "m", *needed("scorecard"))
    shown = run("judge", "show", "k", plain=True)
    assert "accuracy 3: half right" in shown
    assert (
        "overall   0.45 × accuracy + 0.45 × completeness + 0.1 × fluency, rounded to the nearest 0.5" in shown
    )


def test_another_description_is_another_version(run: Run, file: Any) -> None:
    first = run(*new("classify", "--classes", file(CLASSES)))
    turned = run(*new("classify", "--classes", file(dict(reversed(CLASSES.items())))))
    second = run(*new("classify", "--classes", file(CLASSES | {"refund": "asks for money"})))
    assert first["hash"] == turned["hash"] != second["hash"]
    assert second["parent"] == first["hash"]
    assert any("asks for money" in line for line in run("judge", "diff", "j")["diff"])


def test_dimensions_may_stand_alone_in_their_file(run: Run, file: Any) -> None:
    assert run(*new("scorecard", "--dimensions", file(DIMENSIONS)))["params"] == {"dimensions": DIMENSIONS}


def test_a_rows_own_rubric_is_shown_as_one(run: Run) -> None:
    run(*new("pass-fail", "--rubric-fact", "golden"))
    said = run("judge", "prompt", "j", "t1")
    assert "<rubric-" in said["messages"][0]["content"]
    assert "<rubric-" not in run("judge", "prompt", "j", "t2")["messages"][0]["content"]


# --- presets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tier", "kind", "params"),
    [
        ("stream", "pass-fail", {"n": 1}),
        ("batch", "pass-fail", {"n": 5, "reducer": "majority"}),
        ("gate", "pairwise", {"n": 10, "reducer": "critique"}),
        ("batch", "scorecard", {"n": 5, "reducer": "median"}),
        ("gate", "classify", {"n": 10, "reducer": "critique"}),
    ],
)
def test_a_tier_stands_for_a_recipe_with_settings_and_keeps_its_name(
    run: Run, needed: Any, tier: str, kind: str, params: dict[str, Any]
) -> None:
    said = run(*new(kind, "--tier", tier, *needed(kind)))
    assert said["recipe"] == "teach"
    assert said["params"].items() >= (params | {"tier": tier}).items()


def test_a_tier_may_be_added_to_but_not_changed(run: Run) -> None:
    said = run(*new("pass-fail", "--tier", "gate", "--advocate", "--critic-tools", "web_search", "--n", "10"))
    assert said["params"]["advocate"] is True
    for words in (("--n", "7"), ("--reducer", "majority"), ("--recipe", "plain")):
        error = run(*new("pass-fail", "--tier", "gate", *words), code=2)["error"]
        assert "tier 'gate' means" in error
        assert "leave one of the two out" in error


# --- settings -----------------------------------------------------------------------------------


def test_every_setting_reaches_the_version(run: Run) -> None:
    said = run(
        "judge", "new", "j", "--criterion", "pass-fail", "--models", "a, b", "--n", "4",
        "--reducer", "critique", "--critic-model", "c", "--critic-tools", "code_execution,web_search",
        "--advocate", "--vote", "paper",
        "--effort", "low", "--thinking", "2000", "--max-tokens", "9000", "--temperature", "0.4",
    )  # fmt: skip
    assert said["model"] == "a"
    assert said["params"] == {
        "models": ["a", "b"],
        "n": 4,
        "reducer": "critique",
        "critic_model": "c",
        "critic_tools": ["code_execution", "web_search"],
        "advocate": True,
        "vote": "paper",
        "effort": "low",
        "thinking": {"type": "enabled", "budget_tokens": 2000},
        "max_tokens": 9000,
        "temperature": 0.4,
    }
    prompt = run("judge", "prompt", "j", "t1")
    assert (prompt["model"], prompt["temperature"]) == ("a", 0.4)
    assert prompt["options"] == {"effort": "low", "thinking": {"type": "enabled", "budget_tokens": 2000}}


def test_adaptive_drawing_takes_a_confidence(run: Run) -> None:
    said = run(*new("pass-fail", "--n", "9", "--reducer", "adaptive", "--confidence", "0.95"))
    assert said["params"] == {"n": 9, "reducer": "adaptive", "confidence": 0.95}


@pytest.mark.parametrize(
    ("kind", "words", "message"),
    [
        ("classify", (), "needs classes"),
        ("scorecard", (), "needs dimensions"),
        ("pass-fail", ("--reducer", "dice"), "no reducer named 'dice'"),
        ("pass-fail", ("--vote", "loud"), "no vote rule named 'loud'"),
        ("pass-fail", ("--tier", "gold"), "'gold' is no tier"),
        ("pass-fail", ("--recipe", "guess"), "'guess' is no recipe"),
        ("pass-fail", ("--n", "0"), "n has to be"),
        ("pass-fail", ("--n", "3", "--reducer", "median"), "no 'median' reducer"),
        ("pass-fail", ("--n", "3", "--advocate"), "speaks to a critic"),
        ("pass-fail", ("--n", "3", "--confidence", "0.9"), "for the 'adaptive' reducer"),
        ("pass-fail", ("--critic-model", "c"), "critic_model is for the 'critique' reducer"),
        ("pass-fail", ("--critic-tools", "web_search"), "critic_tools is for the 'critique' reducer"),
        ("pass-fail", ("--reducer", "critique", "--critic-tools", "hammer"), "'hammer' is no tool"),
        ("pass-fail", ("--models", "a,b", "--reducer", "critique"), "critic_model"),
        ("pass-fail", ("--models", "a,"), "models has to be"),
        ("pass-fail", ("--effort", "huge"), "effort is one of"),
        ("pass-fail", ("--thinking", "deep"), "thinking is one of"),
        ("pass-fail", ("--thinking", "100"), "1024 tokens or more"),
        ("pass-fail", ("--thinking", "4096"), "leaves no room"),
        ("pass-fail", ("--rubric-fact", ""), "rubric_fact"),
        ("pass-fail", ("--backend", "baseline", "--n", "3"), "no use for n"),
        ("pass-fail", ("--backend", "baseline", "--tier", "gate"), "no use for tier"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line_and_nothing_is_made(
    run: Run, kind: str, words: tuple[str, ...], message: str
) -> None:
    error = run(*new(kind, *words), code=2)["error"]
    assert message in error
    assert "\n" not in error
    assert run("judge", "list")["judges"] == []


@pytest.mark.parametrize(
    ("option", "kind", "content", "message"),
    [
        ("--classes", "classify", '{"a": "x",\n "b" "y"}', "settings.json, line 2, column 6"),
        ("--classes", "classify", '{"a": "x", "a": "y"}', "'a' stands there twice"),
        ("--classes", "classify", '["a", "b"]', "a JSON object"),
        ("--classes", "classify", '{"a": "x"}', "needs classes"),
        ("--classes", "classify", '{"spam": "x", "Spam.": "y"}', "cannot be told from another"),
        ("--classes", "pass-fail", '{"a": "x", "b": "y"}', "classes is for classify judges"),
        ("--dimensions", "pass-fail", json.dumps(DIMENSIONS), "dimensions is for scorecard judges"),
        ("--dimensions", "scorecard", json.dumps(CARD | {"round": 1}), "'round' stands beside"),
        ("--dimensions", "scorecard", '{"a": {"weight": 1, "points": {"1": "x"}}}', "3, 5 of 5"),
        ("--dimensions", "scorecard", "\ufffe", "settings.json"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_reason(
    run: Run, file: Any, option: str, kind: str, content: str, message: str
) -> None:
    assert message in run(*new(kind, option, file(content)), code=2)["error"]


def test_a_file_that_is_not_there_is_named(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "nowhere.json")
    assert f"{path}: cannot be read" in run(*new("classify", "--classes", path), code=2)["error"]


def test_a_trace_of_another_kind_is_refused_by_prompt(run: Run) -> None:
    run(*new("pass-fail"))
    assert "cannot judge a pair" in run("judge", "prompt", "j", "p1", code=2)["error"]


# --- examples -----------------------------------------------------------------------------------


def test_examples_of_classes_come_from_train_and_have_to_be_classes(run: Run, needed: Any) -> None:
    for trace, verdict in (("t1", "refund"), ("t2", "chatter")):
        run("label", trace, verdict, "--criterion", "classify", "--annotator", "ann", "--note", "so")
    error = run(*new("classify", *needed("classify"), "--example", "t1"), code=2)["error"]
    assert "examples come from train only" in error
    error = run(*new("classify", *needed("classify"), "--example", "t2"), code=2)["error"]
    assert "labelled 'chatter', which is no class" in error


def test_a_scorecard_takes_no_examples(run: Run, needed: Any) -> None:
    error = run(*new("scorecard", *needed("scorecard"), "--example", "t1"), code=2)["error"]
    assert "takes no examples" in error
