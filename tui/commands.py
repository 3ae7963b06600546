"""Every command of the app in one place: bindings, footer, help, palette and the keymap check read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual.binding import Binding

EVERYWHERE: Final = ""


@dataclass(frozen=True)
class Command:
    """One thing a key does on one screen, or everywhere."""

    id: str
    """"screen.name"; also the id of its binding, which a keymap may rebind."""
    key: str
    """Textual's name of the key; several are separated by commas."""
    title: str
    """One or two words, for the footer."""
    help: str
    """A sentence, for the help screen and the palette."""
    action: str
    """The action on the screen, or on the app when `where` is everywhere."""
    where: str = EVERYWHERE
    footer: bool = True
    priority: bool = False
    """Whether it works while a field has the focus."""


GO: Final = {
    "h": "home",
    "l": "label",
    "j": "judges",
    "r": "runs",
    "d": "disagreements",
    "m": "metrics",
}
"""What the letter after `g` opens."""

COMMANDS: Final[tuple[Command, ...]] = (
    Command("app.help", "question_mark", "help", "Show the keys of this screen", "help"),
    Command("app.go", "g", "go", "Go to a screen: the letter after it says which", "go"),
    Command("app.back", "q", "quit", "Go back, or quit", "back"),
    Command("app.palette", "ctrl+p", "palette", "Find any command by name", "command_palette", footer=False),
    Command(
        "app.stop",
        "ctrl+c",
        "quit",
        "Quit; asks first when something would be lost",
        "stop",
        footer=False,
        priority=True,
    ),
    Command(
        "app.criterion", "c", "criterion", "Choose the criterion to work on", "choose_criterion", footer=False
    ),
    # Home
    Command("home.next", "enter", "next step", "Do the next step that Home names", "next_step", "home"),
    Command(
        "home.deal", "s", "deal piles", "Deal labelled traces into train, dev and hold-out", "deal", "home"
    ),
    Command(
        "home.baseline",
        "b",
        "baseline",
        "Make the offline baseline judge, or its next version when train's labels changed",
        "baseline",
        "home",
    ),
    # Label
    Command("label.pass", "p", "pass", "Label pass and show the next trace", "decide('pass')", "label"),
    Command("label.fail", "f", "fail", "Label fail and show the next trace", "decide('fail')", "label"),
    Command("label.a", "a", "A better", "Pairs: answer A is better", "decide('A')", "label"),
    Command("label.b", "b", "B better", "Pairs: answer B is better", "decide('B')", "label"),
    Command("label.tie", "t", "tie", "Pairs: neither is better", "decide('tie')", "label"),
    Command(
        "label.unsure", "u", "unsure", "Mark unsure; it comes back at the end", "decide('unsure')", "label"
    ),
    Command(
        "label.note",
        "n",
        "note",
        "Write a note in one line; enter keeps it, escape drops it",
        "note",
        "label",
    ),
    Command("label.undo", "z", "undo", "Take the last decision back, any number of times", "undo", "label"),
    Command(
        "label.redo",
        "y",
        "redo",
        "Bring the decision back that was undone last",
        "redo",
        "label",
        footer=False,
    ),
    Command("label.next", "right_square_bracket", "next", "Next trace, without a label", "step(1)", "label"),
    Command(
        "label.previous",
        "left_square_bracket",
        "previous",
        "Previous trace",
        "step(-1)",
        "label",
        footer=False,
    ),
    Command("label.search", "slash", "search", "Search this trace and the ones after it", "search", "label"),
    Command(
        "label.order",
        "o",
        "order",
        "Change the queue's order: random or as imported",
        "order",
        "label",
        footer=False,
    ),
    Command(
        "label.standard",
        "d",
        "standard",
        "Show the standard and the facts, or hide them",
        "standard",
        "label",
        footer=False,
    ),
    # Judges
    Command("judges.use", "enter", "use", "Use this judge on the other screens", "use", "judges"),
    Command("judges.new", "n", "new", "Make a new judge", "new", "judges"),
    Command("judges.edit", "e", "edit", "Make the next version, from this one", "edit", "judges"),
    Command("judges.prompt", "p", "prompt", "See the exact prompt for any trace", "prompt", "judges"),
    Command("judges.diff", "v", "diff", "See what differs from the version before", "diff", "judges"),
    Command("judges.standard", "s", "standard", "Edit PASS and FAIL: a new version", "standard", "judges"),
    Command("judges.runs", "r", "runs", "Use this judge and go to the runs", "runs", "judges"),
    Command(
        "judges.read",
        "space",
        "read on",
        "Scroll this version's parts",
        "read_on",
        "judges",
        footer=False,
    ),
    # The prompt of one judge, trace by trace
    Command("prompt.back", "q,escape", "back", "Back to the judges", "leave", "prompt"),
    Command("prompt.next", "right_square_bracket", "next", "Next trace", "step(1)", "prompt"),
    Command("prompt.previous", "left_square_bracket", "previous", "Previous trace", "step(-1)", "prompt"),
    Command("prompt.search", "slash", "search", "Search the traces for a text", "search", "prompt"),
    Command("prompt.order", "o", "order", "Pairs: show the answers in the other order", "order", "prompt"),
    # What differs between two versions
    Command("diff.back", "q,escape", "back", "Back to the judges", "leave", "diff"),
    Command("diff.other", "o", "other", "Compare with another version", "other", "diff"),
    Command("diff.swap", "x", "swap", "Swap old and new", "swap", "diff"),
    # Runs
    Command(
        "runs.start",
        "n",
        "new run",
        "Choose judge, slice and budget; shows the estimate first",
        "start",
        "runs",
    ),
    Command("runs.pause", "space", "pause", "Pause the run, or let it go on", "pause", "runs"),
    Command("runs.cancel", "x", "cancel", "End the run; everything so far is kept", "cancel", "runs"),
    Command(
        "runs.resume",
        "e",
        "resume",
        "Go on with an ended or interrupted run; nothing is paid twice",
        "resume",
        "runs",
    ),
    # Disagreements
    *(
        Command(
            f"disagreements.cause-{digit}",
            str(digit),
            cause,
            f"The cause is: {cause}",
            f"cause({digit})",
            "disagreements",
            footer=False,
        )
        for digit, cause in enumerate(
            ("standard unclear", "fact missing", "wrong item", "judge slip", "person slip", "other"), 1
        )
    ),
    Command(
        "disagreements.next", "right_square_bracket", "next", "Next disagreement", "step(1)", "disagreements"
    ),
    Command(
        "disagreements.previous",
        "left_square_bracket",
        "previous",
        "Previous disagreement",
        "step(-1)",
        "disagreements",
        footer=False,
    ),
    Command(
        "disagreements.relabel",
        "r",
        "relabel",
        "Change the person's label to what the judge said",
        "relabel",
        "disagreements",
    ),
    Command(
        "disagreements.clear",
        "0",
        "no cause",
        "Take the cause back",
        "cause(0)",
        "disagreements",
        footer=False,
    ),
    Command(
        "disagreements.note", "n", "note", "Write a note with the person's label", "note", "disagreements"
    ),
    Command(
        "disagreements.judge",
        "j",
        "judge",
        "Choose another judge",
        "choose_judge",
        "disagreements",
        footer=False,
    ),
    Command("disagreements.pile", "p", "pile", "Another pile: all, dev, train", "pile", "disagreements"),
    Command(
        "disagreements.undo",
        "z",
        "undo relabel",
        "Take the label changed last back",
        "take_back",
        "disagreements",
        footer=False,
    ),
    Command("disagreements.read", "space", "read on", "Scroll the trace", "read_on", "disagreements"),
    # Metrics
    Command(
        "metrics.open",
        "enter",
        "open cell",
        "Open the traces of the cell under the cursor",
        "open",
        "metrics",
    ),
    Command("metrics.pile", "p", "pile", "Another pile: all, dev, train", "pile", "metrics"),
    Command(
        "metrics.reading",
        "a",
        "reading",
        "Strict or answered: does a missing verdict count",
        "reading",
        "metrics",
    ),
    Command("metrics.judge", "j", "judge", "Choose another judge", "choose_judge", "metrics"),
    *(
        Command(
            f"metrics.{key}",
            key,
            key,
            f"Move {key} in the table",
            f"walk({down}, {right})",
            "metrics",
            footer=False,
        )
        for key, down, right in (("up", -1, 0), ("down", 1, 0), ("left", 0, -1), ("right", 0, 1))
    ),
    Command(
        "metrics.page-down",
        "space,pagedown",
        "page down",
        "Scroll the figures",
        "page(1)",
        "metrics",
        footer=False,
    ),
    Command(
        "metrics.page-up", "pageup", "page up", "Scroll the figures back", "page(-1)", "metrics", footer=False
    ),
    # The traces of one cell of Metrics
    Command("cell.back", "q,escape", "back", "Back to the table", "leave", "cell"),
    Command("cell.next", "right_square_bracket", "next", "Next trace of the cell", "step(1)", "cell"),
    Command(
        "cell.previous", "left_square_bracket", "previous", "Previous trace of the cell", "step(-1)", "cell"
    ),
    Command("cell.read", "space", "read on", "Scroll the trace", "read_on", "cell"),
)


def commands_for(screen: str) -> tuple[Command, ...]:
    """Give the commands of a screen, then those that work everywhere."""
    own = tuple(command for command in COMMANDS if command.where == screen)
    return own + tuple(command for command in COMMANDS if command.where == EVERYWHERE)


def bindings_for(screen: str) -> list[Binding]:
    """Give the key bindings of one screen, or with "" those of the app."""
    # Imported here: the command line reads the registry for its help without Textual.
    from textual.binding import Binding

    return [
        Binding(
            command.key,
            command.action,
            command.title,
            show=command.footer,
            id=command.id,
            priority=command.priority,
        )
        for command in COMMANDS
        if command.where == screen
    ]
