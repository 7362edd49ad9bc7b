"""`streamsave grep`: the objects whose names, properties or values match."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

import click
from attrs import frozen

from streamsave.cli.options import (
    Saves,
    for_people,
    jobs_option,
    json_option,
    limit_option,
    objects_option,
    saves_argument,
    shown_names_options,
    usage_of,
    where_option,
)
from streamsave.cli.output import FAILED, NOT_FOUND, Lines, on_terminal, write_json, write_row
from streamsave.cli.save import Save, read_saves
from streamsave.cli.text import clean, quoted, short_class, show
from streamsave.consume.conditions import EVERYTHING, Facts, HeaderText, Pattern, Selection
from streamsave.consume.expressions import Matcher, compile_expression, compile_wildcards
from streamsave.consume.needed_text import NeededText
from streamsave.consume.search import Match, ValueSearch
from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import Json, to_jsonable
from streamsave.decode.paths import Step, parse_steps
from streamsave.errors import SelectError
from streamsave.events import ObjectHeader

__all__ = ["command"]

#: Characters that are written of a value.
SHOWN: Final = 1000
FOUND: Final = 0
#: What a path has, and a pattern of names has not.
PATH: Final = re.compile(r"^\"|[/\[]")


@frozen
class Query:
    """What an object must have to match."""

    #: A test of class and instance name.
    name: Selection
    where: Selection | None
    #: Tests of a property's name and of a value's text; None: any.
    property_name: Matcher | None
    value: Matcher | None
    #: What every text has that `value` wants; None: nothing is known.
    needed: NeededText | None
    invert: bool
    #: The path of the values in an object, or of what they are in; (): any.
    under: tuple[Step, ...] = ()

    def matches(self, events: EventStream) -> Iterator[Match]:
        """Yield the objects that match, once for each property that was found in them."""
        if self.property_name is None and self.value is None:
            wanted = self._and_where(~self.name if self.invert else self.name)
            for _, selected in events.select(wanted, sizes=False):
                yield Match(selected)
            return
        events.only(self._and_where(EVERYTHING if self.invert else self.name))
        has_name = self._has_name if self.invert else None
        yield from ValueSearch(events, self.property_name, self.value, self.needed, has_name, self.under).matches()

    def _and_where(self, selection: Selection) -> Selection:
        return selection if self.where is None else self.where & selection

    def _has_name(self, header: ObjectHeader) -> bool:
        return self.name._verdict(Facts(header=header)) is True


def _name_test(pattern: str, *, ignore_case: bool) -> Selection:
    """Return a test of an object's class and name; raise as `usage_of`."""
    with usage_of(f"{quoted(pattern)} is no regular expression"):
        compiled = Pattern(pattern, "regex", ignore_case)
    return HeaderText("class_name", compiled) | HeaderText("instance_name", compiled)


def _cells(match: Match) -> tuple[str, ...]:
    header = match.header
    if match.path is None:
        class_name = for_people(clean(short_class(header.class_name))) if on_terminal() else clean(header.class_name)
        return class_name, clean(header.instance_name)
    from streamsave.output.flat_text import path_text

    value = show(match.value, SHOWN) if match.size < 0 else f"({match.size} bytes)"
    return clean(header.instance_name), clean(path_text(match.path)), value


def _steps(text: str) -> tuple[Step, ...]:
    """Return the steps of a text that is a path as `cat --flat` prints it, and not only a name."""
    if not PATH.search(text):
        return ()
    try:
        return parse_steps(text)
    except SelectError:
        return ()  # wildcards


