"""Take the README's picture with the app itself: `python -m docs.screenshots`.

The picture is what the app draws on the sample traces at 110x30, as SVG. The font that Textual's export
names on a web server is left out, so that the picture loads nothing from anywhere.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from store.project import Project
from store.samples import load_samples
from tui.app import AdjudgeApp
from tui.session.session import Session

HERE = Path(__file__).parent
SIZE = (110, 30)


def without_web_fonts(svg: str) -> str:
    """Take the font faces off that would be fetched from the web; any monospaced font does."""
    return re.sub(r"@font-face\s*\{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", "monospace")


async def take(project: Project) -> None:
    """Label a few traces and take the Label screen."""
    app = AdjudgeApp(Session(project, "asha", criterion="allergen"), start="label")
    async with app.run_test(size=SIZE) as pilot:
        for key in "ppfpf":
            await pilot.press(key)
        labelling = app.session.labelling
        if labelling is not None:
            labelling.go_to("b-003")
        await pilot.press("left_square_bracket", "right_square_bracket")
        await pilot.pause()
        (HERE / "label.svg").write_text(without_web_fonts(app.export_screenshot()), encoding="utf-8")


def main() -> None:
    """Load the samples into a project that is thrown away, and take the picture."""
    with tempfile.TemporaryDirectory() as folder, Project.create(Path(folder)) as project:
        load_samples(project)
        asyncio.run(take(project))


if __name__ == "__main__":
    main()
