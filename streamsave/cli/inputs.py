"""The saves that a command was given: files, or `-` for standard input, one after the other."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from stat import S_ISREG
from typing import Final, TypeAlias

import click
from attrs import frozen

from streamsave.cli.limits import current_limits
from streamsave.cli.output import report
from streamsave.cli.progress import WatchedFile, bar_is_wanted
from streamsave.errors import SaveError
from streamsave.stream import EventStream, open_save

__all__ = ["Save", "Work", "json_option", "label_of", "open_input", "read_saves", "saves_argument", "sparse_option"]

STDIN: Final = "-"
#: How a blueprint code of shapez 2 starts, which may be given itself in place of a file; and how much of it is shown.
CODE_START: Final = "SHAPEZ2-"
SHOWN_CODE: Final = 24


@frozen
class Save:
    """One save that is open."""

    #: What it is called in output.
    label: str
    #: Bytes of the file, or None for a pipe.
    size: int | None
    events: EventStream


#: What a command does with one save. True: the rest of the saves need not be read.
Work: TypeAlias = Callable[[Save], bool | None]

#: Lets a command take one SAVE or more.
saves_argument: Final = click.argument("saves", metavar="SAVE...", nargs=-1, required=True, type=click.Path(allow_dash=True))
#: Lets a command take `--json`.
json_option: Final = click.option("--json", "as_json", is_flag=True, help="One JSON value a line.")

#: Lets a command take `--sparse`.
sparse_option: Final = click.option("--sparse", is_flag=True, help="Arx: leave out fields that are all zero; `zeros` names them.")


def is_code(name: str) -> bool:
    """Tell whether an argument is a blueprint code, not the name of a file."""
    return name.startswith(CODE_START) and name.rstrip().endswith("$")


def label_of(name: str) -> str:
    """Tell what a file is called in output."""
    if name == STDIN:
        return "(standard input)"
    return f"{name[:SHOWN_CODE]}..." if is_code(name) else name


def read_saves(names: Sequence[str], work: Work, *, summary: bool = False, sparse: bool = False, on_damage: str = "raise") -> int:
    """Do the work for each save; one that cannot be read is reported, and the next one is read.

    Args:
        names: paths, or `-`.
        work: what to do.
        summary: the work writes nothing before a save is read to its end, so a progress bar disturbs nobody.
        sparse: leave out values that are all zero, where the format has large structs of fixed size.
        on_damage: as for `streamsave.open`.

    Returns:
        The exit code: 0, or 2 where a save could not be read.
    """
    code = 0
    for name in names:
        try:
            with open_input(name, summary=summary, sparse=sparse, on_damage=on_damage) as save:
                done = work(save)
        except IsADirectoryError:
            report(label_of(name), "is a directory; name the saves in it")
            code = 2
        except SaveError as error:
            report(label_of(name), str(error))
            code = 2
        except OSError as error:
            report(label_of(name), error.strerror or str(error))
            code = 2
        else:
            if done:
                break
    return code


@contextmanager
def open_input(
    name: str,
    *,
    summary: bool = False,
    sparse: bool = False,
    type_hints: Mapping[str, str] | None = None,
    on_damage: str = "raise",
) -> Iterator[Save]:
    """Open a path, or standard input for `-`, within the limits of the command, with a progress bar where it may take long.

    Raises:
        SaveError: it is no save.
        OSError: it cannot be opened.
    """
    limits = current_limits()
    if name == STDIN:
        with open_save(sys.stdin.buffer, limits=limits, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as events:
            yield Save(label_of(name), None, events)
        return
    if is_code(name):
        code = name.encode("utf-8", "surrogateescape")
        with open_save(code, limits=limits, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as events:
            yield Save(label_of(name), len(code), events)
        return
    status = os.stat(name)  # noqa: PTH116 - names of files are handed on as they are
    size = status.st_size if S_ISREG(status.st_mode) else None
    if size is None or not bar_is_wanted(size, summary=summary):
        with open_save(name, limits=limits, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as events:
            yield Save(name, size, events)
        return
    watched = WatchedFile(open(name, "rb"), name, size)  # noqa: SIM115, PTH123 - closed below
    try:
        with open_save(watched, limits=limits, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as events:
            yield Save(name, size, events)
    finally:
        watched.close()
