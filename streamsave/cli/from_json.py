"""`streamsave from-json`: a save out of an edited JSON document, and the save that the document was made from."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, Literal, cast

import click

from streamsave._new_file import temporary_folder
from streamsave.cli.options import (
    as_option,
    check_written,
    current_options,
    keep_whole,
    layout_options,
    limit_option,
    reader_option,
    refuse,
)
from streamsave.cli.output import OutputFile, report, write_line
from streamsave.cli.save import attempt, check_usable
from streamsave.cli.save_names import STDIN, label_of, source_of
from streamsave.cli.text import clean
from streamsave.output.flat_text import path_text
from streamsave.output.salvage import count_text
from streamsave.rewriting.from_json import Change, make_save
from streamsave.rewriting.json_difference import has_lines
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.renaming import rename_references
from streamsave.rewriting.rewrite import rewrite, unchanged

__all__ = ["command", "write_edited"]

#: Characters of a value that are shown.
SHOWN: Final = 60
#: Bytes of a document from standard input that are held in memory.
HELD: Final = 8 * 1024 * 1024


@click.command("from-json", short_help="A save out of an edited JSON document.")
@click.argument("document", metavar="DOCUMENT", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--like", "like", metavar="SAVE", help="The save that the document was made from, unless it is in the document.")
@click.option("-o", "--output", metavar="FILE", type=OutputFile(is_save=True), help="The new save.")
@as_option
@click.option("--references", is_flag=True, help="Give references to renamed objects, and their parts, the new names.")
@click.option("--in-place", is_flag=True, help="Replace the save itself; the old one stays as SAVE.bak, SAVE.bak.1 ...")
@click.option("--dry-run", is_flag=True, help="List what would change, and write nothing.")
@click.option("-v", "--verbose", is_flag=True, help="List what changes.")
@layout_options
@reader_option
@limit_option
def command(
    document: str,
    like: str | None,
    output: str | None,
    wrapper: Literal["", "plz"],
    references: bool,
    in_place: bool,
    dry_run: bool,
    verbose: bool,
) -> int:
    """Write a save that is as a JSON document says.

    streamsave json world.sav -o world.json

    streamsave from-json world.json --like world.sav -o new.sav

    DOCUMENT is what json wrote, or json --ndjson, or get of one object; anything may have edited it, indented it, or sorted its
    members. - is standard input. What is equal in the document and in the save is copied byte by byte; other values are set; an
    object, a property or an element that the document does not have is dropped. Of lines, only the objects that are there are
    touched: {"@drop": true} on a line drops the object, {"@of": "NAME"} says which object it is if the line has a new name.

    A new element of a list or map, or a new object, is made from the one before it, or from the one that "@like" in it says: an
    index, a key, a name. A property that an object has not is made from one of the same name in another object of its class, or
    another struct of its type; {"@type": "IntProperty", "@value": 5} is one that no object has. If an object has a name that the
    save does not have, and another of its class is missing, it is that one, renamed: references to the old name are counted, and
    --references renames them. Sizes, counts and the like follow.

    A document of json --with-original has its save in it, and one of json --with-source says which save it is: another one is
    refused.

    Exit code: 0, 2 error: nothing is written.
    """
    check_written(output, in_place=in_place, dry_run=dry_run)
    refuse(in_place and like is None, "--in-place replaces the save that --like names.")

    def visit(name: str) -> int:
        with ExitStack() as stack:
            if document != STDIN:
                file: BinaryIO = stack.enter_context(Path(document).open("rb"))
            else:
                file = cast("BinaryIO", stack.enter_context(SpooledTemporaryFile(max_size=HELD)))
                copyfileobj(sys.stdin.buffer, file)
            whole = JsonReader(file)
            whole.read_head()
            save = name
            if like is None:
                refuse(not whole.has_original, "Give --like SAVE: the document does not have its save in it.")
                save = str(Path(stack.enter_context(temporary_folder()), "original.sav"))
                with Path(save).open("wb") as original:
                    whole.write_original(original)
            whole.check_source(source_of(save))
            if not has_lines(whole):
                keep_whole()  # as json does
            write_edited(
                file,
                save,
                None if dry_run else save if in_place else output,
                label=label_of(name),
                wrapper=wrapper,
                in_place=in_place,
                references=references,
                lists=dry_run or verbose,
            )
        return 0

    return attempt(document if like is None else like, visit)


def write_edited(
    document: BinaryIO,
    name: str,
    target: str | None,
    *,
    label: str,
    wrapper: Literal["", "plz"] = "",
    in_place: bool = False,
    references: bool = False,
    lists: bool = False,
    is_silent: bool = False,
) -> int:
    """Make a save of a document, and say what has changed; return how many changes there were.

    Args:
        document: the document.
        name: of the save that it was made from.
        target: the new save; None: nothing is written.
        label: what messages call the save.
        wrapper: as for `streamsave.rewrite`.
        in_place: keep the save under another name.
        references: as for `make_save`.
        lists: list each change.
        is_silent: write no line, also not of references to old names.

    Raises:
        SaveError, EditError: as for `make_save`.
        OSError: the same, or the new save cannot be written there.
    """
    check_usable(name, None if target is None else Path(target), in_place=in_place)
    counts = {"set": 0, "added": 0, "dropped": 0, "ignored": 0}
    rounded = 0
    names: dict[str, str] = {}
    with temporary_folder() as folder:
        between = Path(folder) / "renamed.sav"
        backup = f"{name}.bak" if in_place else None
        changes = make_save(
            document,
            name,
            between if references else target,
            backup=None if references else backup,
            wrapper=wrapper,
            **current_options(),
        )
        before = unchanged(name)
        for change in changes:
            counts[change.verb] += 1
            rounded += change.verb == "set" and as_doubles(change.old) == as_doubles(change.new)
            names |= name_in(change)
            if lists:
                values = f"\t{shown(change.old)} -> {shown(change.new)}" if change.verb in {"set", "ignored"} else ""
                write_line(f"{change.verb}\t{clean(path_text(change.path))}{values}")
        parts = [f"{count_text(counts['set'], 'value')} set"]
        parts += [f"{counts[verb]:,} {verb}" for verb in ("added", "dropped") if counts[verb]]
        if references:
            count = 0
            is_same = in_place and not (wrapper or sum(counts.values()))
            with rewrite(between, None if is_same else target, backup=backup, **current_options()) as save:
                for relinked in rename_references(save, names, parts=True):
                    count += relinked.names
                    if lists:
                        write_line(f"relink\t{clean(path_text(relinked.path))}")
                before.check()
            parts.append(f"{count_text(count, 'reference')} renamed")
        elif names and not is_silent:
            report_old_names(label, target or name, names)
    ignored = counts.pop("ignored")
    if not is_silent:
        if ignored:
            report(
                label,
                "sizes, counts, some names and the like follow from the rest of the document: what it says of them is not used",
            )
        if rounded:
            report(label, f"values that differ only in digits that JavaScript and jq before 1.7 round: {rounded:,}")
        write_line(f"{clean(label)}: {', '.join(parts)}")
    return sum(counts.values())


def as_doubles(text: bytes) -> object:
    """Return a JSON text as a program reads it that holds all numbers as doubles."""
    return json.loads(text, parse_int=float)


def name_in(change: Change) -> dict[str, str]:
    """Return the old and the new name of an object if a change is about that."""
    if change.verb != "set" or change.path[-1:] != ("instance_name",) or json.loads(change.old) != change.path[-2]:
        return {}
    return {str(change.path[-2]): str(json.loads(change.new))}


def report_old_names(label: str, name: str, names: Mapping[str, str]) -> None:
    """Say how many references a save has to the old names of renamed objects.

    Raises:
        SaveError, OSError: the save cannot be read.
    """
    with rewrite(name, None, **current_options()) as save:
        count = sum(relinked.names for relinked in rename_references(save, names, parts=False))
    if count:
        verb = "is" if count == 1 else "are"
        report(label, f"{count_text(count, 'reference')} to old names {verb} left: --references renames them")


def shown(text: bytes) -> str:
    """Return the start of a JSON text."""
    value = text.decode("utf-8", "replace")
    return clean(value if len(value) <= SHOWN else f"{value[:SHOWN]}...")
