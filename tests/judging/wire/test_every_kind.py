"""Every recipe, kind and reducer over real HTTP: the server answers by the schema it was sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages_server import Ask, Reply, message, serving
from recipe_kit import CARD, CLASSES
from run_kit import FakeClock, add_judge, add_run, calls_of, make_project, pair, row, verdicts

from judging.recipes import RECIPES, REDUCERS
from judging.running import carry_out
from store.records import JudgeKind

EXPECTED = {"pass-fail": "pass", "pairwise": "A", "classify": "access", "scorecard": "1"}
PARAMS = {JudgeKind.CLASSIFY: {"classes": CLASSES}, JudgeKind.SCORECARD: CARD}


def filled(schema: dict) -> object:
    """Give the first value that a schema allows."""
    if "anyOf" in schema:
        return filled(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        assert schema["required"] == list(schema["properties"])
        return {name: filled(inner) for name, inner in schema["properties"].items()}
    return "some words"


def by_schema(ask: Ask) -> Reply:
    wanted = ask.body.get("output_config", {}).get("format")
    if wanted is None:
        return message("3: a case in plain words")
    return message(json.dumps(filled(wanted["schema"])))


def project_of(root: Path, kind: JudgeKind):
    rows = [pair(1), pair(2)] if kind is JudgeKind.PAIRWISE else [row(1), row(2)]
    return make_project(root, rows, kind=kind)


async def judged(root: Path, kind: JudgeKind, script=by_schema, **params):
    with serving(script) as server, project_of(root, kind) as project:
        judge = add_judge(
            project,
            backend="anthropic",
            base_url=server.url,
            structured="native",
            **PARAMS.get(kind, {}),
            **params,
        )
        run = add_run(project, judge)
        await carry_out(project, run, clock=FakeClock())
        return verdicts(project, run), server.asks, calls_of(run)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("kind", JudgeKind)
async def test_every_recipe_of_every_kind(tmp_path: Path, kind: JudgeKind, recipe: str) -> None:
    found, asks, calls = await judged(tmp_path, kind, recipe=recipe)
    assert {verdict.verdict for verdict in found.values()} == {EXPECTED[kind]}
    assert len(asks) == len(calls) == 2
    if kind is JudgeKind.SCORECARD:
        assert all(verdict.scores == dict.fromkeys(CARD["dimensions"], 1) for verdict in found.values())


@pytest.mark.parametrize(
    ("kind", "reducer"), [(kind, name) for name, one in REDUCERS.items() for kind in sorted(one.kinds)]
)
async def test_every_reducer_of_every_kind(tmp_path: Path, kind: JudgeKind, reducer: str) -> None:
    found, asks, _ = await judged(tmp_path, kind, recipe="teach", n=3, reducer=reducer)
    assert {verdict.verdict for verdict in found.values()} == {EXPECTED[kind]}
    assert len(asks) == 2 * {"critique": 4, "adaptive": 2}.get(reducer, 3)


async def test_models_advocate_and_critic_are_each_asked_by_name(tmp_path: Path) -> None:
    def split(ask: Ask) -> Reply:
        if ask.body["model"] == "claude-sonnet-5-5":
            return message(json.dumps({"critique": "no", "verdict": "fail"}))
        return by_schema(ask)

    found, asks, _ = await judged(
        tmp_path,
        JudgeKind.PASS_FAIL,
        split,
        models=["claude-haiku-5-5", "claude-sonnet-5-5"],
        n=3,
        reducer="critique",
        critic_model="claude-opus-5-5",
        advocate=True,
        effort="low",
        thinking={"type": "enabled", "budget_tokens": 2000},
    )
    assert {verdict.verdict for verdict in found.values()} == {"pass"}
    models = sorted(str(ask.body["model"]) for ask in asks)
    assert models == ["claude-haiku-5-5"] * 4 + ["claude-opus-5-5"] * 4 + ["claude-sonnet-5-5"] * 2
    advocates = [ask for ask in asks if "format" not in ask.body.get("output_config", {})]
    assert len(advocates) == 2
    assert all(ask.body["thinking"] == {"type": "enabled", "budget_tokens": 2000} for ask in asks)
    assert all(ask.body["output_config"]["effort"] == "low" for ask in asks)
