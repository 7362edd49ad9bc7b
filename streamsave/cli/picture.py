"""What `map` and `treemap` share: the options of a picture, and the canvas, a figure of matplotlib (the extra `plot`)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import click

from streamsave._new_file import new_file
from streamsave.cli.options import Saves, all_of
from streamsave.cli.output import NOT_FOUND, Failed, OutputFailed, OutputFile
from streamsave.cli.save_names import file_name
from streamsave.cli.text import clean

__all__ = [
    "COLOURS",
    "GREY",
    "POINT",
    "TITLE_POINTS",
    "Canvas",
    "Size",
    "need_plot",
    "not_written",
    "own_style",
    "picture_options",
    "title_of",
]

#: File name endings, which choose the format.
SUFFIXES: Final = (".png", ".svg", ".pdf")
SIZE: Final = re.compile("([0-9]{1,5})x([0-9]{1,5})")
#: Pixels along each side. While the largest map is drawn, the process takes 170 MiB for a PNG, 320 for an SVG, 590 for a PDF.
SMALLEST: Final = 400
LARGEST: Final = 5_000

#: Width and height in pixels.
Size = tuple[int, int]


# --- the command line ---


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


#: Lets a command take `--output`, `--title` and `--size`.
picture_options: Final = all_of(
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        type=OutputFile(),
        callback=_check_name,
        help=f"Write the picture to this file, whose name ends in {', '.join(SUFFIXES)}.",
    ),
    click.option("--title", metavar="TEXT", help="The title of the picture, instead of the names of the saves."),
    click.option(
        "--size",
        metavar="WIDTHxHEIGHT",
        default="1600x1200",
        show_default=True,
        callback=_parse_size,
        help="Pixels of a PNG; an SVG or PDF has the same shape.",
    ),
)


def need_plot(path: str) -> None:
    """Look whether pictures can be drawn.

    Raises:
        Failed: they need something that is not installed.
    """
    try:
        import matplotlib.figure  # noqa: F401 - so that it is known before anything is read
    except ModuleNotFoundError:
        raise Failed(path, 'pictures need the extra `plot`: pip install "streamsave[plot]"') from None


def title_of(saves: Saves) -> str:
    """Return a title: the names of the saves as on the command line."""
    return ", ".join(clean(file_name(name)) for name in saves.arguments[:3]) + (", …" if len(saves.arguments) > 3 else "")


def not_written(path: str, code: int, reason: str) -> Failed:
    """Return the end of a command that has nothing to draw, for this reason if all saves were read: else that was said."""
    return Failed(path, "not written" if code else f"not written: {reason}", code or NOT_FOUND)


# --- the canvas ---

#: Pixels of an inch, in a picture of this size or a larger one: 10 points are 20 pixels. In a smaller one all is smaller: it is
#: drawn in units, of which there are so many in an inch, that are less than a pixel.
DPI: Final = 144
FULL_SIZE: Final = (1600, 1200)
#: Units of a point, which is the 72nd part of an inch.
POINT: Final = DPI / 72
#: Font size of a title that has room.
TITLE_POINTS: Final = 13.0
#: Paul Tol's scheme `muted`, which is safe for colour-blind people; the first colours differ most.
COLOURS: Final = ("#332288", "#CC6677", "#44AA99", "#DDCC77", "#882255", "#88CCEE", "#117733", "#AA4499", "#999933")
#: For everything else.
GREY: Final = "#BBBBBB"

#: Text stays text in SVG and PDF, a name is never a formula, and the same picture has the same bytes.
STYLE: Final = {
    "svg.fonttype": "none",
    "svg.hashsalt": "streamsave",
    "pdf.fonttype": 42,
    "text.parse_math": False,
    "font.size": 9.0,
    "axes.unicode_minus": False,
}
#: Without the time when the file was made.
METADATA: Final = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
#: zlib's level for PNG: 6, which is usual, takes three times as long.
COMPRESSION: Final = 3


@contextmanager
def own_style() -> Iterator[None]:
    """Draw with our style, without that of the user's matplotlibrc."""
    from matplotlib import style

    # Letters that the font does not have become boxes; a warning for each of them would be noise.
    with style.context(["default", STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield


class Canvas:
    """A figure to draw on, inside `own_style`, with a size in pixels and without a window.

    Args:
        size: width and height in pixels.
        makes_room: make the axes smaller, so that the text around them has room.
    """

    def __init__(self, size: Size, *, makes_room: bool = False) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        width, height = size
        self._unit = min(1.0, width / FULL_SIZE[0], height / FULL_SIZE[1])
        #: In units.
        self.width, self.height = width / self._unit, height / self._unit
        dpi = DPI * self._unit
        # matplotlib cuts a size that is no exact number of inches to whole pixels.
        inches = ((width + 0.01) / dpi, (height + 0.01) / dpi)
        self.figure = Figure(figsize=inches, dpi=dpi, layout="constrained" if makes_room else None)
        self._agg = FigureCanvasAgg(self.figure)

    def make_room(self) -> None:
        """Lay out the axes and the text around them as they are now; what is drawn later moves nothing."""
        engine = self.figure.get_layout_engine()
        if engine is not None:
            engine.execute(self.figure)
        self.figure.set_layout_engine("none")

    def text_width(self, text: str, points: float) -> float:
        """Return the width of a line of text in units."""
        from matplotlib.font_manager import FontProperties

        width, _, _ = self._agg.get_renderer().get_text_width_height_descent(text, FontProperties(size=points), ismath=False)
        return float(width / self._unit)

    def title_points(self, text: str, width: float) -> float:
        """Return a font size at which a bold title is no wider than so many units: at most that of a title."""
        # Bold letters are wider, small ones too.
        return min(TITLE_POINTS, TITLE_POINTS * width / max(1.2 * self.text_width(text, TITLE_POINTS), 1.0))

    def save(self, file: BinaryIO, kind: str) -> None:
        """Write the picture as `png`, `svg` or `pdf`.

        Raises:
            OSError: the file takes no more.
        """
        with own_style():
            more = {"pil_kwargs": {"compress_level": COMPRESSION}} if kind == "png" else {}
            self.figure.savefig(file, format=kind, dpi="figure", metadata=METADATA[kind], **more)

    def write(self, path: str) -> None:
        """Write the picture into a file, which changes only if that succeeds.

        Raises:
            OutputFailed: it cannot be written.
        """
        try:
            with new_file(path) as file:
                self.save(file, Path(path).suffix.lower()[1:])
        except OSError as error:
            raise OutputFailed(error, path) from None
