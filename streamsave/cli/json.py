"""`streamsave json`: a whole save as one JSON document, or one object a line, written as it streams."""

from __future__ import annotations

import shlex
from itertools import chain
from pathlib import Path

import click

from streamsave.cli.options import (
    Saves,
    jobs_option,
    keep_only,
    keep_whole,
    layout_options,
    limit_option,
    refuse,
    saves_argument,
    sparse_option,
    where_option,
)
from streamsave.cli.output import Failed, OutputFile, open_output, write_bytes
from streamsave.cli.save import Save, read_saves
from streamsave.cli.save_names import is_many, label_of
from streamsave.cli.text import clean
from streamsave.consume.conditions import Selection
from streamsave.formats import save_extensions
from streamsave.input.urls import is_url
from streamsave.output.json_document import json_document, json_lines

__all__ = ["command"]


@click.command("json", short_help="The whole save as JSON.")
@saves_argument
@click.option("-o", "--output", metavar="FILE", type=OutputFile(allow_dash=True), help="Write to this file; for one SAVE.")
@click.option("--ndjson", is_flag=True, help="Write one object on each line, the save itself first.")
@click.option("--with-source", is_flag=True, help="Write size and SHA-256 of SAVE first: from-json then refuses another save.")
@click.option("--with-original", is_flag=True, help="Write SAVE itself first, in Base64: from-json then needs no other file.")
@where_option
@sparse_option
@layout_options
@limit_option
@jobs_option
def command(
    saves: Saves,
    output: str | None,
    ndjson: bool,
    with_source: bool,
    with_original: bool,
    where: Selection | None,
    sparse: bool,
) -> int:
    """Write the whole save as one JSON document, in constant memory for any size.

    Numbers that JSON cannot write are "NaN", "Infinity" and "-Infinity"; bytes are {"base64": ...}, padding of zeros is
    {"zeros": size}; a map is a list of [key, value]. Names that repeat become name[1] (an array of the game) and name#2. Control
    characters are escaped, also those of U+007F to U+009F. If a save is damaged, the document ends before the object or value
    that is, with --ndjson after the last complete line, and the exit code is 2; with --output, no file is written. Several saves
    give one document on each line. With --where, other objects are left out, also in those that match.

    from-json makes a save of an edited document again. One object as JSON: get.
    """
    refuse(output is not None and saves.several, "--output takes one save; several go to standard output.")

    name = saves.arguments[-1]
    is_save = label_of(name) != name or is_many(name) or name.lower().endswith(save_extensions()) or Path(name).exists()
    get = clean(shlex.join(("streamsave", "get", *saves.arguments)))
    refuse(len(saves.arguments) > 1 and not is_save, f"{clean(name)} is no file, and json writes whole saves. One object: {get}")

    if not ndjson and where is None:
        keep_whole()  # values are as they are built

    def work(save: Save) -> None:
        keep_only(save.events, where)
        pieces = json_lines(save.events) if ndjson else json_document(save.events)
        before = None
        if with_source or with_original:
            from streamsave.rewriting.json_reader import head_of
            from streamsave.rewriting.rewrite import unchanged

            if not is_url(save.label) and not Path(save.label).is_file():
                raise Failed(save.label, "name a file: it is read once more")
            before = unchanged(save.label)
            # Members of the document that come before all others.
            first = next(pieces)
            pieces = chain((first[:1],), head_of(save.label, with_original=with_original), (first[1:],), pieces)
        first = next(pieces)  # a file that is no save does not overwrite the output
        with open_output(output) as file:
            write_bytes(file, first)
            try:
                for piece in pieces:
                    write_bytes(file, piece)
            except BaseException:
                if saves.several and not ndjson:  # the next one shall not begin in this line
                    write_bytes(file, b"\n")
                raise
            if before is not None:
                before.check()

    return read_saves(saves, work, sparse=sparse)
