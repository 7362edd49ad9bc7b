"""`streamsave edit`: a save out of a save, without some objects and with other values; or one object of it in an editor.

The module is long because more than half of it is one command with its options.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Final, Literal

import click
import orjson

from streamsave._new_file import temporary_folder
from streamsave.check import FINDING
from streamsave.cli.from_json import report_old_names, write_edited
from streamsave.cli.nothing_found import ends_so, explain
from streamsave.cli.options import (
    Saves,
    as_option,
    check_written,
    current_options,
    jobs_option,
    json_option,
    layout_options,
    limit_option,
    parse_all,
    refuse,
    saves_argument,
    usage_of,
    where_option,
)
from streamsave.cli.output import FAILED, NOT_FOUND, STDOUT, Failed, report, write_json, write_line
from streamsave.cli.progress import make_room
from streamsave.cli.save import check_usable, fault_of, open_input, selecting, visit_saves
from streamsave.cli.save_names import label_of
from streamsave.cli.text import clean, quoted, short_class
from streamsave.cli.text import show as value_text
from streamsave.consume.conditions import HeaderText, Pattern, Selection
from streamsave.consume.needed_text import NeededText
from streamsave.consume.search import value_matches
from streamsave.decode.paths import Path as DataPath
from streamsave.errors import EditError, SaveError
from streamsave.formats.satisfactory.game import folder_of_mod
from streamsave.output.flat_text import path_text
from streamsave.output.json_document import json_of_opened
from streamsave.output.json_text import escaped, value_bytes
from streamsave.output.salvage import count_text
from streamsave.rewriting.assignments import DROP, MISSING, RELINK, Assignment, Change, parse_assignment
from streamsave.rewriting.rewrite import rewrite

__all__ = ["command"]

#: What the lines of mentions begin with.
MENTION: Final = "mentions"
#: Kinds of places that a summary of mentions names.
SHOWN_PLACES: Final = 3
POSITIONS: Final = re.compile(r"\[\d+\]")
#: Editors that take `+LINE` before the name of the file.
WITH_LINES: Final = re.compile(
    r"sensible-editor|editor|n?vim?|view|ex|nano|pico|emacs(client)?|micro|kak|joe|jed|ne|mcedit|gedit"
)
LINE: Final = re.compile(r"line (\d+), ")
COLUMN: Final = re.compile(r"(?<=^line 1, column )\d+")


def _parse_drops(_ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> dict[str, Selection]:
    return dict(zip(texts, parse_all(texts, option="--drop"), strict=True))


def _parse_sets(_ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> list[Assignment]:
    with usage_of("--set"):
        return [parse_assignment(text) for text in texts]


def _check_name(_ctx: click.Context, _: click.Parameter, name: str | None) -> str | None:
    refuse(
        name is not None and name != name.encode("utf-8", "replace").decode(),
        "--name: it has half a character: a lone surrogate, or bytes that are no text.",
    )
    return name


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
    help="Set a value in the objects that match --where; without it, in all, and what is in no object. VALUE is JSON, or text. "
    "With --where, PATH may be the end of one, if no other path in the object ends so. Repeatable.",
)
@where_option
@as_option
@click.option("--open", "opened", metavar="NAME", help="Open the object called NAME, as get prints it, in $VISUAL or $EDITOR.")
@click.option("-y", "--yes", is_flag=True, help="With --open: do not ask before the new save is written.")
@click.option("--session-name", metavar="NAME", default="", help="Call the session NAME: Satisfactory, Arx, shapez 2.")
@click.option("--player", metavar="NAME", help="The player of a Palworld world (Level.sav) to edit: name or id.")
@click.option(
    "--name", "new_name", metavar="NEW", callback=_check_name, help="Call --player NEW, in all places that have the name."
)
@click.option("--level", metavar="N", type=click.IntRange(1, 255), help="Give --player this level, and the Exp of it.")
@click.option("--exp", metavar="N", type=click.IntRange(0), help="With --level: the experience points.")
@click.option("--fast", is_flag=True, help="Compress in less time, to more bytes.")
@click.option("--keep-parts", is_flag=True, help="Keep what goes with dropped objects: their parts, power lines at them.")
@click.option(
    "--keep-references", is_flag=True, help="Leave connections to dropped objects as they are; without it, they are open."
)
@click.option("--references", is_flag=True, help="Give references to renamed objects, and their parts, the new names.")
@click.option("--in-place", is_flag=True, help="Replace the save itself; the old one stays as SAVE.bak, SAVE.bak.1 ...")
@click.option("--dry-run", is_flag=True, help="List what would change, and write nothing.")
@click.option("-v", "--verbose", is_flag=True, help="Name each object, value and mention that the summary counts.")
@click.option("--no-check", is_flag=True, help="Do not read the new save before it appears.")
@json_option
@layout_options
@limit_option
@jobs_option
def command(
    saves: Saves,
    output: str | None,
    drops: dict[str, Selection],
    assignments: list[Assignment],
    where: Selection | None,
    wrapper: Literal["", "plz"],
    opened: str | None,
    yes: bool,
    session_name: str,
    player: str | None,
    new_name: str | None,
    level: int | None,
    exp: int | None,
    fast: bool,
    keep_parts: bool,
    keep_references: bool,
    references: bool,
    in_place: bool,
    dry_run: bool,
    verbose: bool,
    no_check: bool,
    as_json: bool,
) -> int:
    """Write saves again without some objects, and with other values in others.

    streamsave edit world.sav -o clean.sav --drop "class_name = /SomeMod/*"

    streamsave edit world.sav -o full.sav --where "class_name = FGHealthComponent and outer ~ Player" --set "mCurrentHealth = 100"

    streamsave edit Level.sav -o new.sav --player Anna --name Berta

    streamsave edit Level.sav -o new.sav --open Anna

    The new save appears when it is complete and was checked. Saves in Palworld's PlM can be written only with --as plz, other
    saves in Oodle and Astroneer's Xbox pieces not at all. Of Astroneer saves, only values can be set.

    Games do not store what has its default value, and such a value cannot be added: of a player with full health,
    mCurrentHealth cannot be set. It says how many objects match and how many have the value; -v names each of them.

    --set '@instance_name = NEW' renames an object whose name is in its header, as in Satisfactory; @class_name, @level, @outer,
    @flags, @need_transform, @was_placed_in_level, @position, @rotation and @scale are there, too. {"OLD": "NEW"} in place of NEW
    says what becomes of which. References to the old name are counted; --references renames them, and the parts of the object.

    After --drop of all that is of a mod, it says how many classes and values of the new save still mention the mod; -v names
    each of them.

    --open writes the object to a file and opens that. Once the editor is closed, it lists what has changed, and asks whether to
    write the new save; after a mistake, it opens the file again, at its line. NAME is what get takes. What has changed means what
    it means to from-json.

    --name sets what a Palworld world has of the name of a player: NickName and FilteredNickName of the character, and the name of
    the member in guilds. --level sets Level and Exp of the character, as the game takes the level from Exp. Exp is what another
    player of that level has, or --exp.

    Exit code: 0, 1 nothing matches (nothing is written), 2 error.
    """
    does = bool(drops or assignments or session_name or player is not None)
    for holds, reason in (
        (
            (player is None) != (new_name is None and level is None),
            "--player says whose --name or --level becomes another: give both.",
        ),
        (exp is not None and level is None, "--exp is for --level."),
        (not (does or wrapper or opened is not None), "There is nothing to do: give --drop or --set, --open, or --session-name."),
        (
            opened is not None
            and (does or saves.several or fast or keep_parts or keep_references or verbose or no_check or as_json),
            "--open is for one object of one SAVE, and does what the editor says: give no --drop, --set and so on.",
        ),
        (
            (keep_parts or keep_references) and not drops,
            "--keep-parts and --keep-references say what becomes of what --drop drops.",
        ),
        (where is not None and not assignments, "--where says where to --set: to drop objects, use --drop EXPR."),
        (output == STDOUT, "--output is a file, not standard output."),
    ):
        refuse(holds, reason)
    check_written(output, in_place=in_place, dry_run=dry_run)

    def visit_opened(name: str) -> int:
        target = None if dry_run else name if in_place else output
        return edit_object(name, target, opened or "", wrapper, in_place=in_place, references=references, asks=not yes)

    def visit(name: str) -> int:
        from streamsave.rewriting.editor import Editor

        target = None
        if not dry_run:
            target = Path(name) if output is None else Path(output, Path(name).name if saves.several else "")
        check_usable(name, target, several=saves.several, in_place=in_place)
        editor = Editor(
            name,
            wrapper=wrapper,
            session_name=session_name,
            fast=fast,
            **current_options(),
        )
        dropped_mods: set[str] = set()
        others: list[tuple[Selection, Sequence[Assignment]]] = []
        if player is not None:
            from streamsave.rewriting.palworld_player import player_edits

            with open_input(name) as save:
                others = player_edits(save.events, player, new_name, level, exp)
        with selecting(name):
            editor.choose([*drops.values()], where, others, keeps_parts=keep_parts, keeps_references=keep_references)
        changes = editor.edit(
            target,
            assignments,
            verify=not no_check,
            backup=f"{name}.bak" if in_place else None,
            names_missing=verbose,
            references=references,
        )
        for change in changes:
            if change.verb == DROP:
                dropped_mods.add(folder_of_mod(change.class_name))
            if dry_run or verbose:
                show(change, as_json=as_json)
        for (text, selection), count in zip(drops.items(), editor.drop_matches, strict=True):
            if not count:
                with open_input(name) as save:
                    reason = explain(save.events, selection)
                report(label_of(name), f"no object matches --drop {quoted(text)}{reason and f': {reason}'}")
        for assignment, task in zip(assignments, editor.tasks, strict=False):
            fault = missing_text(assignment.text, task.match_count, task.object_count, chosen=where is not None)
            if task.match_count and not task.object_count and assignment.steps:
                with open_input(name) as save:
                    ends = ends_so(save.events, DataPath(assignment.text, assignment.steps))
                fault = f"no object has {assignment.text}{ends}" if ends else fault
            if fault:
                report(label_of(name), fault)
        if editor.not_noted:
            text = "dropped objects of the map cannot be noted as destroyed in this version: the game may make them anew"
            report(label_of(name), f"{editor.not_noted:,} {text}")
        for finding in editor.findings:
            if finding.kind == "gone" or (editor.drop_count and finding.severity == FINDING):
                report(label_of(name), f"in the new save, {finding.message}")
        if editor.names and not references:
            report_old_names(label_of(name), str(target or name), editor.names)
        dropped, was_set = editor.drop_count, sum(editor.set_counts)
        if as_json:
            counts = {"dropped": dropped, "unlinked": editor.unlink_count, "set": was_set}
            write_json({"save": label_of(name), **counts, **({"renamed": editor.relink_count} if references else {})})
        else:
            links = f"{count_text(editor.unlink_count, 'reference')} taken out, " if editor.unlink_count else ""
            text = f"{count_text(dropped, 'object')} dropped, {links}{count_text(was_set, 'value')} set"
            text += f", {count_text(editor.relink_count, 'reference')} renamed" if references else ""
            write_line(f"{clean(label_of(name))}: {text}")
        dropped_mods.discard("")
        if target is not None and dropped_mods:
            report_mentions(label_of(name), dropped_mods, target, verbose=verbose, as_json=as_json)
        return 0 if dropped + was_set or wrapper or session_name else NOT_FOUND

    return visit_saves(saves, visit if opened is None else visit_opened)


def missing_text(path: str, matched: int, was_set: int, *, chosen: bool) -> str:
    """Return what to say of the objects without a value at a path; "" if there is nothing to say.

    Args:
        path: of the value.
        matched: how many objects match `--where`.
        was_set: how many of them have such a value.
        chosen: there is a `--where`; without it, most objects have no such value.
    """
    if not matched:
        return ""
    if not was_set:
        which = f"{matched:,} matched, but none of them has" if chosen else "no object has"
        return f"{which} {path}: what has its default value is not stored, and cannot be added"
    if was_set == matched or not chosen:
        return ""
    rest = matched - was_set
    return f"{path}: {matched:,} matched, {was_set:,} set, {rest:,} {'has' if rest == 1 else 'have'} no such value"


def report_mentions(label: str, mods: set[str], target: Path, *, verbose: bool, as_json: bool) -> None:
    """Say how often the new save mentions mods whose objects were dropped; write each place, or name the first ones."""
    places: Counter[str] = Counter()
    for mention in mentions_of(mods, str(target)):
        places[f"{short_class(mention.class_name)} {POSITIONS.sub('[*]', mention.path)}"] += 1
        if verbose:
            show(mention, as_json=as_json)
    named = ", ".join(f"/{mod}/" for mod in sorted(mods))
    count = places.total()
    if count:
        hint = "" if verbose else "; -v lists all"
        where = "; ".join(f"{place} ({number:,})" for place, number in places.most_common(SHOWN_PLACES))
        more = f"; and {len(places) - SHOWN_PLACES:,} others" if len(places) > SHOWN_PLACES else ""
        verb = "mentions" if count == 1 else "mention"
        report(label, f"in the new save, {count_text(count, 'place')} still {verb} {named}: {where}{more}{hint}")
    elif verbose:
        report(label, f"the new save does not mention {named}")


def show(change: Change, *, as_json: bool) -> None:
    """Write one change."""
    cells = {"change": change.verb, "class_name": change.class_name, "instance_name": change.instance_name}
    if change.path:
        cells["path"] = change.path
    is_set = change.path and change.verb not in {MISSING, MENTION, RELINK}
    if change.verb == MENTION:
        cells["text"] = str(change.new)
    elif is_set and not as_json:
        cells["new"] = f"{value_bytes(change.old).decode()} -> {value_bytes(change.new).decode()}"
    if not as_json:
        write_line("\t".join(map(clean, cells.values())))
        return
    write_json({**cells, **({"old": change.old, "new": change.new} if is_set else {})})


# --- what a save still says of a mod whose objects were dropped ---


def mentions_of(mods: Collection[str], path: str) -> Iterator[Change]:
    """Yield where a save mentions mods: classes of objects, and values with the path of something in the folder of a mod.

    The path of an object's own class is "@class_name"; the name of the object is "" in the header of the save.

    Args:
        mods: names of folders.
        path: of the save.

    Raises:
        SaveError: it is damaged.
        OSError: it cannot be read.
    """
    pattern = "|".join(f"/{re.escape(mod)}/" for mod in sorted(mods))
    says = re.compile(pattern).search
    with open_input(path) as save:
        for _, found in save.events.select(HeaderText("class_name", Pattern(f"^({pattern})", "regex")), sizes=False):
            yield Change(MENTION, found.class_name, found.instance_name, "@class_name", None, found.class_name)
    with open_input(path) as save:
        for match in value_matches(save.events, None, says, NeededText(pattern)):
            header = match.header
            place = path_text(match.path or ())
            yield Change(MENTION, header.class_name, header.instance_name, place, None, value_text(match.value))


def edit_object(
    name: str,
    target: str | None,
    object_name: str,
    wrapper: Literal["", "plz"],
    *,
    in_place: bool,
    references: bool,
    asks: bool,
) -> int:
    """Open an object of a save in an editor, and write the save with what was edited; return the exit code.

    Args:
        name: of the save.
        target: the new save; None: only list what would change.
        object_name: as for `streamsave get`.
        wrapper: as for `streamsave.rewrite`.
        in_place: keep the save under another name.
        references: what refers to the object gets its new name.
        asks: ask before the new save is written.

    Raises:
        SaveError, EditError, OSError: the save cannot be read, or the new one not be written.
        Failed: there is no editor, or no terminal.
    """
    from streamsave.cli.get import not_found, search

    check_usable(name, Path(target) if target else None, in_place=in_place)
    with rewrite(name, None, wrapper=wrapper, **current_options()):
        pass  # what cannot be written is not edited in vain
    label = label_of(name)
    has_terminal = sys.stdin.isatty()
    if asks and target is not None and not has_terminal:
        raise Failed(label, "there is no terminal to ask on whether to write the new save: give --yes")
    with open_input(name) as save:
        events = save.events
        answer = search(object_name, events, lambda header: [b"".join(json_of_opened(events, header))])
    if answer.count != 1:
        for said in not_found(answer, object_name):
            report(label, said)
        return NOT_FOUND
    whole_name, (text,) = answer.names[0], answer.content
    before = escaped(orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2)) + b"\n"
    with temporary_folder() as folder:
        file = Path(folder) / "object.json"
        file.write_bytes(before)
        line = 1
        while True:
            open_editor(file, line, label)
            edited = file.read_bytes().removeprefix(BOM_UTF8)
            if edited == before:
                write_line(f"{clean(label)}: nothing was edited, nothing is written")
                return 0
            # The object that it is, whatever its name is now; lines stay where they are.
            added = b'"@of":' + orjson.dumps(whole_name) + b","
            document = edited.replace(b"{", b"{" + added, 1)

            def write(to: str | None, document: bytes = document) -> int:
                return write_edited(
                    BytesIO(document),
                    name,
                    to,
                    label=label,
                    wrapper=wrapper,
                    in_place=in_place,
                    references=references,
                    lists=to is None,
                    is_silent=to is not None,
                )

            try:
                count = write(None)
            except (EditError, SaveError) as error:
                error.message = without(error.message, len(added))
                if not has_terminal:
                    raise
                report(label, fault_of(error, name))
                if not click.confirm("Open it again?", default=True, err=True):
                    return FAILED
                found = LINE.match(str(error))
                line = int(found[1]) if found else 1
                continue
            if target is None or not count:
                return 0
            make_room(for_output=True)
            if asks and not click.confirm(f"Write {clean(target)}?", default=True, err=True):
                return NOT_FOUND
            write(target)
            write_line(f"{clean(label)}: {clean(target)} is written")
            return 0


def without(message: str, size: int) -> str:
    """Return a message with the column, if it is on the first line, that the document had before so many bytes were inserted."""
    return COLUMN.sub(lambda found: str(max(int(found[0]) - size, 1)), message)


def open_editor(file: Path, line: int, label: str) -> None:
    """Open a file at a line in the editor that the user has named, or in one that click finds; wait until that is closed.

    Ctrl-C is for the editor.

    Raises:
        Failed: the editor has failed.
    """
    make_room(for_output=True)
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    before = signal.signal(signal.SIGINT, lambda *_: None)  # a signal that is ignored would be so in the editor, too
    try:
        click.edit(filename=str(file), editor=editor_at(named, line) if named else None)
    except click.ClickException as error:
        raise Failed(label, error.message if named else f"{error.message}; name an editor in $VISUAL or $EDITOR") from None
    except ValueError as error:
        raise Failed(label, f"{named}: {error}") from None
    finally:
        signal.signal(signal.SIGINT, before)


def editor_at(editor: str, line: int) -> str:
    """Return the command that opens a file at a line, if the editor is known to take one. A path of Windows gets `/`.

    Raises:
        ValueError: a quote is not closed.
    """
    editor = editor.replace(os.sep, "/")  # a backslash would quote what follows
    words = shlex.split(editor)
    return f"{editor} +{line}" if line > 1 and words and WITH_LINES.fullmatch(Path(words[0]).name) else editor
