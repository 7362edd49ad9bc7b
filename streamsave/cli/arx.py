"""`streamsave arx`: the entries of an Arx save as files, unpacked piece by piece, and back."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

import click

from streamsave._new_file import new_file, remove_abandoned
from streamsave.cli.options import (
    SavePath,
    Saves,
    current_limits,
    jobs_option,
    json_option,
    limit_option,
    save_argument,
    usage_of,
)
from streamsave.cli.output import FAILED, NOT_FOUND, OutputFile, on_terminal, report, write_json, write_line, write_row
from streamsave.cli.progress import Work, follow, work_on
from streamsave.cli.save import check_usable, failing, fault_of, visit_saves
from streamsave.cli.save_names import STDIN, label_of, source_of
from streamsave.cli.text import clean, count_text
from streamsave.consume.expressions import Matcher, compile_wildcards
from streamsave.errors import SaveError, UnsupportedSave, format_path
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.sniff import sniff_container
from streamsave.input.arx_entries import EntryUnpacker
from streamsave.input.source import Source, open_source
from streamsave.limits import Limits

if TYPE_CHECKING:
    from streamsave.rewriting.arx import PackedFile

__all__ = ["command", "file_name_fault"]


HEAD_SIZE: Final = 64
#: Where the context of the command keeps the folder of each save.
FOLDERS: Final = "streamsave.extract"

#: Characters that separate folders, drives or streams on some system, or are wildcards.
FORBIDDEN: Final = frozenset('/\\:*?"<>|')
LONGEST_NAME: Final = 255
#: Names of devices on Windows, with any text after the first dot.
DEVICES: Final = frozenset(
    ("con", "prn", "aux", "nul", "conin$", "conout$", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"))
)


def file_name_fault(name: str) -> str:
    """Return why a name cannot be that of a file on every system; "" if it can."""
    faults = {
        "is no name for a file": name in {"", ".", ".."},
        "has control characters": not name.isprintable(),
        f"has one of {' '.join(sorted(FORBIDDEN))}": not FORBIDDEN.isdisjoint(name),
        "is too long for a file": len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME,
        "is the name of a device": name.partition(".")[0].rstrip().lower() in DEVICES,
        "ends in a dot or a space": name.endswith((".", " ")),
    }
    return next((fault for fault, is_so in faults.items() if is_so), "")


def folded(name: str) -> str:
    """Return what is the same of two names that are one file on some system: they differ in case, or in how accents are coded."""
    return normalize("NFC", normalize("NFC", name).casefold())


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name that is none of these folded ones: the second of a name gets a number, as in what `get` prints."""
    names = chain([name], (f"{name}#{number}" for number in count(2)))
    return next(free for free in names if folded(free) not in taken)


def target_fault(entry: ArxEntry, target: Path, *, overwrite: bool) -> str:
    """Return why an entry cannot be written to a file; "" if it can."""
    fault = file_name_fault(entry.name)
    if not fault and entry.codec.startswith("unknown"):
        fault = f"is packed in an {entry.codec} way"
    fault = fault or file_name_fault(target.name)
    if fault or not os.path.lexists(target):
        return fault
    if not overwrite:
        return f"is there already: {target}; --force overwrites"
    return "" if target.is_symlink() or target.is_file() else f"is no file: {target}"


def unpack(source: Source, entry: ArxEntry, target: Path, limits: Limits, unpacked: int, packed: int) -> int:
    """Write an entry to a file, and return its size.

    Args:
        source: the save.
        entry: the entry.
        target: the file. A damaged entry leaves none; a link that is there is replaced, not followed.
        limits: what to refuse.
        unpacked: bytes of the entries before, as the limits are those of one save.
        packed: their packed bytes.

    Raises:
        SaveError: the entry is damaged, or above a limit.
        OSError: the file cannot be written.
    """
    unpacker = EntryUnpacker(source, entry, limits, unpacked, packed)
    follow(work_on(source, lambda: unpacked + int(unpacker.made)))
    with new_file(target, follows=False) as file:
        while piece := unpacker.read():
            file.write(piece)
    return int(unpacker.made)