@click.command("grep", short_help="Objects whose names, properties or values match.")
@click.argument("pattern")
@saves_argument
@click.option(
    "--property",
    "property_glob",
    metavar="NAME",
    help="Print only objects with this property; * and ? are wildcards. Of a path, as cat --flat prints it, the values.",
)
@click.option(
    "--value",
    "value_pattern",
    metavar="PATTERN",
    help="Print only objects with a value whose text matches this regular expression.",
)
@where_option
@click.option("-i", "--ignore-case", is_flag=True, help="Ignore case in all patterns.")
@click.option("-v", "--invert-match", is_flag=True, help="Print the objects that do not match.")
@click.option("-c", "--count", is_flag=True, help="Print only the number of objects that match, for each file.")
@click.option("-l", "--files-with-matches", is_flag=True, help="Print only the names of files with an object that matches.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; stop at the first match with exit code 0, even after an error.")
@json_option
@shown_names_options
@objects_option
@limit_option
@jobs_option
def command(
    pattern: str,
    saves: Saves,
    property_glob: str | None,
    value_pattern: str | None,
    where: Selection | None,
    ignore_case: bool,
    invert_match: bool,
    count: bool,
    files_with_matches: bool,
    quiet: bool,
    as_json: bool,
) -> int:
    """Print the objects whose class or instance name matches the regular expression PATTERN (syntax of RE2).

    Output: class and name; in a terminal, what people call the class, and its real name in brackets. With --property or --value:
    name, path of the property and value, one line for each property that matches, with its path. The text of a value is what
    `streamsave cat --flat` shows, without quotes; a bool is also True and TRUE; bytes have none. With both, the value must be in
    such a property. Objects whose bytes show that they cannot match are passed over unread: `check` finds damage in them.

    With several files, the file is the first column. Exit code: 0 found, 1 not found, 2 error.
    """
    under = () if property_glob is None else _steps(property_glob)
    named: Matcher | None = None
    if under:
        named = str(under[0]).__eq__
        value_pattern = value_pattern or ""
    elif property_glob is not None:
        with usage_of(f"{quoted(property_glob)} cannot be searched for"):
            named = compile_wildcards(property_glob, ignore_case=ignore_case)
    value: Matcher | None = None
    if value_pattern is not None:
        with usage_of(f"{quoted(value_pattern)} is no regular expression"):
            value = compile_expression(value_pattern, ignore_case=ignore_case)
    query = Query(
        under=under,
        name=_name_test(pattern, ignore_case=ignore_case),
        where=where,
        property_name=named,
        value=value,
        needed=None if value_pattern is None else NeededText(value_pattern, ignore_case=ignore_case),
        invert=invert_match,
    )
    several = saves.several

    def work(save: Save) -> int:
        first = (clean(save.label),) if several else ()
        objects = 0
        lines = Lines()
        try:
            for match in query.matches(save.events):
                if quiet:
                    return FOUND
                if files_with_matches:
                    say(save)
                    return FOUND
                objects += match.number == 1
                if count:
                    continue
                if as_json:
                    header = match.header
                    names = {"class_name": to_jsonable(header.class_name), "instance_name": to_jsonable(header.instance_name)}
                    value: dict[str, Json] = {}
                    if match.path is not None:
                        from streamsave.output.flat_text import path_text

                        value = {"path": to_jsonable(path_text(match.path)), "value": to_jsonable(match.value)}
                    size: dict[str, Json] = {"size": match.size} if match.path is not None and match.size >= 0 else {}
                    write_json({"file": to_jsonable(save.label), **names, **value, **size})
                else:
                    lines.put("\t".join((*first, *_cells(match))))
        finally:
            lines.flush()
        if count:
            say(save, objects)
        return FOUND if objects else NOT_FOUND

    def say(save: Save, objects: int | None = None) -> None:
        """Write the name of a file, or how many objects it has that match."""
        if as_json:
            write_json({"file": to_jsonable(save.label)} | ({} if objects is None else {"count": objects}))
        else:
            write_row([clean(save.label)] if objects is None else [*((clean(save.label),) if several else ()), str(objects)])

    def combine(codes: Collection[int]) -> int:
        return FAILED if FAILED in codes and not (quiet and FOUND in codes) else min(codes)

    summary = quiet or count or files_with_matches
    return read_saves(saves, work, summary=summary, combine=combine, until=lambda code: quiet and code == FOUND)
