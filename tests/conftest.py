"""Property tests search anew on a person's machine; a build repeats the same search each time."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("build", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("build")
