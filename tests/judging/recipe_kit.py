"""What tests of recipes share: contexts of every kind, answers, and a driver without a network."""

from __future__ import annotations

import json

from judging.calls import Answer, Failure
from judging.recipes import RecipeContext, start
from store.records import Criterion, JudgeKind, JudgeVersion, Pair, Reason, Trace

ROW = Trace("t1", "Are they nut-free?", "Yes!", facts={"ingredients": "traces of cashew"})
PAIR = Pair("p1", "Name a prime.", "7", "9")
GARBLED = Answer("I could not say.", "end_turn")
TIMED_OUT = Failure(Reason.TIMEOUT, "no answer in 600 s")
POINTS = {"1": "wrong", "3": "half", "5": "right"}
DIMENSIONS = {
    "accuracy": {"weight": 0.45, "points": POINTS},
    "completeness": {"weight": 0.45, "points": POINTS},
    "fluency": {"weight": 0.1, "points": POINTS},
}
CARD = {"dimensions": DIMENSIONS, "overall": {"round": 0.5}}
CLASSES = {"billing": "money", "access": "getting in", "other": "none of these"}


def context(row=ROW, *, recipe="critique-first", kind=None, order=None, repeat=0, **params):
    if kind is None:
        kind = JudgeKind.PAIRWISE if isinstance(row, Pair) else JudgeKind.PASS_FAIL
    if kind is JudgeKind.SCORECARD:
        params = {**CARD, **params}
    if kind is JudgeKind.CLASSIFY:
        params = {"classes": CLASSES, **params}
    criterion = Criterion("c", 1, "right", "wrong", kind=kind)
    judge = JudgeVersion("j", "c", 1, kind, recipe, "scripted", model="claude-opus-5-5", params=params)
    return RecipeContext(row, judge, criterion, (), order, repeat)


def says(verdict, critique="because"):
    return Answer(json.dumps({"critique": critique, "verdict": verdict}), "end_turn")


def scores(*points, critique="so-so"):
    each = {
        name: {"evidence": "e", "score": point, "confidence": "low"}
        for name, point in zip(DIMENSIONS, points, strict=True)
    }
    return Answer(json.dumps({"critique": critique, "scores": each}), "end_turn")


def drive(steps, *rounds):
    """Give each round's replies; return the rounds of calls and the draft."""
    asked, replies, left = [], None, list(rounds)
    while True:
        try:
            calls = steps.send(replies)
        except StopIteration as stop:
            ended = stop.value
            break
        asked.append(calls)
        replies = left.pop(0)
        assert len(calls) == len(replies)
    assert not left, "the recipe asked for fewer rounds"
    return asked, ended


def feed(steps, replies):
    """Answer every call with the next reply, however they are grouped; return calls by round and draft."""
    asked, told, waiting = [], None, iter(replies)
    while True:
        try:
            calls = steps.send(told)
        except StopIteration as stop:
            return asked, stop.value
        asked.append(calls)
        told = [next(waiting) for _ in calls]


def draft_of(*rounds, row=ROW, recipe="critique-first", **settings):
    return drive(start(recipe, context(row, recipe=recipe, **settings)), *rounds)[1]
