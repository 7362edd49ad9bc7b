"""`streamsave treemap`: a picture of what takes the bytes of a save."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from streamsave.cli.options import (
    Saves,
    jobs_option,
    limit_option,
    objects_option,
    saves_argument,
    shown_name,
    shown_names_options,
    where_option,
)
from streamsave.cli.output import NOT_FOUND, Failed
from streamsave.cli.picture_command import Size, need_plot, picture_options, title_of, write_picture
from streamsave.cli.run import gather
from streamsave.cli.text import size_text
from streamsave.cli.treemap_parts import Sums, SumsOf, parts_of

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["command"]


@click.command("treemap", short_help="What takes the bytes of a save, as a picture.")
@saves_argument
@where_option
@picture_options
@objects_option
@limit_option
@jobs_option
@shown_names_options
@click.option("--by-mod", is_flag=True, help="Colour the classes by the mod that they are from, not by what they are for.")
def command(saves: Saves, where: Selection | None, output: str, title: str | None, size: Size, *, by_mod: bool) -> int:
    """Draw a rectangle for each class, as large as the data of its objects; in it one for each property; and so on.

    Sizes are bytes before compression. Together the rectangles are the whole save, with the headers of objects and the bytes
    outside of objects; with --where, only the objects that match EXPR. Parts that are too small to see become one part, other.
    Several saves are added up. The sizes as JSON: `stats --json`. It needs pip install 'streamsave[plot]'.

    Exit code: 0; 1 if no object matches EXPR (nothing is written); 2 if a save cannot be read: it is left out.
    """
    need_plot(output)
    sums = Sums()
    code = gather(saves, SumsOf(where), sums.add, summary=True)
    parts = parts_of(sums, whole=where is None, named=shown_name, by_mod=by_mod)
    if not parts:
        raise Failed(
            output, "not written: there is no wanted object" if code == 0 else "not written: nothing was found", code or NOT_FOUND
        )
    from streamsave.cli.draw_treemap import draw_treemap

    subtitle = f"{size_text(sum(part.size for part in parts))} before compression"
    canvas = draw_treemap(parts, size, title_of(saves) if title is None else title, subtitle)
    write_picture(canvas, output)
    return code