def container_of(source: Source, limits: Limits) -> ArxContainer:
    """Return the container of an Arx save.

    Raises:
        SaveError: the file is no archive, or its table is damaged.
        OSError: the save cannot be read.
    """
    if not sniff_container(source.read_at(0, HEAD_SIZE), source):
        raise UnsupportedSave("no archive of entries, so no Arx save")
    return read_container(source, limits)


def extract(
    source: Source, names: Mapping[str, Matcher], around: Path, inside: Path, before: str, *, overwrite: bool, as_json: bool
) -> int:
    """Write the wanted entries into the folder `inside` of the folder `around`; return the exit code.

    Args:
        source: the save.
        names: as they were written; what finds the entries called so.
        around: the folder that the user has named.
        inside: that of the save in it.
        before: what messages have before the name of an entry: the save, if there are several.
        overwrite: replace files that are there.
        as_json: write JSON.

    Raises:
        SaveError: the file is no archive, or its table is damaged.
        OSError: a file cannot be written, a link leads out of the folder that the user has named, or the save cannot be read.
    """
    limits = current_limits()
    folder = around / inside
    container = container_of(source, limits)
    if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(around)):
        raise OSError(errno.ELOOP, "a link in the way leads out of the folder", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder)  # what a process was writing that was killed
    code = 0
    for name in container.duplicates:
        report(before + name, "is the name of several entries")
    missing = list(names)
    #: Which names were written, as `folded` gives them.
    written: set[str] = set()
    #: The bytes of these entries, and their packed bytes.
    unpacked = packed = 0
    for entry in container.entries:
        matching = [name for name, matches in names.items() if name == entry.name or matches(entry.name)]
        if names and not matching:
            continue
        missing = [name for name in missing if name not in matching]
        target = folder / free_name(entry.name, written)
        size = 0
        fault = target_fault(entry, target, overwrite=overwrite)
        if not fault:
            try:
                size = unpack(source, entry, target, limits, unpacked, packed)
            except SaveError as error:
                fault = fault_of(error)
        if fault:
            report(before + entry.name, fault)
            code = FAILED
            continue
        unpacked += size
        packed += entry.stored_size
        written.add(folded(target.name))
        if as_json:
            write_json({"name": entry.name, "path": str(target), "size": size})
        elif on_terminal():
            write_line(f"{count_text(size):>11}  {clean(str(target))}")
        else:
            write_row((clean(entry.name), clean(str(target)), str(size)))
    for name in missing:
        report(before + name, "no entry is called that")
    return code or (NOT_FOUND if missing else 0)


def folder_of(name: str) -> Path:
    """Return the folder of one save among several: the name of the save with its folders, without steps upwards."""
    parts = (part for part in re.split(r"[/\\:]+", label_of(name)) if part not in {"", ".", ".."})
    return Path(*("".join("_" if letter in FORBIDDEN else letter for letter in part) for part in parts))


def folders_of(saves: Saves) -> dict[str, Path]:
    """Return the folder of each save; two saves never have the same one."""
    folders: dict[str, Path] = {}
    taken: set[str] = set()
    for name in saves:
        if isinstance(name, str) and name not in folders:
            folder = free_name(str(folder_of(name)), taken)
            taken.add(folded(folder))
            folders[name] = Path(folder)
    return folders


@click.group("arx", short_help="Entries of an Arx save as files, and back.")
def command() -> None:
    """Unpack the entries of an Arx save into files, and pack files into an Arx save."""


