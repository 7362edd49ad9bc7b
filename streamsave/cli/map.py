"""`streamsave map`: a picture of where the objects are; lines between them.

The module is long because it draws what it finds.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from math import cos, floor, isfinite, log10, nan, sin, tau
from textwrap import wrap
from typing import TYPE_CHECKING, Final, NamedTuple

import click
from attrs import frozen

from streamsave.cli.options import (
    Saves,
    both,
    jobs_option,
    keep_only,
    kept,
    layout_options,
    limit_option,
    refuse,
    saves_argument,
    shown_name,
    shown_names_options,
    where_option,
)
from streamsave.cli.output import Failed
from streamsave.cli.picture import TITLE_POINTS, Canvas, Size, need_plot, not_written, own_style, picture_options, title_of
from streamsave.cli.save import Save, gather, open_input
from streamsave.cli.save_names import given_name, is_read_once
from streamsave.cli.text import classes_text, clean, count_text
from streamsave.consume.conditions import Selection
from streamsave.consume.values import Part, Walk
from streamsave.errors import SaveError
from streamsave.events import ObjectEnd, ObjectHeader
from streamsave.formats import METRES, PlaceUnit
from streamsave.formats.satisfactory.game import SPLINE, WIRES, may_have_lines
from streamsave.input.urls import is_url
from streamsave.report.categories import ALL, CLASS_COLOURS, NATURE, OTHER, Category, classify_for, game_of
from streamsave.report.footprints import Footprint, corners_of, footprint, spot_of

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["Group", "Place", "Places", "command", "draw_map", "groups_of", "places_of", "round_length"]

#: Places that are held: nine bytes each. The largest worlds of players have some hundred thousand objects.
MOST_PLACES: int = 5_000_000
#: Left, top, right and bottom of a picture on the map.
Bounds = tuple[float, float, float, float]
#: Characters of a line in the legend.
LONGEST_LINE: Final = 30
#: Corners of what is round.
ROUND_CORNERS: Final = 40
#: Of what lies under other objects.
UNDER_ALPHA: Final = 0.3
#: Around all objects, as a part of the map.
EDGE: Final = 0.04
#: x and y on the map.
Point = tuple[float, float]
#: What is shown around a place, in the unit of the map; the diameter of the ring in points.
NEAR: Final = 100.0
RING: Final = 18.0
RING_COLOUR: Final = "#D00000"
#: Diameter of a dot in points (1/72 inch) if there are few of them, and at least; and how many are few.
LARGEST_DOT: Final = 5.0
SMALLEST_DOT: Final = 0.7
FEW: Final = 500
#: The bar of the scale is at most this part of the map's width; pixels beside it.
BAR_PART: Final = 0.2
BAR_MARGIN: Final = 24


def outlines(taken: Footprint) -> Iterator[list[tuple[float, float]]]:
    """Yield the corners of each part of what an object takes, around the place of one that faces east."""
    for x, y, wide, long in taken.boxes:
        if taken.is_round:
            turns = [step * tau / ROUND_CORNERS for step in range(ROUND_CORNERS)]
            yield [(x + wide / 2 * (1 + cos(turn)), y + long / 2 * (1 + sin(turn))) for turn in turns]
        else:
            yield [(x, y), (x + wide, y), (x + wide, y + long), (x, y + long)]


class Place(NamedTuple):
    """Where an object is on the map."""

    unit: PlaceUnit
    class_name: str
    x: float
    y: float
    #: In the words of the format.
    kind: str = ""
    #: x and y of each corner of a belt, a pipe or a rail, and of each of its wires.
    lines: tuple[tuple[float, ...], ...] = ()
    #: What it is to a player; None in games without categories.
    category: Category | None = None
    #: About the upward axis, in 256th parts of a circle.
    turn: int = 0


class Places:
    """Places by class."""

    def __init__(self) -> None:
        #: Of all of them.
        self.unit: PlaceUnit = METRES
        #: Objects with a place, by class, whether it is held or not.
        self.counts: Counter[str] = Counter()
        #: Those that are held: x, y and turn of each class.
        self.held: dict[str, tuple[array[float], array[float], array[int]]] = {}
        self.held_count = 0
        #: What each class is to a player, in games with categories.
        self.categories: dict[str, Category] = {}
        #: Lines of each class: x and y of the corners of each one.
        self.lines: dict[str, list[array[float]]] = {}
        #: What a place of each class takes.
        self.shapes: dict[str, Footprint] = {}
        self._corner_count = 0

    def add(self, place: Place) -> None:
        """Add a place; leave it out where a number is infinite or not a number.

        Raises:
            Failed: it has another unit than the places before.
        """
        unit, class_name, x, y = place[:4]
        if not (isfinite(x) and isfinite(y)):
            return
        if self.counts and unit != self.unit:
            both_units = f"some saves have places in {self.unit.name} and others in {unit.name}"
            raise Failed(kept("output", ""), f"{both_units}; one picture cannot show both")
        self.unit = unit
        self.counts[class_name] += 1
        if place.category is not None:
            self.categories[class_name] = place.category
        if self.held_count == MOST_PLACES:
            return
        self.held_count += 1
        xs, ys, turns = self.held.setdefault(class_name, (array("f"), array("f"), array("B")))
        xs.append(x)
        ys.append(y)
        turns.append(place.turn)
        if class_name not in self.shapes:
            self.shapes[class_name] = footprint(place.kind, class_name)
        for corners in place.lines:
            if corners and self._corner_count < MOST_PLACES:
                self._corner_count += len(corners) // 2
                self.lines.setdefault(class_name, []).append(array("f", corners))

    def leave_out_nature(self) -> None:
        """Leave out what no player has made, if there is something else."""
        nature = [name for name, category in self.categories.items() if category == NATURE]
        if len(nature) < len(self.counts):
            for name in nature:
                del self.counts[name], self.categories[name]
                self.held_count -= len(self.held.pop(name, ("", ()))[0])


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
        """The text in the legend, in lines."""
        return "\n".join(wrap(f"{count_text(self.count)}  {self.name}", LONGEST_LINE, replace_whitespace=False))


def groups_of(places: Places) -> list[Group]:
    """Return a group with a colour for each of the commonest classes, and a grey one for all others."""
    if places.categories:
        return [*categories_of(places)]
    ordered = sorted(places.counts.items(), key=lambda item: (-item[1], item[0]))
    groups = [
        Group(clean(shown_name(name)), colour.light, count, (name,))
        for colour, (name, count) in zip(CLASS_COLOURS, ordered, strict=False)
    ]
    others = ordered[len(CLASS_COLOURS) :]
    if others:
        name = f"other ({classes_text(len(others))})"
        groups.append(Group(name, OTHER.light, sum(count for _, count in others), tuple(name for name, _ in others)))
    return groups


def categories_of(places: Places) -> Iterator[Group]:
    """Yield a group for each category, structures and nature last."""
    for category in ALL:
        classes = tuple(name for name in places.counts if places.categories.get(name, OTHER) == category)
        if classes:
            yield Group(category.name, category.light, sum(places.counts[name] for name in classes), classes)


def read_background(path: str) -> object:
    """Read a picture of the map; return it as matplotlib holds it.

    Raises:
        Failed: it cannot be read, or is no picture.
    """
    from matplotlib.image import imread

    try:
        return imread(path)
    except Exception as error:  # noqa: BLE001 - each kind of picture has its own
        reason = getattr(error, "strerror", None) or f"it is no picture: {type(error).__name__}: {error}"
        raise Failed(path, reason) from None


def draw_map(
    places: Places,
    size: Size,
    title: str,
    subtitle: str,
    background: object = None,
    bounds: Bounds | None = None,
    marks: Sequence[Point] = (),
) -> Canvas:
    """Draw what each object that is held takes, or a dot where that is larger: north is up, the commonest classes come first.

    Rings are around `marks`, and only what is near them is shown.
    """
    from matplotlib.ticker import StrMethodFormatter

    with own_style():
        canvas = Canvas(size, makes_room=True)
        axes = canvas.figure.add_subplot()
        groups = groups_of(places)
        dot = max(SMALLEST_DOT, LARGEST_DOT * min(1.0, (FEW / max(places.held_count, 1)) ** 0.25))
        # What is drawn first lies under the rest.
        first = len(CLASS_COLOURS)
        ordered = groups[::-1] if places.categories else [*groups[first:], *groups[:first]]
        if bounds is not None:
            left, top, right, bottom = bounds
            axes.imshow(background, extent=(left, right, bottom, top), aspect="auto", zorder=0)
        _set_limits(axes, places, bounds)
        heading = axes.set_title(title, loc="left", fontsize=TITLE_POINTS, fontweight="bold", pad=24)
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
        xs, ys = zip(*marks, strict=True) if marks else ((), ())
        if marks:
            axes.set(xlim=(min(xs) - NEAR, max(xs) + NEAR), ylim=(min(ys) - NEAR, max(ys) + NEAR))
        _show_all(axes)
        (left, right), room = axes.get_xlim(), axes.get_window_extent()
        heading.set_fontsize(canvas.title_points(title, canvas.width * room.width / canvas.figure.bbox.width))
        pixels = dot * canvas.figure.dpi / 72 + 1.5
        _draw_objects(axes, places, ordered, dot, least=pixels * (right - left) / room.width)
        if marks:
            ring = {"markersize": RING, "markerfacecolor": "none", "markeredgecolor": RING_COLOUR, "markeredgewidth": 2}
            axes.plot(xs, ys, "o", zorder=10, **ring)
        _draw_scale(canvas, axes, unit.symbol)
    return canvas


def _set_limits(axes: Axes, places: Places, bounds: Bounds | None) -> None:
    """Set the limits of both axes to what all objects take, and a picture of the map."""
    import numpy as np

    corners = [] if bounds is None else [bounds[:2], bounds[2:]]
    for name, (xs, ys, turns) in places.held.items():
        found = np.array([xs, ys])
        if places.categories and not places.shapes[name].boxes:
            # What only manages others is at 0, 0: it has no place of its own.
            found = found[:, found.any(axis=0)]
        if found.size:
            corners += [found.min(axis=1), found.max(axis=1)]
        for outline in outlines(places.shapes[name]):
            parts = _turned(outline, xs, ys, turns)
            corners += [parts.min(axis=(0, 1)), parts.max(axis=(0, 1))]
        corners += [corner for line in places.lines.get(name, ()) for corner in zip(line[::2], line[1::2], strict=True)]
    (left, right), (top, bottom) = ((min(side), max(side)) for side in zip(*corners or [(0.0, 0.0)], strict=True))
    edge = EDGE * max(right - left, bottom - top) or max(1.0, EDGE * abs(right), EDGE * abs(bottom))
    axes.set(xlim=(left - edge, right + edge), ylim=(top - edge, bottom + edge), autoscale_on=False)


def _draw_objects(axes: Axes, places: Places, groups: list[Group], dot: float, least: float) -> None:
    """Draw each group as bitmaps, also in SVG and PDF: half a million shapes would be a large file.

    Args:
        axes: with their limits.
        places: the objects.
        groups: their classes, in the order in which they are drawn.
        dot: diameter of a dot, in points.
        least: what has no longer side, in the unit of the map, is a dot.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    for under in (True, False):
        for group in groups:
            dots = array("f"), array("f")
            lines = [] if under else [line for name in group.classes for line in places.lines.get(name, ())]
            if lines:
                corners = [list(zip(line[::2], line[1::2], strict=True)) for line in lines]
                axes.add_collection(LineCollection(corners, colors=group.colour, linewidths=max(0.4, dot * 0.6), rasterized=True))
            for name in group.classes:
                if name in places.lines or name not in places.held:
                    continue
                shape = places.shapes[name]
                is_large = any(max(wide, long) > least for _, _, wide, long in shape.boxes)
                if is_large and shape.lies_under == under:
                    alpha, edge = (UNDER_ALPHA, "none") if under else (0.9, "white")
                    for outline in outlines(shape):
                        parts = _turned(outline, *places.held[name])
                        style = {"facecolors": group.colour, "edgecolors": edge, "linewidths": 0.25, "alpha": alpha}
                        axes.add_collection(PolyCollection(parts, rasterized=True, **style))
                if not under and (not is_large or shape.is_round):
                    for all_of, some in zip(dots, places.held[name][:2], strict=True):
                        all_of.extend(some)
            alpha = 0.6 if group.name == OTHER.name else 0.9
            axes.plot(*dots, "o", markersize=dot, markeredgewidth=0, color=group.colour, alpha=alpha, rasterized=True)


