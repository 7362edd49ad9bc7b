"""What `map` and `treemap` share: the options of a picture, and how it is written to its file."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec

import click

from streamsave._new_file import new_file
from streamsave.cli.options import Saves
from streamsave.cli.output import Failed, OutputFailed, OutputFile
from streamsave.cli.save_names import label_of
from streamsave.cli.text import clean

if TYPE_CHECKING:
    from streamsave.cli.canvas import Canvas

__all__ = ["Size", "need_plot", "picture_options", "title_of", "write_picture"]

P = ParamSpec("P")

#: File name endings, which choose the format.
SUFFIXES: Final = (".png", ".svg", ".pdf")
SIZE: Final = re.compile("([0-9]{1,5})x([0-9]{1,5})")
#: Pixels along each side. While the largest map is drawn, the process takes 170 MiB for a PNG, 320 for an SVG, 590 for a PDF.
SMALLEST: Final = 400
LARGEST: Final = 5_000

#: Width and height in pixels.
Size = tuple[int, int]


def _check_name(_ctx: click.Context, _: click.Parameter, path: str) -> str:
    if Path(path).suffix.lower() not in SUFFIXES:
        raise click.BadParameter(f"{path!r} has no known ending: it has to be {', '.join(SUFFIXES)}")
    return path


def _parse_size(_ctx: click.Context, _: click.Parameter, text: str) -> Size:
    match = SIZE.fullmatch(text)
    sides = (int(match[1]), int(match[2])) if match else (0, 0)
    if min(sides) < SMALLEST or max(sides) > LARGEST:
        raise click.BadParameter(f"{text!r} is not WIDTHxHEIGHT of {SMALLEST} to {LARGEST} pixels each")
    return sides


_OUTPUT: Final = click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=OutputFile(),
    callback=_check_name,
    help=f"Write the picture to this file, whose name ends in {', '.join(SUFFIXES)}.",
)
_TITLE: Final = click.option("--title", metavar="TEXT", help="The title of the picture, instead of the names of the saves.")
_SIZE: Final = click.option(
    "--size",
    metavar="WIDTHxHEIGHT",
    default="1600x1200",
    show_default=True,
    callback=_parse_size,
    help="Pixels of a PNG; an SVG or PDF has the same shape.",
)


def picture_options(command: Callable[P, int]) -> Callable[P, int]:
    """Add the options `--output`, `--title` and `--size` to a command."""
    return _OUTPUT(_TITLE(_SIZE(command)))


def need_plot(path: str) -> None:
    """Look whether pictures can be drawn.

    Raises:
        Failed: they need something that is not installed.
    """
    try:
        import_module("streamsave.cli.canvas")
    except ModuleNotFoundError as error:
        raise Failed(path, str(error)) from None


def title_of(saves: Saves) -> str:
    """Return a title: the names of the saves as on the command line."""
    names = [clean(label_of(argument)) for argument in saves.arguments]
    return ", ".join(name.rstrip("/").rpartition("/")[2] for name in names[:3]) + (", …" if len(names) > 3 else "")


def write_picture(canvas: Canvas, path: str) -> None:
    """Write a picture into its file, which changes only if that succeeds.

    Raises:
        OutputFailed: it cannot be written.
    """
    try:
        with new_file(path) as file:
            canvas.save(file, Path(path).suffix.lower()[1:])
    except OSError as error:
        raise OutputFailed(error, path) from None
