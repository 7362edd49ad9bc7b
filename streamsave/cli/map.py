"""`streamsave map`: a picture of where the objects are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from streamsave.cli.inputs import Saves, jobs_option, saves_argument, where_option
from streamsave.cli.limits import limit_option
from streamsave.cli.map_places import MixedUnits, Places, PlacesOf
from streamsave.cli.objects_option import objects_option
from streamsave.cli.output import FAILED, NOT_FOUND, report
from streamsave.cli.picture_command import Size, has_plot, picture_options, title_of, write_picture
from streamsave.cli.run import gather
from streamsave.cli.text import classes_text, count_text

if TYPE_CHECKING:
    from streamsave.query.tests import Selection

__all__ = ["command"]


@click.command("map", short_help="A picture of where the objects are, coloured by class.")
@saves_argument
@where_option
@picture_options
@objects_option
@limit_option
@jobs_option
def command(saves: Saves, where: Selection | None, output: str, title: str | None, size: Size) -> int:
    """Draw a dot for each object, as on the map of the game: north is up. Several saves are drawn into one picture.

    The nine classes with most objects have a colour each; all others are grey. Places are in metres (Satisfactory) or in tiles
    (shapez 2); saves of other games have no places. It needs pip install 'streamsave[plot]'.

    A damaged save gives the objects before the damage. Exit code: 0; 1 if no object has a place (nothing is written); 2 if a save
    cannot be read to its end.
    """
    if not has_plot(output):
        return FAILED
    places = Places()
    try:
        code = gather(saves, PlacesOf(where), places.add, summary=True)
    except MixedUnits as error:
        report(output, str(error))
        return FAILED
    if not places.counts:
        report(output, "not written: no wanted object has a place" if code == 0 else "not written: nothing was found")
        return code or NOT_FOUND
    from streamsave.cli.draw_map import draw_map

    count = places.counts.total()
    subtitle = f"{count_text(count)} objects of {classes_text(len(places.counts))}"
    if places.held_count < count:
        subtitle += f", of which the first {count_text(places.held_count)} are drawn"
    canvas = draw_map(places, size, title_of(saves) if title is None else title, subtitle)
    return write_picture(canvas, output) or code
