"""`streamsave edit --open`: one object of a save in an editor."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click
import orjson

from streamsave.cli.from_json import write_edited
from streamsave.cli.get import not_found, search
from streamsave.cli.output import FAILED, NOT_FOUND, Failed, report, write_line
from streamsave.cli.progress import make_room
from streamsave.cli.save import fault_of, open_input
from streamsave.cli.save_names import label_of
from streamsave.cli.text import clean
from streamsave.errors import EditError, SaveError
from streamsave.output.json_document import json_of_opened
from streamsave.output.json_text import escaped

__all__ = ["edit_object"]

#: Editors to look for if no variable names one.
EDITORS: Final = ("sensible-editor", "vim", "nano", "vi")
#: Editors that take `+LINE` before the name of the file.
WITH_LINES: Final = re.compile(
    r"sensible-editor|editor|n?vim?|view|ex|nano|pico|emacs(client)?|micro|kak|joe|jed|ne|mcedit|gedit"
)
LINE: Final = re.compile(r"line (\d+), ")


def edit_object(
    name: str,
    target: str | None,
    object_name: str,
    *,
    hints: dict[str, str],
    in_place: bool,
    references: bool,
    asks: bool,
) -> int:
    """Open an object of a save in an editor, and write the save with what was edited; return the exit code.

    Args:
        name: of the save.
        target: the new save; None: only list what would change.
        object_name: as for `streamsave get`.
        hints: as `type_hints` of `streamsave.open`.
        in_place: keep the save under another name.
        references: what refers to the object gets its new name.
        asks: ask before the new save is written.

    Raises:
        SaveError, EditError, OSError: the save cannot be read, or the new one not be written.
        Failed: there is no editor, or no terminal.
    """
    label = label_of(name)
    has_terminal = sys.stdin.isatty()
    if asks and target is not None and not has_terminal:
        raise Failed(label, "there is no terminal to ask on whether to write the new save: give --yes")
    editor = editor_command()
    with open_input(name, type_hints=hints) as save:
        events = save.events
        answer = search(object_name, events, lambda header: [b"".join(json_of_opened(events, header))])
    if answer.count != 1:
        for said in not_found(answer, object_name):
            report(label, said)
        return NOT_FOUND
    whole_name, (text,) = answer.names[0], answer.content
    assert isinstance(text, bytes)  # noqa: S101 - made above
    before = escaped(orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2)) + b"\n"
    with TemporaryDirectory() as folder:
        file = Path(folder) / "object.json"
        file.write_bytes(before)
        line = 1
        while True:
            open_editor(editor, file, line, label)
            edited = file.read_bytes()
            if edited == before:
                write_line(f"{clean(label)}: nothing was edited, nothing is written")
                return 0
            # The object that it is, whatever its name is now; lines stay where they are.
            document = edited.replace(b"{", b'{"@of":' + orjson.dumps(whole_name) + b",", 1)

            def write(to: str | None, document: bytes = document) -> int:
                return write_edited(
                    BytesIO(document),
                    name,
                    to,
                    label=label,
                    hints=hints,
                    in_place=in_place,
                    references=references,
                    lists=to is None,
                    is_silent=to is not None,
                )

            try:
                count = write(None)
            except (EditError, SaveError) as error:
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


def editor_command() -> str:
    """Return the command of the user's editor.

    Raises:
        Failed: there is none.
    """
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        return named
    if sys.platform == "win32":
        return "notepad"
    found = next((editor for editor in EDITORS if shutil.which(editor)), None)
    if found is None:
        raise Failed("edit --open", "there is no editor: name one in $VISUAL or $EDITOR")
    return found


def open_editor(editor: str, file: Path, line: int, label: str) -> None:
    """Open a file at a line, and wait until the editor is closed.

    Raises:
        Failed: the editor has failed.
    """
    make_room(for_output=True)
    try:
        click.edit(filename=str(file), editor=editor_at(editor, line))
    except click.ClickException as error:
        raise Failed(label, error.message) from None


def editor_at(editor: str, line: int) -> str:
    """Return the command that opens a file at a line, if the editor is known to take one."""
    words = shlex.split(editor)
    return f"{editor} +{line}" if line > 1 and words and WITH_LINES.fullmatch(Path(words[0]).name) else editor
