"""`streamsave map`: a picture of where the objects are; lines between them. The view of a format finds the places."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, nan
from typing import Final

import click
from attrs import frozen

from streamsave.cli.map_picture import Bounds, Places, Point, draw_map, read_background
from streamsave.cli.options import (
    Saves,
    both,
    jobs_option,
    limit_option,
    objects_option,
    saves_argument,
    shown_names_options,
    where_option,
)
from streamsave.cli.picture import Size, need_plot, not_written, picture_options, title_of
from streamsave.cli.save import Save, gather, open_input
from streamsave.cli.save_names import STDIN, given_name
from streamsave.cli.text import classes_text, clean, count_text
from streamsave.cli.view import Place, make_view
from streamsave.consume.conditions import Selection
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk
from streamsave.errors import SaveError
from streamsave.events import ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.game import SPLINE, WIRES, may_have_lines
from streamsave.input.urls import is_url
from streamsave.report.categories import Classify, classify_for, game_of
from streamsave.report.footprints import turn_of
from streamsave.report.splines import corners_of
from streamsave.values import Transform

__all__ = ["PlacesOf", "command", "places_with_lines"]

#: The properties with lines.
NAMES: Final = frozenset((SPLINE, WIRES))


def places_with_lines(events: EventStream, where: Selection | None, classify: Classify) -> Iterator[Place]:
    """Yield where the wanted objects are, with the corners of belts, pipes, rails and wires; y counts to the south.

    Raises:
        SaveError: the bytes are at fault.
    """
    unit = events.format.place_unit

    def place_of(header: ObjectHeader, transform: Transform, corners: tuple[float, ...]) -> Place:
        x, y, _ = transform.translation
        category = classify(header.kind, header.class_name) if classify else None
        turn = turn_of(transform)
        return Place(unit, header.class_name, x / unit.scale, y / unit.scale, header.kind, corners, category, turn)

    # Most objects are parts of others and have no place.
    events.only(both("kind != object", where))
    line: ObjectHeader | None = None
    corners: tuple[float, ...] = ()
    walk = Walk(events, loose=False)
    for step in walk:
        if isinstance(step, ObjectHeader):
            wanted = step.transform if events.takes(step) else None
            if wanted is not None and may_have_lines(step.class_name):
                line, corners = step, ()
                walk.keep(NAMES)
                continue
            walk.skip()
            if wanted is not None:
                yield place_of(step, wanted, ())
        elif isinstance(step, Part) and line is not None:
            lines = corners_of(str(step.path[step.base]), step.value, line.transform)
            corners = tuple([corner / unit.scale for corner in next(lines, [])])
        elif isinstance(step, ObjectEnd) and line is not None and line.transform is not None:
            yield place_of(line, line.transform, corners)
            line = None


@frozen
class PlacesOf:
    """Finds the places of the objects of a save."""

    where: Selection | None

    def __call__(self, save: Save) -> Iterator[Place]:
        """Yield the places.

        Raises:
            SaveError: the bytes are at fault.
        """
        game = game_of(save.start())
        classify = classify_for(game)
        if game == "satisfactory":
            yield from places_with_lines(save.events, self.where, classify)
            return
        for place in make_view(save.events.format).places(save.events, self.where):
            yield place._replace(category=classify(place.kind, place.class_name)) if classify else place


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
    if saves.several or saves.arguments[0] == STDIN or is_url(saves.arguments[0]):
        return ""
    try:
        with open_input(saves.arguments[0]) as save:
            return clean(given_name(save.start()))
    except (SaveError, OSError):
        return ""


@click.command("map", short_help="Where the objects are, as a picture.")
@saves_argument
@where_option
@picture_options
@objects_option
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
    have a colour each, and all others are grey. It needs pip install 'streamsave[plot]'. The places as JSON: `ls --json`.

    --at takes a place as `satisfactory` and `ls` print it.

    A damaged save gives the objects before the damage. Exit code: 0; 1 if no object has a place (nothing is written); 2 if a save
    cannot be read to its end.
    """
    if (background is None) != (bounds is None):
        raise click.UsageError("--background and --bounds need each other.")
    need_plot(output)
    places = Places()
    code = gather(saves, PlacesOf(where), places.add)
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
