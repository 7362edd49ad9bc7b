"""The canvas of a picture: a figure of matplotlib (the extra `plot`) with a size in pixels, without a window."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

try:
    from matplotlib import style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
except ModuleNotFoundError as missing:
    message = "pictures need the extra `plot`: pip install 'streamsave[plot]'"
    raise ModuleNotFoundError(message, name=missing.name) from None

__all__ = ["COLOURS", "GREY", "POINT", "Canvas", "own_style"]

#: Pixels of an inch, in a picture of this size or a larger one: 10 points are 20 pixels. In a smaller one all is smaller: it is
#: drawn in units, of which there are so many in an inch, that are less than a pixel.
DPI: Final = 144
FULL_SIZE: Final = (1600, 1200)
#: Units of a point, which is the 72nd part of an inch.
POINT: Final = DPI / 72
#: Paul Tol's scheme `muted`, which is safe for colour-blind people; the first colours differ most.
COLOURS: Final = ("#332288", "#CC6677", "#44AA99", "#DDCC77", "#882255", "#88CCEE", "#117733", "#AA4499", "#999933")
#: For everything else.
GREY: Final = "#BBBBBB"

#: Width of the narrowest ASCII character of the font, an apostrophe, in font sizes; and more letters than any text has.
NARROWEST: Final = 0.27
LONGEST: Final = 1 << 30

#: Letters besides ASCII whose widths are summed up; in font sizes, how much narrower or wider than this sum a text is for each of
#: its letters, because some pairs stand closer or farther apart, and in all.
SUMMED: Final = frozenset("…·")
CLOSER: Final = 0.12
FARTHER: Final = 0.06
BESIDE: Final = 0.4

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
    # Letters that the font does not have become boxes; a warning for each of them would be noise.
    with style.context(["default", STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield


class Canvas:
    """A figure to draw on, inside `own_style`.

    Args:
        size: width and height in pixels.
        makes_room: make the axes smaller, so that the text around them has room.
    """

    def __init__(self, size: tuple[int, int], *, makes_room: bool = False) -> None:
        width, height = size
        self._unit = min(1.0, width / FULL_SIZE[0], height / FULL_SIZE[1])
        #: In units.
        self.width, self.height = width / self._unit, height / self._unit
        dpi = DPI * self._unit
        # matplotlib cuts a size that is no exact number of inches to whole pixels.
        inches = ((width + 0.01) / dpi, (height + 0.01) / dpi)
        self.figure = Figure(figsize=inches, dpi=dpi, layout="constrained" if makes_room else None)
        self._agg = FigureCanvasAgg(self.figure)
        #: What was measured already, because that takes longer than to draw the text.
        self._widths: dict[tuple[str, float], float] = {}
        self._letters: dict[tuple[str, float], float] = {}

    def make_room(self) -> None:
        """Lay out the axes and the text around them as they are now; what is drawn later moves nothing."""
        engine = self.figure.get_layout_engine()
        if engine is not None:
            engine.execute(self.figure)
        self.figure.set_layout_engine("none")

    def text_width(self, text: str, points: float) -> float:
        """Return the width of a line of text in units."""
        width = self._widths.get((text, points))
        if width is None:
            measured, _, _ = self._agg.get_renderer().get_text_width_height_descent(
                text, FontProperties(size=points), ismath=False
            )
            width = self._widths[text, points] = float(measured / self._unit)
        return width

    def about_width(self, text: str, points: float) -> float:
        """Return about how wide a line of text is: the sum of its letters, which are measured once."""
        width = 0.0
        for letter in text:
            of_letter = self._letters.get((letter, points))
            if of_letter is None:
                of_letter = self.text_width(f"|{letter}|", points) - self.text_width("||", points)
                self._letters[letter, points] = of_letter
            width += of_letter
        return width

    def fits(self, text: str, points: float, width: float) -> bool:
        """Return whether a line of text is at most so wide; measure it only where the sum of its letters does not tell."""
        if text.isascii() or all(letter.isascii() or letter in SUMMED for letter in text):
            about, font = self.about_width(text, points), points * POINT
            if about - font * (CLOSER * len(text) + BESIDE) > width:
                return False
            if about + font * (FARTHER * len(text) + BESIDE) <= width:
                return True
        return self.text_width(text, points) <= width

    def most_letters(self, points: float, width: float) -> int:
        """Return how many ASCII letters of the narrowest kind have room: most texts are far too long to be measured."""
        # For a sharp picture, a letter may be a pixel narrower.
        narrowest = NARROWEST * points * POINT - 1 / self._unit
        return int(width / narrowest) if narrowest > 0 else LONGEST

    def save(self, file: BinaryIO, kind: str) -> None:
        """Write the picture as `png`, `svg` or `pdf`.

        Raises:
            OSError: the file takes no more.
        """
        with own_style():
            if kind == "png":
                # `savefig` would draw twice, because a layout might change; ours does not.
                self._agg.print_png(file, metadata=METADATA[kind], pil_kwargs={"compress_level": COMPRESSION})
                return
            self.figure.savefig(file, format=kind, dpi="figure", metadata=METADATA[kind])
