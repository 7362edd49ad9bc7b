"""The picture that `streamsave map` makes of places."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from math import floor, log10
from typing import Final

from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.image import imread
from matplotlib.lines import Line2D
from matplotlib.ticker import StrMethodFormatter
from mpl_toolkits.axes_grid1.anchored_artists import AnchoredSizeBar

from streamsave.cli.map import Bounds, Places
from streamsave.cli.output import Failed
from streamsave.cli.picture import COLOURS, GREY, Canvas, Size, own_style
from streamsave.cli.text import classes_text, clean, count_text, short_class
from streamsave.report.categories import ALL, OTHER

__all__ = ["Group", "draw_map", "groups_of", "read_background"]

#: Characters of a name in the legend.
LONGEST_NAME: Final = 36
#: Diameter of a dot in points (1/72 inch) if there are few of them, and at least; and how many are few.
LARGEST_DOT: Final = 5.0
SMALLEST_DOT: Final = 0.7
FEW: Final = 500
#: The bar of the scale is at most this part of the map's width; pixels beside it.
BAR_PART: Final = 0.2
BAR_MARGIN: Final = 24


@frozen
class Group:
    """The classes with one colour."""

    name: str
    colour: str
    count: int
    #: Full names of the classes.
    classes: tuple[str, ...]

    @property
    def label(self) -> str:
        """The text in the legend."""
        return f"{count_text(self.count)}  {self.name}"


def groups_of(places: Places) -> list[Group]:
    """Return a group with a colour for each of the commonest classes, and a grey one for all others."""
    if places.categories:
        return [*categories_of(places)]
    ordered = sorted(places.counts.items(), key=lambda item: (-item[1], item[0]))
    groups = [
        Group(shorten(clean(short_class(name))), colour, count, (name,))
        for colour, (name, count) in zip(COLOURS, ordered, strict=False)
    ]
    others = ordered[len(COLOURS) :]
    if others:
        name = f"other ({classes_text(len(others))})"
        groups.append(Group(name, GREY, sum(count for _, count in others), tuple(name for name, _ in others)))
    return groups


def categories_of(places: Places) -> Iterator[Group]:
    """Yield a group for each category, structures and nature last."""
    for category in ALL:
        classes = tuple(name for name in places.counts if places.categories.get(name, OTHER) == category)
        if classes:
            yield Group(category.name, category.light, sum(places.counts[name] for name in classes), classes)


def shorten(name: str) -> str:
    """Leave out the middle of a name that is too long: long names mostly differ at the end."""
    if len(name) <= LONGEST_NAME:
        return name
    half = LONGEST_NAME // 2
    return f"{name[:half]}…{name[1 - half :]}"


def read_background(path: str) -> object:
    """Read a picture of the map; return it as matplotlib holds it.

    Raises:
        Failed: it cannot be read, or is no picture.
    """
    try:
        return imread(path)
    except OSError as error:
        raise Failed(path, error.strerror or "it is no picture") from None
    except Exception as error:  # noqa: BLE001 - each kind of picture has its own
        raise Failed(path, f"it is no picture: {type(error).__name__}: {error}") from None


def draw_map(
    places: Places, size: Size, title: str, subtitle: str, background: object = None, bounds: Bounds | None = None
) -> Canvas:
    """Draw a dot for each place that is held: north is up, the commonest classes are drawn first."""
    with own_style():
        canvas = Canvas(size, makes_room=True)
        axes = canvas.figure.add_subplot()
        groups = groups_of(places)
        dot = max(SMALLEST_DOT, LARGEST_DOT * min(1.0, (FEW / max(places.held_count, 1)) ** 0.25))
        # What is drawn first lies under the rest.
        ordered = groups[::-1] if places.categories else [*groups[len(COLOURS) :], *groups[: len(COLOURS)]]
        if bounds is not None:
            left, top, right, bottom = bounds
            axes.imshow(background, extent=(left, right, bottom, top), aspect="auto", zorder=0)
        _draw_dots(axes, places, ordered, dot)
        axes.set_title(title, loc="left", fontsize=13, fontweight="bold", pad=24)
        axes.text(0, 1.01, subtitle, transform=axes.transAxes, fontsize=9, color="#555555", va="bottom")
        unit = places.unit
        axes.set_xlabel(f"x in {unit.name}, to the east")
        axes.set_ylabel(f"y in {unit.name}, to the south")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        axes.grid(color="#E6E6E6", linewidth=0.6)
        axes.set_axisbelow(True)
        for spine in axes.spines.values():
            spine.set_color("#999999")
        _draw_legend(canvas, groups)
        # How much room there is is known only after the layout.
        canvas.make_room()
        _show_all(axes)
        _draw_scale(canvas, axes, unit.symbol)
    return canvas


def _draw_dots(axes: Axes, places: Places, groups: list[Group], dot: float) -> None:
    """Draw each group as one bitmap of dots, also in SVG and PDF: half a million shapes would be a large file."""
    for group in groups:
        xs, ys = array("f"), array("f")
        lines = [line for name in group.classes for line in places.lines.get(name, ())]
        if lines:
            corners = [list(zip(line[::2], line[1::2], strict=True)) for line in lines]
            axes.add_collection(LineCollection(corners, colors=group.colour, linewidths=max(0.4, dot * 0.6), rasterized=True))
        for name in group.classes:
            if name not in places.lines and name in places.held:
                xs.extend(places.held[name][0])
                ys.extend(places.held[name][1])
        alpha = 0.6 if group.colour == GREY else 0.9
        axes.plot(xs, ys, "o", markersize=dot, markeredgewidth=0, color=group.colour, alpha=alpha, rasterized=True)


def _draw_legend(canvas: Canvas, groups: list[Group]) -> None:
    handles = [Line2D([], [], marker="o", linestyle="", markersize=7, markeredgewidth=0, color=each.colour) for each in groups]
    labels = [each.label for each in groups]
    canvas.figure.legend(handles, labels, loc="outside right upper", frameon=False, handletextpad=0.2, labelspacing=0.6)


def _show_all(axes: Axes) -> None:
    """Set the limits of both axes: they show all dots with one scale, and y grows downward."""
    (left, right), (top, bottom) = axes.get_xlim(), axes.get_ylim()
    room = axes.get_window_extent()
    half = max((right - left) / room.width, (bottom - top) / room.height) / 2
    x, y = (left + right) / 2, (top + bottom) / 2
    axes.set(xlim=(x - half * room.width, x + half * room.width), ylim=(y + half * room.height, y - half * room.height))


def _draw_scale(canvas: Canvas, axes: Axes, unit: str) -> None:
    """Draw a scale bar of a round length beside the map."""
    room = axes.get_window_extent()
    left, right = axes.get_xlim()
    pixels = min(room.width * BAR_PART, canvas.figure.bbox.width - room.x1 - 2 * BAR_MARGIN)
    length = round_length(pixels * (right - left) / room.width)
    bar = AnchoredSizeBar(
        axes.transData,
        length,
        f"{length:,g} {unit}",
        "lower left",
        pad=0,
        borderpad=0,
        sep=4,
        color="#222222",
        frameon=False,
        bbox_to_anchor=(room.x1 + BAR_MARGIN, room.y0),
        bbox_transform=None,
    )
    axes.add_artist(bar)


def round_length(most: float) -> float:
    """Return the largest of ..., 1, 2, 5, 10, 20, 50, ... up to a length."""
    power = 10.0 ** floor(log10(most))
    return max(step * power for step in (1, 2, 5) if step * power <= most)