def _turned(corners: list[tuple[float, float]], xs: array[float], ys: array[float], turns: array[int]) -> NDArray[np.float64]:
    """Return the corners of a part of each object of a class on the map: of each object, x and y of each corner."""
    import numpy as np

    angles = np.asarray(turns) * (tau / 256)
    (x, y), cosines, sines = np.asarray(corners).T, np.cos(angles)[:, None], np.sin(angles)[:, None]
    across = np.asarray(xs)[:, None] + cosines * x - sines * y
    down = np.asarray(ys)[:, None] + sines * x + cosines * y
    return np.stack([across, down], axis=-1)


def _draw_legend(canvas: Canvas, groups: list[Group]) -> None:
    from matplotlib.lines import Line2D

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
    from mpl_toolkits.axes_grid1.anchored_artists import AnchoredSizeBar

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


#: The properties with lines.
NAMES: Final = frozenset((SPLINE, WIRES))


def places_of(where: Selection | None, save: Save) -> Iterator[Place]:
    """Yield where the wanted objects of a save are, with the corners of belts, pipes, rails and wires; y counts to the south.

    Raises:
        SaveError: the bytes are at fault.
    """
    game = game_of(save.start())
    classify = classify_for(game)
    events = save.events
    unit = events.format.place_unit
    has_lines = game == "satisfactory"
    # Most objects of this game are parts of others and have no place.
    keep_only(events, both("kind != object", where) if has_lines else where)
    #: An object that may have lines, and its place.
    line: ObjectHeader | None = None
    held: Place
    walk = Walk(events, loose=False)
    for step in walk:
        if isinstance(step, ObjectHeader):
            spot = spot_of(step, unit) if events.takes(step) else None
            if spot is None:
                walk.skip()
                continue
            category = classify(step.kind, step.class_name) if classify else None
            place = Place(unit, step.class_name, *spot[:2], step.kind, category=category, turn=spot[2])
            if has_lines and may_have_lines(step.class_name):
                line, held = step, place
                walk.keep(NAMES)
            else:
                walk.skip()
                yield place
        elif isinstance(step, Part) and line is not None:
            lines = corners_of(str(step.path[step.base]), step.value, line.transform)
            scaled = [tuple([corner / unit.scale for corner in corners]) for corners in lines]
            held = held._replace(lines=(*held.lines, *scaled))
        elif isinstance(step, ObjectEnd) and line is not None:
            yield held
            line = None


