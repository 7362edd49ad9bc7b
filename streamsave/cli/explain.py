"""`streamsave explain`: what reads a byte of a save, for who asks why an event is as it is."""

from __future__ import annotations

import re

import click

from streamsave.cli.event_lines import event_members, line_of, size_of
from streamsave.cli.options import Saves, current_options, json_option, layout_options, limit_option, refuse, save_argument
from streamsave.cli.output import NOT_FOUND, report, write_json, write_line
from streamsave.cli.save import check_usable, open_input, visit_saves
from streamsave.cli.save_names import label_of, source_of
from streamsave.cli.text import clean, show
from streamsave.consume.values import LARGEST_BUILT
from streamsave.decode.json_values import to_jsonable
from streamsave.decode.leaves import Step
from streamsave.errors import format_path
from streamsave.events import Event, ObjectHeader, SaveStart
from streamsave.rewriting.explain import WIDTH, Explanation, chunk_of, explain, offset_of, part_of

__all__ = ["command"]

#: Bytes on a line of the hex view.
LINE = 16
#: What `build()` adds to a name that repeats.
REPEATED = re.compile(r"#\d+(?=$|[/\[])")
#: Names of the parts of a struct with its type, and of a set or map with elements to remove, where they come whole.
OF_WHOLE = re.compile(r"(?:^|[/.])(?:script_struct|value|removed|added)(?=$|[/\[.])")


def hex_lines(found: Explanation) -> list[str]:
    """Return the bytes around the byte, which is in brackets."""
    lines = []
    for at in range(0, len(found.data), LINE):
        row = found.data[at : at + LINE]
        places = enumerate(row, found.start + at)
        cells = [f"[{byte:02x}]" if place == found.offset else f" {byte:02x} " for place, byte in places]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        lines.append(f"{found.start + at:#010x}  {''.join(cells):{4 * LINE}} {text}")
    return lines


def event_line(event: Event | None) -> str:
    """Return an event with its place and all that it says."""
    if event is None:
        return "none"
    words = line_of(event)
    return f"{event.offset:#010x}  {type(event).__name__}" + (f"  {words}" if words else "")


def lines_of(found: Explanation) -> list[str]:
    """Return what is known of a byte, as lines."""
    where = "in no chunk"
    if found.location is not None:
        chunk, position, start = found.location
        where = f"chunk {chunk} + {position:#x}, which starts at byte {start:,} of the file"
    lines = [f"offset  {found.offset:#x} ({found.offset:,}): {where}", f"path    {clean(format_path(found.path))}"]
    lines += ["", "inside"] if found.frames else []
    lines += [f"  {event_line(event)}" for event in found.frames]
    lines += ["", "event", f"  before  {event_line(found.before)}", f"  here    {event_line(found.event)}"]
    lines += [f"  after   {event_line(found.after)}", "", "layout"]
    for row in found.rows:
        value = "" if row.value is None else f" = {show(to_jsonable(row.value))}"
        words = f"{row.name}: " if row.name else ""
        lines.append(f"  {row.start:#010x}  {clean(words + row.type)}, {size_of(row.end - row.start)}{value}")
        lines += [f"{'':14}{text}" for text in (row.source, row.versions) if text]
    if isinstance(found.event, SaveStart):
        lines.append("  none: the header of the save is before the inflated stream")
    elif isinstance(found.event, ObjectHeader) and found.event.header_size == 0:
        lines.append("  none: the header is made of values in the object")
    elif not found.rows:
        lines.append("  no layout: the event claims these bytes as they are")
    return [*lines, "", *hex_lines(found)]


def said(event: Event | None) -> dict[str, object] | None:
    """Return an event as a value for JSON."""
    return None if event is None else {"event": type(event).__name__, **event_members(event)}


def json_of(found: Explanation) -> dict[str, object]:
    """Return the same as a value for JSON; the bytes are hexadecimal digits."""
    return {
        "offset": found.offset,
        "location": found.location,
        "path": found.path,
        "inside": [said(event) for event in found.frames],
        "before": said(found.before),
        "here": said(found.event),
        "after": said(found.after),
        "layout": found.rows,
        "start": found.start,
        "data": found.data.hex(),
    }


def find_place(name: str, where: str, *, file_offset: bool) -> tuple[int, tuple[Step, ...]] | None:
    """Return the offset that a place means, and the steps from the value there to what is meant; None if there is none.

    Raises:
        LookupError: it is a byte of the file, and none of the save's chunks has it.
    """
    try:
        offset = int(where, 0)
    except ValueError:
        refuse(file_offset, "--file-offset is about an OFFSET, not a PATH.")
        check_usable(name, None)
        with open_input(name) as save:
            found = offset_of(save.events, where)
        if found is not None:
            return found, ()
        # Only values that come whole have these names.
        for largest in (WIDTH, LARGEST_BUILT) if OF_WHOLE.search(where) and not REPEATED.search(where) else (WIDTH,):
            with open_input(name) as save:
                place = part_of(save.events, where, largest)
            if place is not None:
                return place
        return None
    if file_offset:
        with open_input(name) as save:
            chunk = chunk_of(save.events, offset)
        if chunk is not None:
            report(label_of(name), f"chunk {chunk.index} inflates to the bytes from {chunk.offset:#x} on, {size_of(chunk.size)}")
            offset = chunk.offset
    return offset, ()


@click.command("explain", short_help="What reads a byte of a save: event, layout, file and line.")
@save_argument
@click.argument("where", metavar="OFFSET|PATH")
@click.option("--file-offset", is_flag=True, help="OFFSET counts in the file: explain the start of the chunk that has this byte.")
@layout_options
@limit_option
@json_option
def command(saves: Saves, where: str, file_offset: bool, as_json: bool) -> int:
    """Show what reads the byte at OFFSET of the inflated stream, as errors and `cat --offsets` give it, or at the end of PATH.

    PATH is one that an error or `cat --flat` shows, or the last parts of one, but for what is in structs with names that repeat
    (`#2`). Shown are the nestings around the byte, the event that claims it with its neighbours, the rows of the layout with the
    file and line where they are written down and the versions that have them, and the bytes.

    Exit code: 0 shown, 1 there is no such place, 2 the save is damaged before it, or another error.
    """

    def visit(name: str) -> int:
        try:
            place = find_place(name, where, file_offset=file_offset)
        except LookupError as error:
            report(label_of(name), str(error))
            return NOT_FOUND
        found = None if place is None else explain(source_of(name), *place, **current_options())
        if found is None:
            report(label_of(name), f"no event has the path {where!r}" if place is None else f"no event claims byte {place[0]:#x}")
            return NOT_FOUND
        if as_json:
            write_json(json_of(found))
        else:
            write_line("\n".join(lines_of(found)))
        return 0

    return visit_saves(saves, visit)
