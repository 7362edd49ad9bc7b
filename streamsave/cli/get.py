"""`streamsave get`: one object as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from typing import Any, Final

import click
from attrs import Factory, define

from streamsave.cli.options import (
    Saves,
    current_names,
    jobs_option,
    json_option,
    layout_options,
    limit_option,
    path_steps,
    refuse,
    saves_argument,
    sparse_option,
)
from streamsave.cli.output import NOT_FOUND, on_terminal, report, write_json, write_pieces
from streamsave.cli.save import Save, read_saves
from streamsave.cli.text import clean, short_class
from streamsave.cli.view import make_view
from streamsave.consume.selection import OpenObject
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Walk
from streamsave.decode.json_values import to_jsonable
from streamsave.decode.paths import follow, follow_all
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter
from streamsave.output.flat_text import flat_lines
from streamsave.output.json_document import json_of_opened
from streamsave.output.json_text import HeldText, json_bytes

__all__ = ["Answer", "command", "not_found", "search"]

#: What ends the parts of an instance name.
SEPARATORS: Final = (".", ":")
#: A GUID, as JSON has it.
ID: Final = re.compile("[0-9A-F]{8}(-[0-9A-F]{8}){3}")
#: Names that are listed where several match.
LISTED: Final = 20


@define
class Answer:
    """What was found in one save."""

    #: How well it fits: 0 is a whole name, 1 the end of one, 2 a class, 3 nothing.
    rank: int = 3
    #: Names of the objects that NAME may mean (the first few), and how many there are.
    names: list[str] = Factory(list)
    count: int = 0
    #: The first of them, or its property, as a value or as text: a list of one; empty if it has no such property.
    content: list[Any] = Factory(list)


def is_short_for(name: str, instance_name: str) -> bool:
    """Return whether a name is the last part or parts of an instance name: `Wall_1` of `Level:Level.Wall_1`."""
    return instance_name.endswith(name) and instance_name[: -len(name)].endswith(SEPARATORS)


def members_named(events: EventStream, name: str) -> Iterator[Event]:
    """Yield what opens a member with this name of the object whose header is the last event, and pass over all others.

    There are several of a name that repeats, and of a static array, whose first element has the index 0.
    """
    depth = events.depth
    for event in events:
        if isinstance(event, ObjectEnd) and events.depth < depth:
            break
        if isinstance(event, (PropertyTag, Field, StructEnter, BlobSkip)) and events.depth == depth + isinstance(
            event, StructEnter
        ):
            if (event.reason if isinstance(event, BlobSkip) else event.name) == name:
                yield event
            elif isinstance(event, PropertyTag):
                events.skip()


def search(name: str, events: EventStream, content: Callable[[ObjectHeader], list[object]], walk: Walk | None = None) -> Answer:
    """Find the object called `name`: an instance name, the end of one, or a class if no name is such.

    Args:
        name: what it is called.
        events: the stream.
        content: makes what is to be printed of an object.
        walk: takes the events, also in `content`; None: nothing does.
    """
    answer = Answer()

    @cache
    def is_called_so(class_name: str) -> bool:
        return name in {short_class(class_name), current_names()(class_name)}

    for event in walk or events:
        if not isinstance(event, ObjectHeader):
            continue
        is_it = event.instance_name == name
        if is_it or is_short_for(name, event.instance_name):
            rank = 0 if is_it else 1
        else:
            rank = 2 if is_called_so(event.class_name) else 3
        if rank < answer.rank:
            answer = Answer(rank)
        if rank < 3 and rank == answer.rank:
            answer.count += 1
            answer.names += [event.instance_name] if answer.count <= LISTED else []
            if answer.count == 1:
                answer.content = content(event)
                if is_it:
                    break
                continue
        if walk is not None:
            walk.skip()
        elif not events.holds_objects(event):
            events.skip()
    return answer


def not_found(answer: Answer, name: str) -> list[str]:
    """Return what to say if a name means no object, or several."""
    if answer.count == 0:
        hint = f"; a pal with this id may have a name, which ls --where 'key.InstanceId = {name}' shows"
        return [f"no object is called {name}{hint if ID.fullmatch(name) else ''}"]
    more = [f"... and {answer.count - LISTED} more"] if answer.count > LISTED else []
    what = "have a name that ends in" if answer.rank == 1 else "are of the class"
    return [f"{answer.count} objects {what} {name}:", *answer.names, *more]


class NameLast(click.Command):
    """Says that NAME is missing where only one argument is given: click takes that for NAME, as it comes last."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line."""
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as missing:
            given, _, _ = self.make_parser(ctx).parse_args(words)
            if isinstance(given.get("name"), str):
                missing.param = next(each for each in self.params if each.name == "name")
            raise