# --- the command ---


def _parse_bounds(_ctx: click.Context, _: click.Parameter, text: str | None) -> Bounds | None:
    if text is None:
        return None
    try:
        left, top, right, bottom = map(float, text.split(","))
    except ValueError:
        left = top = right = bottom = 0.0
    if not (left < right and top < bottom and all(map(isfinite, (left, top, right, bottom)))):
        raise click.BadParameter(
            f"{text!r} is not LEFT,TOP,RIGHT,BOTTOM: four numbers, of which x grows to the right, and y downward"
        )
    return left, top, right, bottom


def _parse_marks(_ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> list[Point]:
    marks = []
    for text in texts:
        try:
            x, y = map(float, text.replace(",", " ").split()[:2])
        except ValueError:
            x = y = nan
        if not (isfinite(x) and isfinite(y)):
            raise click.BadParameter(f"{text!r} is no place: two or three numbers, as in the last column of `satisfactory find`")
        marks.append((x, y))
    return marks


def session_of(saves: Saves) -> str:
    """Return the name that the player gave the world; "" for several saves, and where that is not known."""
    if saves.several or is_read_once(saves.arguments[0]) or is_url(saves.arguments[0]):
        return ""
    with suppress(SaveError, OSError), open_input(saves.arguments[0]) as save:
        return clean(given_name(save.start()))
    return ""


@click.command("map", short_help="Where the objects are, as a picture.")
@saves_argument
@where_option
@picture_options
@layout_options
@limit_option
@jobs_option
@shown_names_options
@click.option(
    "--at",
    "marks",
    metavar="PLACE",
    multiple=True,
    callback=_parse_marks,
    help="Draw a ring around this place, and only what is near it: --at '-333.28 2316.26 -13.33 m'. Repeatable.",
)
@click.option("--nature", is_flag=True, help="Draw plants, rocks, creatures and the like, too.")
@click.option(
    "--background", metavar="IMAGE", type=click.Path(dir_okay=False), help="Draw it on a picture of the map: PNG or JPEG."
)
@click.option(
    "--bounds",
    metavar="LEFT,TOP,RIGHT,BOTTOM",
    callback=_parse_bounds,
    help="Where the edges of the picture are on the map, in its unit: --bounds=-3247,-3750,4253,3750.",
)
def command(
    saves: Saves,
    where: Selection | None,
    output: str,
    title: str | None,
    size: Size,
    marks: list[Point],
    nature: bool,
    background: str | None,
    bounds: Bounds | None,
) -> int:
    """Draw what a player has built, as on the map of the game: north is up. Several saves are drawn into one picture.

    Categories (production, logistics, power, ...) have a colour each; belts, pipes, rails and wires are lines. What no player
    has made is drawn with --nature, or if there is nothing else. In games without categories, the six classes with most objects
    have a colour each, and all others are grey. It needs pip install "streamsave[plot]". The places as JSON: `ls --json`.

    --at takes a place as `satisfactory` and `ls` print it.

    A damaged save gives the objects before the damage. Exit code: 0; 1 if no object has a place (nothing is written); 2 if a save
    cannot be read to its end.
    """
    refuse((background is None) != (bounds is None), "--background and --bounds need each other.")
    need_plot(output)
    places = Places()
    code = gather(saves, partial(places_of, where), places.add)
    if not places.counts:
        raise not_written(output, code, "no wanted object has a place")
    if not nature:
        places.leave_out_nature()
    count = places.counts.total()
    subtitle = f"{count_text(count)} objects of {classes_text(len(places.counts))}"
    if places.held_count < count:
        subtitle += f", of which the first {count_text(places.held_count)} are drawn"
    picture = None if background is None else read_background(background)
    heading = session_of(saves) or title_of(saves) if title is None else title
    draw_map(places, size, heading, subtitle, picture, bounds, marks).write(output)
    return code
