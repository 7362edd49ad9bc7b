"""What `map` and `treemap` have in common: the options of a picture, and how it gets into its file."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec

import click

from streamsave.cli.inputs import Saves
from streamsave.cli.output import FAILED, replaced, report
from streamsave.cli.save_names import label_of
from streamsave.cli.text import clean

if TYPE_CHECKING:
    from streamsave.cli.canvas import Canvas

__all__ = ["NOTHING_TO_DRAW", "Size", "has_plot", "picture_options", "title_of", "write_picture"]

P = ParamSpec("P")

#: The exit code where no object is as it was asked for: that of `grep` that finds nothing.
NOTHING_TO_DRAW: Final = 1
#: What the end of a file's name says about its format.
SUFFIXES: Final = (".png", ".svg", ".pdf")
SIZE: Final = re.compile("([0-9]{1,5})x([0-9]{1,5})")
#: Pixels along each side. While the largest map is drawn, the process takes 170 MiB for a PNG, 320 for an SVG, 590 for a PDF.
SMALLEST: Final = 400
LARGEST: Final = 5_000

#: Width and height in pixels.
Size = tuple[int, int]


def _check_name(_ctx: click.Context, _: click.Parameter, path: str) -> str:
    if Path(path).suffix.lower() not in SUFFIXES:
        raise click.BadParameter(f"{path!r} does not tell the format: a name that ends in {', '.join(SUFFIXES)} does")
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
    type=click.Path(dir_okay=False),
    callback=_check_name,
    help=f"Write the picture to this file: {', '.join(SUFFIXES)}.",
)
_TITLE: Final = click.option("--title", metavar="TEXT", help="Stands above the picture, not the names of the saves.")
_SIZE: Final = click.option(
    "--size",
    metavar="WIDTHxHEIGHT",
    default="1600x1200",
    show_default=True,
    callback=_parse_size,
    help="In pixels of a PNG; SVG and PDF have the same shape.",
)


def picture_options(command: Callable[P, int]) -> Callable[P, int]:
    """Let a command take `--output`, the file of a picture, `--title` and `--size`."""
    return _OUTPUT(_TITLE(_SIZE(command)))


def has_plot(path: str) -> bool:
    """Tell whether pictures can be drawn; if not, it was said on standard error what they need."""
    try:
        import_module("streamsave.cli.canvas")
    except ModuleNotFoundError as error:
        report(path, str(error))
        return False
    return True


def title_of(saves: Saves) -> str:
    """Make a title of what saves are called on the command line."""
    names = [clean(label_of(argument)) for argument in saves.arguments]
    return ", ".join(name.rstrip("/").rpartition("/")[2] for name in names[:3]) + (", …" if len(names) > 3 else "")


def write_picture(canvas: Canvas, path: str) -> int:
    """Write a picture into its file, which is changed only when all went well; give the exit code."""
    target = Path(path)
    try:
        with replaced(target) as file:
            canvas.save(file, target.suffix.lower()[1:])
    except OSError as error:
        report(path, error.strerror or str(error))
        return FAILED
    return 0
