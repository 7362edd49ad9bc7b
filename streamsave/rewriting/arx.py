"""Write containers of Arx saves: all entries in the order of the table, one chunk each, without gaps, then the table.

Entries without edits keep their packed bytes. Edited ones are packed by version: imploded for Arx Fatalis; for Arx Libertatis,
stored if they were stored before, else deflated. Numbers in the table without a meaning are kept.

`pack` makes a container of files, in all four versions.

`imploded` compresses to a stream of PKWARE's Data Compression Library (`input.implode`): plain literals, matches of 3 bytes and
more. It is larger than that of the game: only the last token that starts with the same three bytes is tried as a match.

The module is long because edits and `pack` write the same container.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, ClassVar, Final, NamedTuple, TypeAlias

from streamsave._new_file import PREFIX, new_file
from streamsave.check.finding import Finding
from streamsave.decode.reader import Length
from streamsave.errors import EditError
from streamsave.events import Event, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.reader import STEERING_ROWS, ArxReader
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
from streamsave.input.arx_entries import EntryWindows
from streamsave.input.implode import (
    DICTIONARY_BITS_MIN,
    DISTANCE_SYMBOLS,
    DISTANCES,
    END_LENGTH,
    LENGTH_BASE,
    LENGTH_CLASSES,
    LENGTH_EXTRA_BITS,
    LITERAL_PLAIN,
    ImplodeCrypt,
    PrefixCode,
)
from streamsave.limits import Limits
from streamsave.rewriting.family import Facts, Family
from streamsave.rewriting.packing import LARGEST, SIZES, Counted, Piece, edited, grouped
from streamsave.rewriting.rows import Row
from streamsave.rewriting.verifying import verify_save

__all__ = ["VERSIONS", "ArxFamily", "LeftOut", "PackedFile", "files_of", "imploded", "pack", "write_container"]

#: Entries up to these sizes get a dictionary of 1024 and of 2048 bytes; larger ones 4096 bytes.
DICTIONARY_SIZES: Final = (32768, 131072)
SHORTEST: Final = 3
LONGEST: Final = END_LENGTH - 1
#: Bits to collect before they are written.
MOST_BITS: Final = 4096
#: Bytes to hold before those that no match can reach any more are removed.
MOST_HELD: Final = 64 * 1024


def code_of(code: PrefixCode, symbol: int) -> tuple[int, int]:
    """Return the bits of a symbol, the first bit lowest, and their number."""
    index = code.symbols.index(symbol)
    return index, code.sizes[index]


def length_code(length: int) -> tuple[int, int]:
    """Return the bits of the length of a match, with the bit before it that marks a match; and their number."""
    symbol = max(range(len(LENGTH_BASE)), key=lambda number: (LENGTH_BASE[number] <= length) * LENGTH_BASE[number])
    bits, size = code_of(LENGTH_CLASSES, symbol)
    return 1 | bits << 1 | (length - LENGTH_BASE[symbol]) << (size + 1), 1 + size + LENGTH_EXTRA_BITS[symbol]


LENGTH_CODES: Final = [length_code(length) for length in range(2, END_LENGTH + 1)]
DISTANCE_CODES: Final = [code_of(DISTANCES, symbol) for symbol in range(DISTANCE_SYMBOLS)]


def imploded(pieces: Iterable[Piece], size: int) -> Iterator[bytes]:
    """Yield the imploded stream of an entry. It is the same however the entry is cut into pieces.

    Args:
        pieces: the bytes of the entry.
        size: of the entry; it decides the size of the dictionary.
    """
    low_bits = DICTIONARY_BITS_MIN + sum(size > each for each in DICTIONARY_SIZES)
    farthest = DISTANCE_SYMBOLS << low_bits
    yield bytes([LITERAL_PLAIN, low_bits])
    #: The last bytes of the entry; three bytes at the start of a token -> the last offset of such a token.
    data = b""
    seen: dict[bytes, int] = {}
    waiting = count = at = 0
    for piece in chain(pieces, [b""]):
        data += bytes(piece)
        # A match may go on in the next piece.
        end = len(data) - LONGEST if piece else len(data)
        made = bytearray()
        while at < end:
            key = data[at : at + SHORTEST]
            before = seen.get(key, -1)
            seen[key] = at
            if before >= 0 and at - before <= farthest and len(key) == SHORTEST:
                taken = match_length(data, before, at)
                length, length_bits = LENGTH_CODES[taken - 2]
                distance = at - before - 1
                code, code_bits = DISTANCE_CODES[distance >> low_bits]
                bits = length | (code | (distance & (1 << low_bits) - 1) << code_bits) << length_bits
                bit_count = length_bits + code_bits + low_bits
            else:
                taken, bits, bit_count = 1, data[at] << 1, 9
            waiting |= bits << count
            count += bit_count
            at += taken
            if count > MOST_BITS:
                whole = count // 8
                made += (waiting & (1 << 8 * whole) - 1).to_bytes(whole, "little")
                waiting >>= 8 * whole
                count -= 8 * whole
        yield bytes(made)
        if at > MOST_HELD:
            gone = at - farthest
            data = data[gone:]
            at = farthest
            seen = {key: place - gone for key, place in seen.items() if place >= gone}
    bits, bit_count = LENGTH_CODES[END_LENGTH - 2]
    waiting |= bits << count
    yield waiting.to_bytes((count + bit_count + 7) // 8, "little")


def match_length(data: bytes, before: int, at: int) -> int:
    """Return the number of equal bytes at two offsets: at least `SHORTEST`, at most `LONGEST`."""
    most = min(LONGEST, len(data) - at)
    length = SHORTEST
    while length < most and data[before + length] == data[at + length]:
        length += 1
    return length


#: The end of the names of entries before version 2.1.
EXTENSION: Final = b".sav"
#: The level that the games use.
DEFLATE_LEVEL: Final = 9
NUMBERS: Final = struct.Struct("<III")


class ArxFamily(Family[ArxReader]):
    """Write Arx saves."""

    names_parts = True
    steering: ClassVar[frozenset[str]] = STEERING_ROWS

    def lengths(self, event: Event) -> list[Length]:
        """Do as `Family.lengths`."""
        return [length for enter, length in self.reader.counted if enter is event]

    # --- what can be edited ---

    def part(self, event: Event) -> int:
        """Do as `Family.part`: the current entry."""
        return self.reader.entry_index if isinstance(event, ObjectHeader) else -1

    def holds(self, around: Event, event: Event) -> bool:
        """Do as `Family.holds`: an entry, an element of an array."""
        return isinstance(event, ObjectHeader) or (isinstance(around, StructEnter) and bool(self.lengths(around)))

    def facts(self, event: ObjectHeader | PropertyTag) -> Facts:
        """Do as `Family.facts`, for entries."""
        header = self.reader.header
        assert header is not None  # noqa: S101 - the first event has it
        return ("format", "arx"), ("version", header.version)

    def insert_part(self, name: str, data: bytes, *, is_after: bool) -> bool:
        """Do as `Family.insert_part`: an entry."""
        self.added.setdefault(self.reader.entry_index + is_after, []).append((name, data))
        return True

    # --- the container ---

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        container = self.reader.header
        assert container is not None  # noqa: S101 - the first event has it
        table = self._source.read_at(container.table_offset, container.table_size)
        old = read_rows(table, container.version)
        dummies = len(old) - len(container.entries)
        new = ContainerWriter(target, container.version)
        new.rows += old[:dummies]
        # Where the next entry starts; -1 after the last one that was reached.
        ends = [*self.reader.entries.starts[1:], *(-1 for _ in container.entries)]
        edits = grouped(rows, ends[: len(container.entries)])
        for entry, row, inside in zip(container.entries, old[dummies:], edits, strict=True):
            self._write_added(entry.index, new)
            name = entry.raw_name
            size, _, codec = NUMBERS.unpack_from(row, len(name) + 1)
            if entry.index not in self.parts and not inside:
                new.copy(name, size, codec, (self._source.read_at(*chunk) for chunk in entry.chunks))
                continue
            data = self.parts[entry.index] if entry.index in self.parts else self._edited(entry, inside)
            if data is None:
                continue
            if container.version < VERSION_CODECS or entry.codec in CODEC_NAMES.values():
                new.pack(name, [data], len(data), is_stored=codec == CODEC_STORED, implode_codec=codec)
            else:  # how to pack it is unknown
                new.copy(name, size, codec, [data])
        self._write_added(len(container.entries), new)
        new.finish()

    def _write_added(self, index: int, new: ContainerWriter) -> None:
        """Write the new entries that come before the entry of an index."""
        for name, data in self.added.get(index, ()):
            new.pack(name.encode("latin-1") + extension_of(new.version), [data], len(data))

    def _edited(self, entry: ArxEntry, rows: list[Row]) -> bytes:
        """Return the unpacked bytes of an entry with edits."""
        windows = EntryWindows(self._source, self._limits, [entry])
        base = self.reader.entries.starts[entry.index]
        windows.enter(0, base)
        return b"".join(edited(windows, rows, base))


def extension_of(version: int) -> bytes:
    """Return the end of the names of entries in a version."""
    return EXTENSION if version < VERSION_NO_EXTENSION else b""


def read_rows(table: bytes, version: int) -> list[bytes]:
    """Return all rows of a valid table, the dummy included."""
    rows: list[bytes] = []
    at = SIZES.size
    while at < len(table):
        numbers = table.index(b"\0", at) + 1
        chunk_count = NUMBERS.unpack_from(table, numbers)[1] or int(version < VERSION_CODECS)
        after = numbers + NUMBERS.size + chunk_count * SIZES.size
        rows.append(table[at:after])
        at = after
    return rows


class ContainerWriter:
    """Write a container: its entries one after the other, then their table.

    Args:
        target: an empty file.
        version: of the container.
    """

    def __init__(self, target: BinaryIO, version: int) -> None:
        self._target = target
        self.version = version
        #: The rows of the table.
        self.rows: list[bytes] = []
        target.write(bytes(DATA_OFFSET))

    def copy(self, name: bytes, size: int, codec: int, packed: Iterable[Piece]) -> None:
        """Write an entry that is packed already; name, size and codec are those of the old table.

        Raises:
            EditError: the container is too large.
        """
        start = self._target.tell()
        self._target.writelines(packed)
        self._end(name, size, codec, start)

    def pack(
        self, name: bytes, pieces: Iterable[Piece], size: int, *, is_stored: bool = False, implode_codec: int = CODEC_IMPLODE
    ) -> None:
        """Pack an entry with the codec of the version.

        Args:
            name: of the entry.
            pieces: its bytes.
            size: their expected number; the row gets the number that was read.
            is_stored: store it, if the version allows that.
            implode_codec: the codec number for the row of an imploded entry.

        Raises:
            EditError: the container is too large.
        """
        start = self._target.tell()
        counted = Counted(pieces)
        if self.version < VERSION_CODECS:
            self._target.writelines(map(ImplodeCrypt().apply, imploded(counted, size)))
            self._end(name, self._target.tell() - start, implode_codec, start)
        elif is_stored or not size:
            self._target.writelines(counted)
            self._end(name, counted.size, CODEC_STORED, start)
        else:
            packer = zlib.compressobj(DEFLATE_LEVEL)
            self._target.writelines(map(packer.compress, counted))
            self._target.write(packer.flush())
            self._end(name, counted.size, CODEC_DEFLATE, start)

    def _end(self, name: bytes, size: int, codec: int, start: int) -> None:
        """Add the row of an entry that was written from `start` on."""
        end = self._target.tell()
        if max(end, size) > LARGEST:
            raise EditError("the container is too large", max(end, size), f"at most {LARGEST} bytes")
        chunks = [SIZES.pack(end - start, start - DATA_OFFSET)] if end > start or self.version < VERSION_CODECS else []
        self.rows.append(name + b"\0" + NUMBERS.pack(size, len(chunks), codec) + b"".join(chunks))

    def finish(self) -> None:
        """Write the table, and its offset."""
        data_end = self._target.tell()
        self._target.write(SIZES.pack(self.version, len(self.rows)))
        self._target.writelines(self.rows)
        self._target.seek(0)
        self._target.write((data_end - DATA_OFFSET).to_bytes(4, "little"))


# --- files -> a container ---

#: Bytes of a file that are read at a time.
PIECE_SIZE: Final = 256 * 1024

#: Name on the command line -> version.
VERSIONS: Final[Mapping[str, int]] = {
    "1.0": VERSION_LEGACY,
    "1.1": VERSION_RELEASE,
    "2.0": VERSION_CODECS,
    "2.1": VERSION_NO_EXTENSION,
}
#: The name in the first row of the oldest version.
DUMMY: Final = b"save block"
#: Separates the name of a file from a number, if several entries have the name.
NUMBERED: Final = "#"


class PackedFile(NamedTuple):
    """A file, and the name of its entry."""

    path: Path
    name: bytes
    is_stored: bool


#: A path in the folder that becomes no entry, and why.
LeftOut: TypeAlias = tuple[Path, str]


def why_left_out(path: Path, target: Path | None) -> str:
    """Return why a path in the folder becomes no entry; "" if it does."""
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
    """Return the files of a folder as entries, in the order of another container; files that it does not have come last, by name.

    `NAME#2` is the second entry called NAME, in upper or lower case, as `arx extract` writes it. Names in a
    container before 2.1 end with `.sav`.

    Args:
        folder: the folder.
        version: of the new container.
        like: the other container; None: sort by name.
        target: the path of the new container: a file there is no entry.
        left_out: a list to add the paths to that become no entry.

    Raises:
        EditError: a name is not Latin-1; or there are no files.
        OSError: the folder cannot be read.
    """
    reasons = {path: why_left_out(path, target) for path in sorted(folder.iterdir())}
    paths = [path for path, reason in reasons.items() if not reason]
    if left_out is not None:
        left_out += [each for each in reasons.items() if each[1]]
    if not paths:
        raise EditError("there are no files in the folder", str(folder))
    names = {path.name.casefold() for path in paths}
    order: dict[str, tuple[int, bytes, bool]] = {}
    seen: dict[str, int] = {}
    extension = extension_of(version)
    for place, entry in enumerate(() if like is None else like.entries):
        count = seen[entry.name.casefold()] = seen.get(entry.name.casefold(), 0) + 1
        name = entry.name if count == 1 else f"{entry.name}{NUMBERED}{count}"
        is_alike = like is not None and (like.version < VERSION_NO_EXTENSION) == (version < VERSION_NO_EXTENSION)
        raw = entry.raw_name if is_alike else entry.name.encode("latin-1") + extension
        order[name] = (place, raw, entry.codec == CODEC_NAMES[CODEC_STORED])
    found = []
    for path in paths:
        base, _, number = path.name.rpartition(NUMBERED)
        name = base if number.isdecimal() and base.casefold() in names else path.name
        try:
            place, raw, is_stored = order.get(path.name, (len(order), name.encode("latin-1") + extension, False))
        except UnicodeEncodeError:
            raise EditError("a name of an entry is in Latin-1", name) from None
        found.append((place, PackedFile(path, raw, is_stored)))
    return [file for _, file in sorted(found, key=lambda each: each[0])]


def pack(
    files: Iterable[PackedFile], version: int, target: str | os.PathLike[str], limits: Limits | None = None
) -> list[Finding]:
    """Write a container, whole or not at all, and return what `check` found in it. Files are read a piece at a time.

    Raises:
        SaveError: it would not be sound.
        EditError: it is too large.
        OSError: a file cannot be read, or the container cannot be written.
    """
    findings: list[Finding] = []

    def verify(path: Path) -> None:
        findings.extend(verify_save(path, limits or Limits(), None))

    with new_file(target, verify=verify) as file:
        write_container(files, version, file)
    return findings


def write_container(files: Iterable[PackedFile], version: int, target: BinaryIO) -> None:
    """Write a container.

    Raises:
        EditError: it is too large.
        OSError: a file cannot be read.
    """
    new = ContainerWriter(target, version)
    if version <= VERSION_LEGACY:
        new.rows.append(DUMMY + b"\0" + NUMBERS.pack(0, 1, 0) + SIZES.pack(0, 0))
    for file in files:
        with file.path.open("rb") as opened:
            stated = os.fstat(opened.fileno()).st_size
            if stated > LARGEST:
                raise EditError(f"the file {file.path.name!r} is too large", stated, f"at most {LARGEST} bytes")
            new.pack(file.name, iter(partial(opened.read, PIECE_SIZE), b""), stated, is_stored=file.is_stored)
    new.finish()
