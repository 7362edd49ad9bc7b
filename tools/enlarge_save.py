"""A large save of a small one, for measurements: its objects again and again, after themselves.

    python tools/enlarge_save.py SAVE -o OUT --megabytes 40

The names of each copy, and its references, have other numbers, so that its objects belong together. Names without a number are
the same in each, so the save is for readers, not for the game.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

import streamsave
from streamsave import ObjectEnd, ObjectHeader
from streamsave.rewriting.family import Cutting

#: How the game ends the names of what players build.
NUMBER = re.compile(rb"(?<=_)\d{10}(?=[.\0])")


def inflated_size(path: Path) -> int:
    """Return how many bytes the events of a save are about."""
    end = 0
    with streamsave.open(path) as events:
        events.only(lambda _: False)
        for event in events:
            end = event.offset
    return end


def cuttings(path: Path) -> list[Cutting]:
    """Return the objects of the level with the most of them."""
    found: dict[str, list[Cutting]] = {}
    with streamsave.cut(path) as events:
        for event in events:
            if isinstance(event, ObjectHeader) and event.header_size > 0 and not events.holds_objects(event):
                found.setdefault(event.level, []).append(events.take())
    return max(found.values(), key=len)


def renumbered(data: bytes, copy: int) -> bytes:
    """Give each object that the data name another number."""
    return NUMBER.sub(lambda found: b"%010d" % ((int(found[0]) + copy * 7_654_321) % 10**10), data)


@click.command()
@click.argument("save", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The large save.")
@click.option("--megabytes", type=click.IntRange(min=1), default=40, show_default=True, help="Inflated, about.")
def main(*, save: Path, output: Path, megabytes: int) -> None:
    """Write OUTPUT, a save as SAVE with copies of objects up to a size."""
    copies = cuttings(save)
    missing = megabytes * 1_000_000 - inflated_size(save)
    size = sum(len(each.header) + len(each.data) for each in copies)
    level = copies[0].event
    assert isinstance(level, ObjectHeader)  # noqa: S101 - only objects were taken
    with streamsave.rewrite(save, output) as rewritten:
        is_there = False
        for event in rewritten:
            if isinstance(event, ObjectHeader):
                is_there = event.level == level.level and event.header_size > 0
                rewritten.skip()
            elif isinstance(event, ObjectEnd) and is_there and missing > 0:
                for number in range(1, missing // size + 2):
                    for each in copies:
                        header, data = renumbered(each.header, number), renumbered(each.data, number)
                        rewritten.insert_raw(each._replace(header=header, data=data))
                break
    click.echo(f"{output}: {inflated_size(output):,} bytes inflated, {output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