@click.command("get", cls=NameLast, short_help="One object as JSON.")
@saves_argument
@click.argument("name")
@click.option(
    "--property",
    "property_name",
    metavar="NAME",
    help="Print only this property of it, or what the path leads to, as cat --flat prints it: mStacks[*].Count.",
)
@click.option("--flat", is_flag=True, help="Print a line PATH = VALUE for each innermost value instead, as `cat --flat`.")
@sparse_option
@json_option
@layout_options
@limit_option
@jobs_option
def command(saves: Saves, name: str, property_name: str | None, flat: bool, sparse: bool, as_json: bool) -> int:
    """Print the object called NAME as JSON: pretty to a terminal, on one line to a pipe and with --json.

    NAME is the full instance name, or its part after a "." or ":" if only one object has it; or else the class, if only one
    object is of it, as the species of a pal. With the full name, reading stops at the object. With several files, each is
    searched, and each gives {"file": ..., "value": ...}.

    In a terminal, an inventory of Arx is the list of its items; in a pipe and with --json, it has all its cells. There, a value
    of any size is written in constant memory; the members of a large object are in the order of the save.

    Exit code: 0 found in each file, 1 not found or not the only one, 2 error.
    """
    refuse(not name, "NAME is empty.")
    refuse(flat and as_json, "--flat and --json exclude each other.")
    pretty = on_terminal() and not as_json
    #: Those of a path; a name alone needs none, so that what is large does not have to be built.
    steps = path_steps(property_name or "")
    under = steps or (() if property_name is None else (property_name,))

    def work(save: Save) -> int:
        events = save.events
        before = f"{clean(save.label)}\t" if saves.several else ""
        walk = Walk(events, loose=False, keys=under[-1:] == ("key",)) if flat else None

        def opened(event: Event) -> object:
            return events.opaque(event) if isinstance(event, BlobSkip) else events.build()

        def shown(header: ObjectHeader) -> list[object]:
            if walk is not None:
                text = HeldText(flat_lines(events, before=before, within=walk, under=under))
                return [text] if text.size else []
            members = OpenObject(header, (), [], events.depth, holds=False)
            for event in members_named(events, str(under[0])) if under else (header,):
                if steps:
                    members.add(event, str(under[0]), opened(event))
                elif not (isinstance(event, PropertyTag) and event.index):
                    return [opened(event) if pretty else HeldText(json_of_opened(events, event))]
            values = members.members()
            if not steps or not any(True for _ in follow_all(values, steps)):
                return []
            found = follow(values, steps)
            return [found if pretty else HeldText([json_bytes(to_jsonable(found))])]

        answer = search(name, events, shown, walk)
        if answer.count == 1 and answer.content:
            (built,) = answer.content
            if isinstance(built, HeldText):
                around = (b"", b"" if flat else b"\n")
                if saves.several and not flat:
                    around = (json_bytes({"file": to_jsonable(save.label)})[:-1] + b',"value":', b"}\n")
                # The text was held, for the name might have turned out not to be the only one.
                write_pieces(chain(around[:1], built.take(), around[1:]))
            else:
                value = make_view(save.events.format).readable(to_jsonable(built))
                write_json({"file": to_jsonable(save.label), "value": value} if saves.several else value, pretty=True)
            return 0
        said = [f"{answer.names[0]} has no property {property_name}"] if answer.count == 1 else not_found(answer, name)
        for text in said:
            report(save.label, text)
        return NOT_FOUND

    return read_saves(saves, work, sparse=sparse)
