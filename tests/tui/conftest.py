"""What screens look like must not depend on the machine the tests run on."""

from __future__ import annotations

import os

# Before `tui.theme` is imported: it chooses its marks by the locale once, and Textual its colours by
# these two.
os.environ["LC_ALL"] = "C.UTF-8"
for name in ("NO_COLOR", "TEXTUAL_THEME"):
    os.environ.pop(name, None)
