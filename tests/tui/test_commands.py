"""The registry of commands: nothing twice, nothing that leads nowhere."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from inspect import getmembers, isclass

import pytest

from tui.app import AdjudgeApp
from tui.commands import COMMANDS, EVERYWHERE, GO, Command, bindings_for, commands_for
from tui.screens.base import BaseScreen
from tui.widgets.lines_list import LinesList
from tui.widgets.trace_view import TraceView

SCREENS = sorted({command.where for command in COMMANDS if command.where})


def screen_class(name: str) -> type[BaseScreen]:
    module = import_module(f"tui.screens.{name}")
    found = [cls for _, cls in getmembers(module, isclass) if getattr(cls, "NAME", None) == name]
    assert len(found) == 1
    assert issubclass(found[0], BaseScreen)
    return found[0]


def keys_of(command: Command) -> list[str]:
    return command.key.split(",")


def test_ids_are_unique() -> None:
    assert [each for each, count in Counter(command.id for command in COMMANDS).items() if count > 1] == []


@pytest.mark.parametrize("screen", SCREENS)
def test_no_key_does_two_things_on_one_screen(screen: str) -> None:
    # A screen that lies over another closes itself by the key that goes back everywhere else.
    commands = [
        command for command in commands_for(screen) if command.id != "app.back" or screen in set(GO.values())
    ]
    keys = Counter(key for command in commands for key in keys_of(command))
    assert [key for key, count in keys.items() if count > 1] == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_leads_to_an_action(command: Command) -> None:
    owner = AdjudgeApp if command.where == EVERYWHERE else screen_class(command.where)
    assert callable(getattr(owner, f"action_{command.action.partition('(')[0]}", None))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_says_what_it_does(command: Command) -> None:
    assert command.title
    assert command.help[0].isupper()
    assert not command.help.endswith(".")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_binds_what_the_registry_says(screen: str) -> None:
    bound = {binding.id for binding in bindings_for(screen)}
    assert bound == {command.id for command in COMMANDS if command.where == screen}
    own = screen_class(screen).BINDINGS
    assert {getattr(binding, "id", None) for binding in own} == bound


def test_the_text_keys_of_a_trace_are_not_taken_by_the_label_screen() -> None:
    taken = {key for command in commands_for("label") for key in keys_of(command)}
    for widget in (TraceView, LinesList):
        for binding in widget.BINDINGS:
            assert not taken & set(getattr(binding, "key", "").split(","))


def test_every_place_to_go_to_is_a_screen() -> None:
    assert set(GO.values()) <= set(AdjudgeApp.MODES)
    assert set(GO.values()) <= set(SCREENS)


def test_the_promised_keys_of_labelling_hold() -> None:
    promised = {
        "p": "pass",
        "f": "fail",
        "u": "unsure",
        "a": "A",
        "b": "B",
        "t": "tie",
    }
    actions = {command.key: command.action for command in commands_for("label")}
    for key, verdict in promised.items():
        assert actions[key] == f"decide('{verdict}')"
    assert actions["z"] == "undo"
    assert actions["y"] == "redo"
    assert actions["right_square_bracket"] == "step(1)"
    assert actions["left_square_bracket"] == "step(-1)"
