"""`streamsave map`: a picture of where the objects are."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import click

from streamsave.cli.map_places import MixedUnits, Places, PlacesOf
from streamsave.cli.options import Saves, jobs_option, limit_option, objects_option, saves_argument, where_option
from streamsave.cli.output import NOT_FOUND, Failed
from streamsave.cli.picture_command import Size, need_plot, picture_options, title_of, write_picture
from streamsave.cli.run import gather
from streamsave.cli.save import open_input
from streamsave.cli.save_names import STDIN, given_name
from streamsave.cli.text import classes_text, clean, count_text
from streamsave.errors import SaveError
from streamsave.input.source import is_url

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["command"]

#: Left, top, right and bottom of a picture on the map.
Bounds = tuple[float, float, float, float]


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
    nature: bool,
    background: str | None,
    bounds: Bounds | None,
) -> int:
    """Draw what a player has built, as on the map of the game: north is up. Several saves are drawn into one picture.

    Categories (production, logistics, power, ...) have a colour each; belts, pipes, rails and wires are lines. What no player
    has made is drawn with --nature, or if there is nothing else. In games without categories, the nine classes with most objects
    have a colour each, and all others are grey. It needs pip install 'streamsave[plot]'. The places as JSON: `ls --json`.

    A damaged save gives the objects before the damage. Exit code: 0; 1 if no object has a place (nothing is written); 2 if a save
    cannot be read to its end.
    """
    if (background is None) != (bounds is None):
        raise click.UsageError("--background and --bounds need each other.")
    need_plot(output)
    places = Places()
    try:
        code = gather(saves, PlacesOf(where), places.add, summary=True)
    except MixedUnits as error:
        raise Failed(output, str(error)) from None
    if not places.counts:
        raise Failed(
            output,
            "not written: no wanted object has a place" if code == 0 else "not written: nothing was found",
            code or NOT_FOUND,
        )
    if not nature:
        places.leave_out_nature()
    from streamsave.cli.draw_map import draw_map, read_background

    count = places.counts.total()
    subtitle = f"{count_text(count)} objects of {classes_text(len(places.counts))}"
    if places.held_count < count:
        subtitle += f", of which the first {count_text(places.held_count)} are drawn"
    picture = None if background is None else read_background(background)
    heading = session_of(saves) or title_of(saves) if title is None else title
    canvas = draw_map(places, size, heading, subtitle, picture, bounds)
    write_picture(canvas, output)
    return code
