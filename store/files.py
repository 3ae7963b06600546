"""Put bytes on the disk so that a kill or a power cut leaves the old file or the new, never half of one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from store.errors import StoreError

flush_to_disk: Final = getattr(os, "fdatasync", os.fsync)
"""Flush one open file's content; `fdatasync` where there is one, since it spares the date of change."""


def flush_folder(path: Path) -> None:
    """Flush a folder, so that a rename inside it survives a power cut."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def replace_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Give a file new content at once: a reader sees the old content or all of the new.

    The new content is written under a name of this process first, so that several processes may do this at
    the same time and so that whoever has the old file open or mapped keeps it.

    Raises:
        StoreError: The disk did not take it; the file is as it was before.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with open(fresh, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        flush_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        raise StoreError(f"{path} was not written: {error.strerror or error}") from error


def copy_aside(path: Path, word: str) -> Path:
    """Copy a file to the first free name ``<name>.<word>-<n>`` beside it and flush the copy.

    Raises:
        StoreError: The disk did not take the copy.
    """
    with open(path, "rb") as source:
        return _set_aside(path, word, iter(lambda: source.read(1 << 20), b""))


def set_aside(path: Path, word: str, data: bytes) -> Path:
    """Keep bytes that are to leave a file under the first free name ``<name>.<word>-<n>`` beside it.

    Raises:
        StoreError: The disk did not take them.
    """
    return _set_aside(path, word, (data,))


def _set_aside(path: Path, word: str, parts: Iterable[bytes]) -> Path:
    number = 1
    while True:
        aside = path.with_name(f"{path.name}.{word}-{number}")
        try:
            file = open(aside, "xb")  # noqa: SIM115  # closed below; only the opening may find the name taken
        except FileExistsError:
            number += 1
            continue
        except OSError as error:
            raise StoreError(f"{aside} was not written: {error.strerror or error}") from error
        break
    try:
        with file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        flush_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            aside.unlink()
        raise StoreError(f"{aside} was not written: {error.strerror or error}") from error
    return aside


def free_bytes(folder: Path) -> int:
    """Give the free space of the disk that a folder is on, in bytes."""
    return shutil.disk_usage(folder).free
