"""`streamsave edit`: a save out of a save, without some objects and with other values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from streamsave._new_file import check_target
from streamsave.cli.inputs import Saves, hints_option, jobs_option, json_option, saves_argument, where_option
from streamsave.cli.limits import current_limits, limit_option
from streamsave.cli.objects_option import current_objects, objects_option
from streamsave.cli.output import FAILED, NOT_FOUND, report, write_json, write_line
from streamsave.cli.run import visit_saves
from streamsave.cli.save_names import STDIN, label_of
from streamsave.cli.text import clean
from streamsave.errors import EditError, SelectError
from streamsave.input.source import is_url

if TYPE_CHECKING:
    from streamsave.output.json_values import Json
    from streamsave.query.tests import Selection
    from streamsave.rewriting.assignments import Assignment
    from streamsave.rewriting.changes import Change

__all__ = ["command"]


def _parse_drops(_ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> list[Selection]:
    from streamsave.query.parser import parse_selection

    try:
        return [parse_selection(text) for text in texts]
    except SelectError as error:
        raise click.UsageError(f"--drop: {error}") from None


def _parse_sets(_ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> list[Assignment]:
    from streamsave.rewriting.assignments import parse_assignment

    try:
        return [parse_assignment(text) for text in texts]
    except SelectError as error:
        raise click.UsageError(f"--set: {error}") from None


@click.command("edit", short_help="A save without some objects, with other values.")
@saves_argument
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="The new save; of several saves, a folder for them.")
@click.option("--drop", "drops", metavar="EXPR", multiple=True, callback=_parse_drops, help="Drop what matches. Repeatable.")
@click.option(
    "--set",
    "assignments",
    metavar="'PATH = VALUE'",
    multiple=True,
    callback=_parse_sets,
    help="Set a value in the objects that match --where, in all without it. VALUE is JSON, or text. Repeatable.",
)
@where_option
@click.option(
    "--as",
    "wrapper",
    type=click.Choice(["plz"]),
    help="Write a Palworld save in PlM (Oodle) as PlZ (zlib).",
)
@click.option("--session-name", metavar="NAME", default="", help="Call the session NAME: Satisfactory, Arx, shapez 2.")
@click.option("--fast", is_flag=True, help="Compress in less time, to more bytes.")
@click.option("--keep-parts", is_flag=True, help="Keep what goes with dropped objects: their parts, power lines at them.")
@click.option(
    "--keep-references", is_flag=True, help="Leave connections to dropped objects as they are; without it, they are open."
)
@click.option("--in-place", is_flag=True, help="Replace the save itself; the old one stays as SAVE.bak, SAVE.bak.1 ...")
@click.option("--dry-run", is_flag=True, help="List what would change, and write nothing.")
@click.option("--no-check", is_flag=True, help="Do not read the new save before it appears.")
@json_option
@objects_option
@hints_option
@limit_option
@jobs_option
def command(
    saves: Saves,
    output: str | None,
    drops: list[Selection],
    assignments: list[Assignment],
    where: Selection | None,
    wrapper: Literal["plz"] | None,
    session_name: str,
    fast: bool,
    keep_parts: bool,
    keep_references: bool,
    in_place: bool,
    dry_run: bool,
    no_check: bool,
    as_json: bool,
    hints: dict[str, str],
) -> int:
    """Write saves again without some objects, and with other values in others.

    streamsave edit world.sav -o clean.sav --drop 'class = "/SomeMod/*"'

    streamsave edit world.sav -o full.sav --where 'class = *Char_Player*' --set 'mCurrentHealth = 100'

    The new save appears when it is complete and was checked. Only saves of Satisfactory, Arx and shapez 2, blueprints, and Unreal
    save games that are raw, in zlib, in gzip, in Unreal's archives or in Palworld's PlZ, can be written; those in Palworld's PlM
    only with --as plz. Of Astroneer saves, only values can be set.

    Exit code: 0, 1 nothing matches (nothing is written), 2 error.
    """
    if not drops and not assignments and not wrapper and not session_name:
        raise click.UsageError("There is nothing to do: give --drop or --set, or --session-name.")
    if where is not None and not assignments:
        raise click.UsageError("--where says where to --set: to drop objects, use --drop EXPR.")
    if output is None and not dry_run and not in_place:
        raise click.UsageError("Missing option '-o' / '--output'; or use --in-place, or --dry-run.")
    if output is not None and in_place:
        raise click.UsageError("--in-place writes to the save itself, so there is no --output.")

    from streamsave.output.salvage import count_text

    def visit(name: str) -> int:
        from streamsave.rewriting.editor import Editor

        target = None
        if output is not None and not dry_run:
            target = Path(output) / Path(name).name if saves.several else Path(output)
        if in_place and not dry_run:
            target = Path(name)
        fault = unusable(name, target, several=saves.several, in_place=in_place)
        if fault:
            report(label_of(name), fault)
            return FAILED
        editor = Editor(name, current_limits(), hints, current_objects(), wrapper or "", session_name, fast=fast)
        editor.choose(drops, where, keeps_parts=keep_parts, keeps_references=keep_references)
        try:
            for change in editor.edit(target, assignments, verify=not no_check, backup=f"{name}.bak" if in_place else None):
                if dry_run:
                    show(change, as_json=as_json)
        except EditError as error:
            report(label_of(name), f"{error}")
            return FAILED
        for assignment, count in zip(assignments, editor.set_counts, strict=True):
            if not count:
                report(
                    label_of(name), f"no object has {assignment.text}: what has its default value is not stored, and is not added"
                )
        if editor.not_noted:
            text = "dropped objects of the map cannot be noted as destroyed in this version: the game may make them anew"
            report(label_of(name), f"{editor.not_noted:,} {text}")
        for finding in editor.findings:
            if finding.kind == "gone":
                report(label_of(name), f"in the new save, {finding.message}")
        dropped, was_set = editor.drop_count, sum(editor.set_counts) + editor.rename_count
        if as_json:
            write_json({"save": label_of(name), "dropped": dropped, "unlinked": editor.unlink_count, "set": was_set})
        else:
            links = f"{count_text(editor.unlink_count, 'reference')} taken out, " if editor.unlink_count else ""
            text = f"{count_text(dropped, 'object')} dropped, {links}{count_text(was_set, 'value')} set"
            write_line(f"{clean(label_of(name))}: {text}")
        return 0 if dropped + was_set or wrapper or session_name else NOT_FOUND

    return visit_saves(saves, visit)


def unusable(name: str, target: Path | None, *, several: bool, in_place: bool) -> str:
    """Return why a save cannot be edited, or not to that target; "" if it can."""
    if name == STDIN:
        return "standard input can be read only once: name a file"
    if in_place and is_url(name):
        return "a URL cannot be replaced"
    if target is None:
        return ""
    try:
        check_target(target, is_save=True)
    except OSError as error:
        return f"{target}: {error.strerror}"
    if in_place or not target.exists():
        return ""
    if not is_url(name) and target.samefile(name):
        return "the new save would be the save itself"
    return f"{target} is there already" if several else ""


def show(change: Change, *, as_json: bool) -> None:
    """Write one change."""
    if as_json:
        from streamsave.output.json_values import json_value

        line: dict[str, Json] = {"change": change.verb}
        line |= {"class": json_value(change.class_name), "name": json_value(change.instance_name)}
        if change.path:
            line |= {"path": change.path, "old": json_value(change.old), "new": json_value(change.new)}
        write_json(line)
        return
    parts = [change.verb, change.class_name, change.instance_name]
    if change.path:
        parts += [change.path, f"{change.old!r} -> {change.new!r}"]
    write_line("\t".join(map(clean, parts)))
