"""The source of the screens is read: no text that may hold data is handed over as markup.

A plain string given to a Textual widget is parsed as markup: it can crash the app, change what is
read, or run an action. A literal is ours. Text put together at run time has to go through
`tui.text` (`content`, `printable`, `one_line`) or be `Content` already.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TUI = Path(__file__).parents[2] / "tui"

WIDGETS = {"Static", "Label", "Button", "Checkbox", "RadioButton", "Option", "Selection"}
WIDGETS |= {"Tab", "TabPane", "Collapsible", "Link", "Digits"}
METHODS = {"update", "notify", "add_row", "add_column", "add_columns", "update_cell", "add_option"}
TEXT_KEYWORDS = {"title", "label", "prompt", "tooltip", "content", "message"}
ATTRIBUTES = {"border_title", "border_subtitle", "tooltip"}
MARKUP = {"from_markup"}


def _composed(node: ast.expr) -> bool:
    """Tell whether an expression puts text together at run time."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return any(_stringy(side) for side in (node.left, node.right))
    if isinstance(node, ast.IfExp):
        return _composed(node.body) or _composed(node.orelse)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("format", "join")
        and isinstance(node.func.value, ast.Constant | ast.JoinedStr)
    )


def _stringy(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        (isinstance(node, ast.Constant) and isinstance(node.value, str)) or _composed(node)
    )


def violations(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named = any(isinstance(target, ast.Attribute) and target.attr in ATTRIBUTES for target in targets)
            if named and node.value is not None and _composed(node.value):
                yield f"line {node.lineno}: text put together is assigned as markup"
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in WIDGETS | METHODS | MARKUP:
            keywords = [k.value for k in node.keywords if k.arg in TEXT_KEYWORDS]
            if any(_composed(argument) for argument in [*node.args, *keywords]):
                yield f"line {node.lineno}: text put together is given to {name}"
        if name == "notify" and not _says_no_markup(node):
            yield f"line {node.lineno}: notify without markup=False"


def _says_no_markup(call: ast.Call) -> bool:
    said = [keyword.value for keyword in call.keywords if keyword.arg == "markup"]
    return any(isinstance(value, ast.Constant) and value.value is False for value in said)


@pytest.mark.parametrize("path", sorted(TUI.rglob("*.py")), ids=lambda path: str(path.relative_to(TUI)))
def test_no_screen_hands_over_text_as_markup(path: Path) -> None:
    assert list(violations(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "Static(f'{trace.id}')",
        "widgets.Label('of ' + name)",
        "Label('%s' % name)",
        "Static('{}'.format(name))",
        "Static(', '.join(names))",
        "Collapsible(title=f'{name}')",
        "self.view.update(f'{name}')",
        "table.add_row('ok', f'{name}')",
        "pane.border_title = f'{name}'",
        "pane.border_title = 'of ' + name",
        "Content.from_markup(f'[b]{name}[/b]')",
        "Static(f'{a}' if a else 'none')",
        "self.notify('saved')",
        "self.notify(f'{name}', markup=False)",
        "self.notify('saved', markup=True)",
    ],
)
def test_the_reader_catches(source: str) -> None:
    assert list(violations(source))


@pytest.mark.parametrize(
    "source",
    [
        "Static('ours')",
        "Static(f'ours')",
        "Static(content(f'{trace.id}'))",
        "Label(Content.assemble(mark, ' ', content(name)))",
        "self.notify(printable(f'{name}'), markup=False)",
        "pane.border_title = content(f'{name}')",
        "counts.update(other)",
        "digest.update(text.encode())",
        "Content.from_markup('[b]$name[/b]', name=name)",
    ],
)
def test_the_reader_lets_pass(source: str) -> None:
    assert not list(violations(source))
