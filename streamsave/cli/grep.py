"""`streamsave grep`: the objects whose names, properties or values match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from streamsave.cli.options import (
    PATH,
    Saves,
    for_people,
    jobs_option,
    json_option,
    keep,
    layout_options,
    limit_option,
    path_steps,
    refuse,
    saves_argument,
    shown_names_options,
    usage_of,
    where_option,
)
from streamsave.cli.output import FAILED, NOT_FOUND, on_terminal, styled, write_json, write_line, write_row
from streamsave.cli.save import Save, read_saves
from streamsave.cli.text import clean, quoted, short_class, show
from streamsave.consume.conditions import EVERYTHING, Facts, HeaderText, Pattern, Selection
from streamsave.consume.expressions import Matcher, compile_expression, compile_wildcards, ignores_case, spans_of
from streamsave.consume.needed_text import NeededText
from streamsave.consume.search import Match, value_matches
from streamsave.consume.stream import EventStream
from streamsave.decode.paths import OF_HEADER

__all__ = ["command"]

#: Characters that are written of a value.
SHOWN: Final = 1000
FOUND: Final = 0
#: Characters of the column of classes in a terminal.
CLASS_WIDTH: Final = 56
#: Options that say what is looked for, so that PATTERN may be left out.
LOOKED_FOR: Final = frozenset({"property_glob", "value_pattern", "where"})


def _cells(match: Match) -> tuple[str, ...]:
    header = match.header
    if match.path is None:
        return clean(header.class_name), clean(header.instance_name)
    return clean(header.instance_name), *_value_cells(match)


def _value_cells(match: Match) -> tuple[str, str]:
    from streamsave.output.flat_text import path_text

    value = show(match.value, SHOWN) if match.size < 0 else f"({match.size} bytes)"
    return clean(path_text(match.path or ())), clean(value)


def _members(match: Match) -> dict[str, object]:
    """Return the members of a match in JSON."""
    header = match.header
    members: dict[str, object] = {"class_name": header.class_name, "instance_name": header.instance_name}
    if match.path is not None:
        from streamsave.output.flat_text import path_text

        members |= {"path": path_text(match.path), "value": match.value}
        members |= {"size": match.size} if match.size >= 0 else {}
    return members


def _marked(text: str, matcher: Matcher | None, kind: str = "") -> str:
    """Return a text for a terminal: in the colours of its kind, and where it matches in those of a match."""
    pieces = []
    end = 0
    for start, stop in spans_of(matcher, text) if matcher is not None else ():
        pieces += [styled(text[end:start], kind), styled(text[start:stop], "match")] if stop > start else []
        end = max(end, stop) if stop > start else end
    return "".join([*pieces, styled(text[end:], kind)])


def _screen_lines(match: Match, named: Matcher | None, value: Matcher | None) -> Iterator[str]:
    """Yield the lines of a match for a terminal: an object on a line, its values below it.

    Args:
        match: the match.
        named: matches class and name; None if objects that do not match are wanted.
        value: matches values.
    """
    header = match.header
    if match.number == 1:
        class_name = for_people(clean(short_class(header.class_name)))
        shown = _marked(class_name, named, "class") + " " * (CLASS_WIDTH - len(class_name))
        yield f"{shown}  {_marked(clean(header.instance_name), named)}"
    if match.path is not None:
        path, text = _value_cells(match)
        yield f"    {styled(path, 'path')}: {_marked(text, value)}"


class NamePattern(click.Argument):
    """PATTERN, which may be left out where an option says what is looked for: the first argument is a save then."""

    def handle_parse_result(self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]) -> tuple[Any, list[str]]:
        first, saves = opts.get("pattern"), opts.get("saves")
        others = saves if isinstance(saves, tuple) else ()
        is_save = isinstance(first, str) and opts.keys() & LOOKED_FOR and (not others or Path(first).is_file())
        if isinstance(opts, dict) and is_save:
            opts |= {"pattern": "", "saves": (first, *others)}
        return super().handle_parse_result(ctx, opts, args)


@click.command("grep", short_help="Objects whose names, properties or values match.")
@click.argument("pattern", metavar="[PATTERN]", cls=NamePattern)
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
@click.option("-i", "--ignore-case", is_flag=True, help="Ignore case in all patterns, also in those with a capital letter.")
@click.option("-s", "--case-sensitive", is_flag=True, help="Heed case in all patterns, also in those without a capital letter.")
@click.option("-v", "--invert-match", is_flag=True, help="Print the objects that do not match.")
@click.option("-c", "--count", is_flag=True, help="Print only the number of objects that match, for each file.")
@click.option("-l", "--files-with-matches", is_flag=True, help="Print only the names of files with an object that matches.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; stop at the first match with exit code 0, even after an error.")
@json_option
@shown_names_options
@layout_options
@limit_option
@jobs_option
def command(
    pattern: str,
    saves: Saves,
    property_glob: str | None,
    value_pattern: str | None,
    where: Selection | None,
    ignore_case: bool,
    case_sensitive: bool,
    invert_match: bool,
    count: bool,
    files_with_matches: bool,
    quiet: bool,
    as_json: bool,
) -> int:
    """Print the objects whose class or instance name matches the regular expression PATTERN (syntax of RE2).

    A pattern without a capital letter matches in any case; -i and -s say which it is. With --property, --value or --where,
    PATTERN may be left out: the only argument, and a first one that is a file, is a save.

    Output: class and name; in a terminal, what people call the class, and its real name in brackets. With --property or --value:
    name, path of the property and value, one line for each property that matches; in a terminal, below the object, and what
    matches in colours. The text of a value is what
    `streamsave cat --flat` shows, without quotes; a bool is also True and TRUE; bytes have none. With both, the value must be in
    such a property. Objects whose bytes show that they cannot match are passed over unread: `check` finds damage in them.

    With several files, the file is the first column. Exit code: 0 found, 1 not found, 2 error.
    """
    refuse(ignore_case and case_sensitive, "-i and -s exclude each other.")
    of_header = PATH.split(property_glob or "")[0]
    refuse(of_header in OF_HEADER, f"{of_header} is in the header of an object, not a property: --where tests it, get prints it.")

    def any_case(text: str) -> bool:
        return ignore_case or (not case_sensitive and ignores_case(text))

    under = () if property_glob is None else path_steps(property_glob)
    named: Matcher | None = None
    if under:
        value_pattern = value_pattern or ""
    elif property_glob is not None:
        with usage_of(f"{quoted(property_glob)} cannot be searched for"):
            named = compile_wildcards(property_glob, ignore_case=any_case(property_glob))
    value: Matcher | None = None
    if value_pattern is not None:
        with usage_of(f"{quoted(value_pattern)} is no regular expression"):
            value = compile_expression(value_pattern, ignore_case=any_case(value_pattern))
    with usage_of(f"{quoted(pattern)} is no regular expression"):
        compiled = Pattern(pattern, "regex", any_case(pattern))
    name: Selection = HeaderText("class_name", compiled) | HeaderText("instance_name", compiled)
    looks_inside = named is not None or value is not None
    if where is not None and not pattern and not looks_inside:  # --where alone says what matches, and -v what does not
        name, where = where, None
    wanted = name if not invert_match else EVERYTHING if looks_inside else ~name
    wanted = wanted if where is None else where & wanted
    keep("has_pattern", wanted is not name)
    needed = None if value_pattern is None else NeededText(value_pattern, ignore_case=any_case(value_pattern))
    has_name = (lambda header: name._verdict(Facts(header=header)) is True) if invert_match else None

    def matches_in(events: EventStream) -> Iterator[Match]:
        """Return the objects that match, once for each value that was found in them."""
        if not looks_inside:
            return (Match(selected) for _, selected in events.select(wanted, sizes=False))
        events.only(wanted)
        return value_matches(events, named, value, needed, has_name, under)

    terminal = on_terminal()
    named_by = compile_expression(pattern, ignore_case=any_case(pattern)) if terminal and not invert_match else None

    def first(save: Save) -> tuple[str, ...]:
        return (clean(save.label),) if saves.several else ()

    def work(save: Save) -> int:
        objects = 0
        for match in matches_in(save.events):
            if quiet:
                return FOUND
            if files_with_matches:
                say(save)
                return FOUND
            objects += match.number == 1
            if count:
                continue
            if as_json:
                write_json({"file": save.label, **_members(match)})
            elif not terminal:
                write_row((*first(save), *_cells(match)))
            else:
                if saves.several and objects == match.number == 1:
                    write_line(styled(f"{clean(save.label)}:", "heading"))
                for line in _screen_lines(match, named_by, value):
                    write_line(line)
        if count:
            say(save, objects)
        return FOUND if objects else NOT_FOUND

    def say(save: Save, objects: int | None = None) -> None:
        """Write the name of a file, or how many objects it has that match."""
        if as_json:
            write_json({"file": save.label} | ({} if objects is None else {"count": objects}))
        else:
            write_row([clean(save.label)] if objects is None else [*first(save), str(objects)])

    def combine(codes: Sequence[int]) -> int:
        return FAILED if FAILED in codes and not (quiet and FOUND in codes) else min(codes)

    return read_saves(saves, work, combine=combine, until=lambda code: quiet and code == FOUND)