@command.command("extract", short_help="Entries of an Arx save as files.")
@save_argument
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the files to this folder.",
)
@click.option("-f", "--force", is_flag=True, help="Overwrite existing files.")
@json_option
@limit_option
@jobs_option
def extract_command(saves: Saves, names: tuple[str, ...], folder: Path, force: bool, as_json: bool) -> int:
    """Unpack the entries called NAME (all, without any; * and ? are wildcards) into files in DIR.

    DIR is created if it does not exist, and nothing is written outside of it: an entry whose name cannot be that of a file is
    reported and left out, like a damaged one. The second entry of one name becomes NAME#2, also if the names differ in upper and
    lower case only. If SAVE is a folder or has wildcards, the entries of each save go to a folder in DIR with the name and path
    of the save; a link that leads out of DIR is not followed. Output: name, path, bytes.

    Exit code: 0 all written, 1 no such entry, 2 error.
    """
    # All names decide what the folder of one save is called: other processes get what this one has decided.
    folders: dict[str, Path] = click.get_current_context().meta.setdefault(FOLDERS, folders_of(saves) if saves.several else {})

    with usage_of("The name of an entry cannot be searched for"):
        wanted = {name: compile_wildcards(name) for name in names}

    def visit(name: str) -> int:
        inside = folders.get(name, folder_of(name)) if saves.several else Path()
        with closing(open_source(source_of(name), current_limits())) as source:
            before = f"{label_of(name)}: " if saves.several else ""
            return extract(source, wanted, folder, inside, before, overwrite=force, as_json=as_json)

    return visit_saves(saves, visit)


#: What Arx Libertatis writes, and all releases of it read.
NEWEST = "2.1"


def following(files: Sequence[PackedFile], label: str) -> Iterator[PackedFile]:
    """Yield files, and let the progress bar show how many bytes of them are packed."""
    sizes = [file.path.stat().st_size for file in files]
    done = 0
    follow(Work(clean(label), sum(sizes), lambda: (done, done)))
    for file, size in zip(files, sizes, strict=True):
        yield file
        done += size


@command.command("pack", short_help="Files as an Arx save.")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", metavar="FILE", required=True, type=OutputFile(is_save=True), help="The new save.")
@click.option(
    "--like",
    metavar="SAVE",
    type=SavePath(allow_dash=True),
    help="Take version, order, spelling of names and kind of packing from this save.",
)
@click.option(
    "--container-version",
    "version",
    type=click.Choice(["1.0", "1.1", "2.0", NEWEST]),
    help=f"1.0 or 1.1: Arx Fatalis; 2.0 or {NEWEST}: Arx Libertatis. Without it: that of --like, else {NEWEST}.",
)
@json_option
@limit_option
def pack_command(folder: Path, output: str, like: str | None, version: str | None, as_json: bool) -> int:
    """Pack the files in DIR, as extract writes them, into an Arx save.

    streamsave arx extract quick.sav -o entries && streamsave arx pack entries --like quick.sav -o new.sav

    Each file is an entry of its name; NAME#2 is the second one of NAME. Without --like, entries come in the order of their names.
    What else is in DIR, such as a folder, is left out and reported. The new save appears when it is complete and was checked.

    Exit code: 0, 2 error.
    """
    from streamsave.check.finding import FINDING
    from streamsave.rewriting.arx import VERSIONS, LeftOut, files_of, pack

    limits = current_limits()
    left_out: list[LeftOut] = []
    container = None
    if like is not None:
        with failing(like), closing(open_source(source_of(like), limits)) as source:
            if like != STDIN:
                check_usable(like, Path(output))
            container = container_of(source, limits)
    with failing(str(folder)):
        number = VERSIONS[version or NEWEST] if version or container is None else container.version
        files = files_of(folder, number, container, target=Path(output), left_out=left_out)
        findings = pack(following(files, folder.name), number, output, limits)
    for path, reason in left_out:
        report(str(path), f"left out: {reason}")
    for finding in findings:
        if finding.severity == FINDING:
            report(output, f"{format_path(finding.path)}: {finding.message}")
    if as_json:
        rows = [{"path": str(path), "reason": reason} for path, reason in left_out]
        write_json({"path": output, "version": f"{number:#x}", "entries": len(files), "left_out": rows})
    else:
        write_line(f"{clean(output)}: {len(files):,} entries, version {number:#x}")
    return 0
