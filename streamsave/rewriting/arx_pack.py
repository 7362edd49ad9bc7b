"""Files -> a container of Arx: entries one after the other, without gaps, then the table.

All four versions of the container can be written. Entries are imploded in those of Arx Fatalis (1.0, 1.1), deflated in those of
Arx Libertatis (2.0, 2.1), or stored where another container has them stored.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from streamsave._new_file import PREFIX, new_file
from streamsave.check.check import check
from streamsave.check.finding import Finding
from streamsave.errors import EditError
from streamsave.formats.arx.header import ArxContainer
from streamsave.formats.arx.versions import (
    CODEC_DEFLATE,
    CODEC_IMPLODE,
    CODEC_NAMES,
    CODEC_STORED,
    DATA_OFFSET,
    VERSION_CODECS,
    VERSION_LEGACY,
    VERSION_NO_EXTENSION,
    VERSION_RELEASE,
)
from streamsave.input.implode import ImplodeCrypt
from streamsave.limits import Limits
from streamsave.rewriting.arx import CHUNK, DATA_SIZE, DEFLATE_LEVEL, EXTENSION, LARGEST, NUMBERS, TABLE_START, new_row
from streamsave.rewriting.imploder import imploded
from streamsave.rewriting.packing import Counted
from streamsave.rewriting.verifying import raise_wrong

__all__ = ["VERSIONS", "LeftOut", "PackedFile", "files_of", "pack"]

#: Bytes of a file that are read at a time.
PIECE_SIZE: Final = 256 * 1024

#: What the command line calls the versions.
VERSIONS: Final[Mapping[str, int]] = {
    "1.0": VERSION_LEGACY,
    "1.1": VERSION_RELEASE,
    "2.0": VERSION_CODECS,
    "2.1": VERSION_NO_EXTENSION,
}
#: The first row of the oldest version.
DUMMY: Final = b"save block"
#: What comes between the name of an entry and its number, if others of this name come before it.
NUMBERED: Final = "#"


class PackedFile(NamedTuple):
    """A file, and the entry that it becomes."""

    path: Path
    name: bytes
    is_stored: bool


class LeftOut(NamedTuple):
    """What is in the folder and becomes no entry, and why."""

    path: Path
    reason: str


def why_left_out(path: Path, target: Path | None) -> str:
    """Return why something in a folder becomes no entry; "" if it does."""
    if path.name.startswith(PREFIX):
        return "the unfinished file of another command"
    if path.is_dir():
        return "a folder"
    if not path.is_file():
        return "no file" if path.exists() else "a link to nothing"
    if target is not None and target.exists() and path.samefile(target):
        return "the old output"
    return ""


def files_of(
    folder: Path,
    version: int,
    like: ArxContainer | None = None,
    *,
    target: Path | None = None,
    left_out: list[LeftOut] | None = None,
) -> list[PackedFile]:
    """Return the files of a folder as entries: in the order of another container, those that it does not have last, by name.

    `NAME#2` is the second entry called NAME, as `extract` writes it. Names in a container before 2.1 end with `.sav`.

    Args:
        folder: the folder.
        version: of the new container.
        like: the other container.
        target: the new container; an old one at its place is no entry.
        left_out: takes what becomes no entry.

    Raises:
        EditError: a name cannot be that of an entry; there is no file.
        OSError: the folder cannot be read.
    """
    paths: list[Path] = []
    for path in sorted(folder.iterdir()):
        reason = why_left_out(path, target)
        if not reason:
            paths.append(path)
        elif left_out is not None:
            left_out.append(LeftOut(path, reason))
    if not paths:
        raise EditError("there are no files in the folder", str(folder))
    names = {path.name for path in paths}
    order: dict[str, tuple[int, bytes, bool]] = {}
    seen: dict[str, int] = {}
    extension = EXTENSION if version < VERSION_NO_EXTENSION else b""
    for place, entry in enumerate(() if like is None else like.entries):
        seen[entry.name] = seen.get(entry.name, 0) + 1
        name = entry.name if seen[entry.name] == 1 else f"{entry.name}{NUMBERED}{seen[entry.name]}"
        is_alike = like is not None and (like.version < VERSION_NO_EXTENSION) == (version < VERSION_NO_EXTENSION)
        raw = entry.raw_name if is_alike else entry.name.encode("latin-1") + extension
        order[name] = (place, raw, entry.codec == CODEC_NAMES[CODEC_STORED])
    found = []
    for path in paths:
        base, _, number = path.name.rpartition(NUMBERED)
        name = base if number.isdecimal() and base in names else path.name
        try:
            place, raw, is_stored = order.get(path.name, (len(order), name.encode("latin-1") + extension, False))
        except UnicodeEncodeError:
            raise EditError("a name of an entry is in Latin-1", name) from None
        found.append((place, PackedFile(path, raw, is_stored)))
    return [file for _, file in sorted(found, key=lambda each: each[0])]


def pack(
    files: Sequence[PackedFile], version: int, target: str | os.PathLike[str], limits: Limits | None = None
) -> list[Finding]:
    """Write a container, and return what `check` has found in it. It appears whole or not at all.

    Files are read a piece at a time.

    Raises:
        SaveError: it would not be sound.
        EditError: it is too large.
        OSError: a file cannot be read, or the container not be written.
    """
    findings: list[Finding] = []

    def verify(path: Path) -> None:
        findings.extend(check(path, limits=limits))
        raise_wrong(findings)

    with new_file(target, verify=verify) as file:
        write_container(files, version, file)
    return findings


def write_container(files: Sequence[PackedFile], version: int, target: BinaryIO) -> None:
    """Write a container.

    Raises:
        EditError: it is too large.
        OSError: a file cannot be read.
    """
    rows = [DUMMY + b"\0" + NUMBERS.pack(0, 1, 0) + CHUNK.pack(0, 0)] if version <= VERSION_LEGACY else []
    target.write(bytes(DATA_OFFSET))
    for file in files:
        start = target.tell()
        size, codec = write_entry(file, version, target)
        rows.append(new_row(file.name, size, codec, start, target.tell(), version))
    data_end = target.tell()
    target.write(TABLE_START.pack(version, len(rows)))
    target.writelines(rows)
    target.seek(0)
    target.write(DATA_SIZE.pack(data_end - DATA_OFFSET))


def write_entry(file: PackedFile, version: int, target: BinaryIO) -> tuple[int, int]:
    """Write the packed bytes of a file; return the size and codec of its row.

    Raises:
        EditError: it is too large.
        OSError: it cannot be read.
    """
    start = target.tell()
    with file.path.open("rb") as opened:
        stated = os.fstat(opened.fileno()).st_size
        if stated > LARGEST:
            raise EditError(f"the file {file.path.name!r} is too large", stated, f"at most {LARGEST} bytes")
        pieces = Counted(iter(partial(opened.read, PIECE_SIZE), b""))
        if version < VERSION_CODECS:
            target.writelines(map(ImplodeCrypt().apply, imploded(pieces, stated)))
            return target.tell() - start, CODEC_IMPLODE
        if file.is_stored or not stated:
            target.writelines(pieces)
            return pieces.size, CODEC_STORED
        packer = zlib.compressobj(DEFLATE_LEVEL)
        target.writelines(map(packer.compress, pieces))
        target.write(packer.flush())
        return pieces.size, CODEC_DEFLATE
