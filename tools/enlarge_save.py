"""A large save of a small one, for measurements: its objects again and again, after themselves.

    python tools/enlarge_save.py SAVE -o OUT --megabytes 40

In a world of Satisfactory, the level with the most objects grows; in one of Palworld, each list of objects that is in no other.
The names of each copy, and its references, have other numbers or GUIDs, so that its objects belong together. Names without a
number are the same in each, so the save is for readers, not for the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click

import streamsave
from streamsave import ObjectEnd, ObjectHeader
from streamsave.rewriting.family import Cutting
from streamsave.values import Guid

#: How the game ends the names of what players build.
NUMBER = re.compile(rb"(?<=_)\d{10}(?=[.\0])")
#: A list of objects in a world of Palworld that is in no other.
LIST = re.compile(r"worldSaveData\.\w+")
#: A GUID of fewer different bytes is a small number.
LEAST = 4
MIX = 0x9E3779B97F4A7C15F39CC0605CEDC835


def inflated_size(path: Path) -> int:
    """Return how many bytes the events of a save are about."""
    end = 0
    with streamsave.open(path) as events:
        events.only(lambda _: False)
        for event in events:
            end = event.offset
    return end


def place_of(event: ObjectHeader) -> str | None:
    """Return what an object is copied beside: others of its level, and in a world of Palworld of its kind. None: it is not."""
    if event.header_size > 0 and event.level:
        return event.level
    return f"{event.level} {event.kind}" if LIST.fullmatch(event.level) else None


def cuttings(path: Path) -> dict[str, list[Cutting]]:
    """Return the objects to copy, by their place."""
    found: dict[str, list[Cutting]] = {}
    with streamsave.cut(path) as events:
        for event in events:
            if isinstance(event, ObjectHeader) and not events.holds_objects(event) and (place := place_of(event)) is not None:
                found.setdefault(place, []).append(events.take())
    if not found:
        raise click.UsageError("a world of Satisfactory or Palworld is needed")
    place, most = max(found.items(), key=lambda each: len(each[1]))
    return {place: most} if most[0].header else found


def guids(value: object) -> Iterator[bytes]:
    """Give the GUIDs in a value."""
    if isinstance(value, Guid):
        yield value.data
    elif isinstance(value, Mapping):
        yield from guids(value.values())
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for each in value:
            yield from guids(each)


def guids_of(path: Path) -> set[bytes]:
    """Return the GUIDs in the objects of a world of Palworld."""
    found: set[bytes] = set()
    with streamsave.open(path) as events:
        events.only(lambda header: LIST.fullmatch(header.level) is not None)
        for event in events:
            if isinstance(event, ObjectHeader):
                found.update(guids(events.build()))
    return {each for each in found if len(set(each)) >= LEAST}


def renumbered(data: bytes, copy: int, known: set[bytes]) -> bytes:
    """Give each object that the data name another number or GUID."""
    if known:
        new = bytearray(data)
        for at in range(len(data) - 15):
            if (guid := data[at : at + 16]) in known:
                new[at : at + 16] = (int.from_bytes(guid, "big") ^ copy * MIX % 2**128).to_bytes(16, "big")
        return bytes(new)
    return NUMBER.sub(lambda found: b"%010d" % ((int(found[0]) + copy * 7_654_321) % 10**10), data)


@click.command()
@click.argument("save", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The large save.")
@click.option("--megabytes", type=click.IntRange(min=1), default=40, show_default=True, help="Inflated, about.")
def main(*, save: Path, output: Path, megabytes: int) -> None:
    """Write OUTPUT, a save as SAVE with copies of objects up to a size."""
    copies = cuttings(save)
    known = guids_of(save)
    size = sum(len(each.header) + len(each.data) for place in copies.values() for each in place)
    numbers = range(1, round((megabytes * 1_000_000 - inflated_size(save)) / size) + 1)
    with streamsave.rewrite(save, output) as rewritten:
        place = None
        for event in rewritten:
            if isinstance(event, ObjectHeader):
                place = place_of(event)
                rewritten.skip()
            elif isinstance(event, ObjectEnd) and place in copies:
                here = copies.pop(place)
                for number in numbers:
                    for each in here:
                        header, data = renumbered(each.header, number, known), renumbered(each.data, number, known)
                        rewritten.insert_raw(each._replace(header=header, data=data))
    click.echo(f"{output}: {inflated_size(output):,} bytes inflated, {output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
