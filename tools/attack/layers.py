"""Saves taken apart into what is under their compression, and put together again: so that lies pass the checksums.

| format | parts | put together as |
|---|---|---|
| Satisfactory | the inflated stream | chunks of any size |
| GVAS | the save game | what was around it |
| Astroneer | the save game | what was around it |
| Arx | entries | a container of the same version; what was imploded and changed is imploded again, without matches |
| shapez 2 | members; the JSON of a code | a zip archive; a code |

A part that was not changed keeps its packed bytes where it has some of its own.
"""

from __future__ import annotations

import base64
import gzip
import io
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import Final

from attrs import field, frozen
from writer.arx import DEFLATED, IMPLODE, STORED, Container, Entry, crypt
from writer.astroneer import MAGIC as ASTRONEER_MAGIC
from writer.chunks import ARCHIVE_V2, CHUNK_TAG, MAX_CHUNK_SIZE, chunk
from writer.gvas import archive

import streamsave
from attack.containers import names_of
from attack.contract import walk
from attack.fields import Place, Recording, record
from attack.implode import implode_literals
from attack.spans import spans_of
from attack.surgery import Donor
from streamsave.headers import ArxContainer

TAG: Final = struct.pack("<I", CHUNK_TAG)
ZIP_MAGIC: Final = b"PK\3\4"
#: Where the first chunk begins at the latest.
HEAD_SIZE: Final = 4096
CODE: Final = re.compile(rb"SHAPEZ2-\d+-")
BASE64: Final = re.compile(rb"[A-Za-z0-9+/]+=*")
#: Chunks as big as the game's, and now and then some that cut through everything.
CHUNK_SIZES: Final = (*[MAX_CHUNK_SIZE] * 10, 4096, 4096, 509, 67)
#: As the parser names them.
CODECS: Final = {"stored": STORED, "implode": IMPLODE, "deflate": DEFLATED}
UNKNOWN_CODEC: Final = 7

#: How often what was packed again ends early, and how often the table gives it another size: in most cases a smaller one.
CUT_SHARE: Final = 0.15
LIE_SHARE: Final = 0.15
FAR: Final = 1 << 30

#: What taking apart raises where the bytes are no sound save.
UNSOUND: Final = (zlib.error, zipfile.BadZipFile, struct.error, OSError, EOFError, ValueError, LookupError, RuntimeError)

#: Puts parts together; None is one that is as it was.
Assemble = Callable[[Sequence[bytes | None], random.Random], bytes]


@frozen
class Part:
    """Bytes that can be changed, and where the numbers and strings in them are."""

    name: str
    data: bytes
    places: Sequence[Place] = ()
    #: Where headers are that the parser read without its cursor: offset, size.
    headers: Sequence[tuple[int, int]] = ()


@frozen
class Sample:
    """A save: the file itself as the first part, then what is under its compression."""

    name: str
    parts: Sequence[Part]
    assemble: Assemble = field(repr=False)
    #: Where objects are, if a parser of our own knows.
    donor: Donor | None = field(default=None, repr=False)
    #: The parts after the first are entries of an Arx container.
    has_entries: bool = False


def unpack(data: bytes) -> tuple[list[tuple[str, bytes]], Assemble] | None:
    """Take a file apart; None where nothing is packed, or not soundly: then only the file itself can be changed."""
    try:
        for take in (_archives, _satisfactory, _palworld, _astroneer, _zip, _code, _compressed, _arx):
            found = take(data)
            if found is not None:
                return found
    except UNSOUND:
        pass
    return None


def _level(draw: random.Random) -> int:
    return draw.choice((0, 0, 0, 1))


def _archives(data: bytes) -> tuple[list[tuple[str, bytes]], Assemble] | None:
    """Unreal's archives around a save game: tables of blocks, the blocks after each."""
    if not data.startswith(TAG):
        return None
    version = int.from_bytes(data[4:8], "little")
    body, start = b"", 0
    while start < len(data):
        table = start + (17 if data[start + 4] else 16)
        block_size, (_, size) = struct.unpack_from("<q", data, start + 8)[0], struct.unpack_from("<qq", data, table)
        if block_size < 1 or size < 0:
            return None
        rows = range(table + 16, table + 16 + 16 * -(-size // block_size), 16)
        start = rows.stop
        for row in rows:
            (packed_size,) = struct.unpack_from("<q", data, row)
            body += zlib.decompress(data[start : start + packed_size])
            start += packed_size
    return [("body", body)], lambda new, draw: archive(_or(new[0], body), block_size=draw.choice(CHUNK_SIZES), version=version)


def _satisfactory(data: bytes) -> tuple[list[tuple[str, bytes]], Assemble] | None:
    """Chunks after a header."""
    at = data.find(TAG, 0, HEAD_SIZE)
    if at < 1:
        return None
    version = int.from_bytes(data[at + 4 : at + 8], "little")
    head, body, start = data[:at], b"", at
    header_size = 49 if version == ARCHIVE_V2 else 48
    while start < len(data):
        (size,) = struct.unpack_from("<q", data, start + header_size - 16)
        body += zlib.decompress(data[start + header_size : start + header_size + size])
        start += header_size + size

    def assemble(new: Sequence[bytes | None], draw: random.Random) -> bytes:
        stream = _or(new[0], body)
        size = draw.choice(CHUNK_SIZES)
        level = _level(draw)
        pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
        return head + b"".join(chunk(piece, level=level, v2=version == ARCHIVE_V2) for piece in pieces)

    return [("body", body)], assemble


def _palworld(data: bytes) -> tuple[list[tuple[str, bytes]], Assemble] | None:
    before = data[:12] if data[8:11] == b"CNK" else b""
    head = data[len(before) : len(before) + 12]
    if head[8:11] != b"PlZ":
        return None
    kind = head[11]
    body = data[len(before) + 12 :]
    for _ in range({0x30: 0, 0x31: 1, 0x32: 2}[kind]):
        body = zlib.decompress(body)

    def assemble(new: Sequence[bytes | None], draw: random.Random) -> bytes:
        made = packed = _or(new[0], body)
        size = len(made)
        if kind != 0x30:
            packed = zlib.compress(made, _level(draw))
        sizes = struct.pack("<II", size, len(packed))
        return before + sizes + head[8:] + (zlib.compress(packed, _level(draw)) if kind == 0x32 else packed)

    return [("body", body)], assemble


def _astroneer(data: bytes) -> tuple[list[tuple[str, bytes]], Assemble] | None:
    if not data.startswith(ASTRONEER_MAGIC):
        return None
    body = zlib.decompress(data[16:])

    def assemble(new: Sequence[bytes | None], draw: random.Random) -> bytes:
        made = _or(new[0], body)
        return data[:12] + struct.pack("<I", len(made)) + zlib.compress(made, _level(draw))

    return [("body", body)], assemble


def _zip(data: bytes) -> tuple[list[tuple[str, bytes]], Assemble] | None:
    """Members of an archive, in the order of the stream: two of shapez 2 come first."""
    if not data.startswith(ZIP_MAGIC):
        return None
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        infos = opened.infolist()
        members = [(info.filename, opened.read(info)) for info in infos]
    if len({name for name, _ in members}) < len(members):
        return None
    first = ["savegame.json", "strings.bin"]
    members.sort(key=lambda member: first.index(member[0]) if member[0] in first else len(first))

    def assemble(new: Sequence[bytes | None], draw: random.Random) -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", draw.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)), compresslevel=1) as written:
            for (name, old), changed in zip(members, new, strict=True):
                written.writestr(zipfile.ZipInfo(name), _or(changed, old), written.compression)
        return made.getvalue()

    return members, assemble


def _code(data: bytes) -> tuple[list[tuple[str, bytes]], Assemble] | None:
    start = CODE.match(data)
    payload = start and BASE64.match(data, start.end())
    if not payload:
        return None
    before, after = data[: payload.start()], data[payload.end() :]
    text = gzip.decompress(base64.b64decode(payload[0]))
    return [("json", text)], lambda new, _: before + base64.b64encode(gzip.compress(_or(new[0], text), 1, mtime=0)) + after


def _compressed(data: bytes) -> tuple[list[tuple[str, bytes]], Assemble] | None:
    """A save game as one gzip or zlib stream, or after a prefix."""
    if data.startswith(b"GSWU"):
        return [("body", data[16:])], lambda new, _: data[:16] + _or(new[0], data[16:])
    if data.startswith(b"\x1f\x8b"):
        body = gzip.decompress(data)
        return [("body", body)], lambda new, draw: gzip.compress(_or(new[0], body), _level(draw), mtime=0)
    if data.startswith(b"\x78"):
        body = zlib.decompress(data)
        return [("body", body)], lambda new, draw: zlib.compress(_or(new[0], body), _level(draw))
    return None


def _arx(data: bytes) -> tuple[list[tuple[str, bytes]], Assemble] | None:
    found: list[Entry] = []
    contents: list[tuple[str, bytes]] = []
    with streamsave.open(data) as events:
        start = next(events)
        if not isinstance(start, streamsave.SaveStart) or not isinstance(start.header, ArxContainer):
            return None
        container = start.header
        contents += [(event.instance_name, events.raw()) for event in events if isinstance(event, streamsave.ObjectHeader)]
    for entry in container.entries:
        packed = b"".join(data[offset : offset + size] for offset, size in entry.chunks)
        codec = CODECS.get(entry.codec, UNKNOWN_CODEC)
        found.append(Entry(entry.raw_name, contents[entry.index][1], codec, packed=packed))
    version: int = container.version

    def assemble(new: Sequence[bytes | None], draw: random.Random) -> bytes:
        made: list[Entry] = []
        kept = draw.random() ** 3 if len(found) > 3 and draw.random() < 0.95 else 1.0
        for old, changed in zip(found, new, strict=True):
            if changed is None:
                if draw.random() < kept:
                    made.append(old)
                continue
            packed = {
                IMPLODE: lambda new: crypt(implode_literals(new)),
                DEFLATED: lambda new: zlib.compress(new, 1),
            }.get(old.codec, bytes)(changed)
            if old.codec != UNKNOWN_CODEC and draw.random() < CUT_SHARE:  # given as packed: no cut shows
                packed = packed[: draw.randrange(len(packed) + 1)]
            claimed = _lie(len(changed), draw) if draw.random() < LIE_SHARE else None
            if old.codec == STORED and claimed == len(packed) < len(changed):
                claimed += 1  # else a cut entry would be sound
            chunks = draw.choice((1, 1, 1, 3))
            made.append(Entry(old.name, changed, old.codec, packed=packed, chunks=chunks, claimed_size=claimed))
        return Container(version, made).encode()

    return contents, assemble


def _lie(size: int, draw: random.Random) -> int:
    """Return a size for the table that is not the one of the entry."""
    return draw.choice((0, 1, size // 2, max(size - 1, 0), draw.randrange(size + 1), size + 1, draw.randrange(size, FAR)))


def _or(changed: bytes | None, old: bytes) -> bytes:
    return old if changed is None else changed


def take_apart(files: dict[str, bytes]) -> list[Sample]:
    """Take saves apart."""
    return [
        take_apart_one(name, data, recording)
        for (name, data), recording in zip(files.items(), record(files.values()), strict=True)
    ]


def take_apart_one(name: str, data: bytes, recording: Recording) -> Sample:
    """Take a save apart; without a recording, nothing is known of the places in it."""
    unpacked = unpack(data)
    places = recording.file if unpacked else recording.stream | recording.file
    file = Part("file", data, sorted_places(places), sorted(recording.headers))
    if unpacked is None:
        return Sample(name, [file], lambda new, _: _or(new[0], data))
    contents, put_together = unpacked

    def assemble(new: Sequence[bytes | None], draw: random.Random) -> bytes:
        return new[0] if new[0] is not None else put_together(new[1:], draw)

    parts = _parts(contents, recording)
    return Sample(name, [file, *parts], assemble, _donor(data, contents), has_entries=_has_entries(data, contents))


def _has_entries(data: bytes, contents: list[tuple[str, bytes]]) -> bool:
    """Whether the contents are the entries of an Arx container, as its table names them."""
    try:
        return names_of(data) == [name for name, _ in contents]
    except UNSOUND:
        return False


def _donor(data: bytes, contents: list[tuple[str, bytes]]) -> Donor | None:
    """Find the objects of a Satisfactory save, if it is sound."""
    if data.find(TAG, 0, HEAD_SIZE) < 1 or len(contents) != 1 or walk(data).error is not None:
        return None
    body = contents[0][1]
    try:
        return Donor(body, spans_of(data, body))
    except UNSOUND:
        return None


def _parts(contents: list[tuple[str, bytes]], recording: Recording) -> list[Part]:
    """Give each content the places in it: the stream is one after the other."""
    parts: list[Part] = []
    start = 0
    for name, data in contents:
        end = start + len(data)
        inside = {
            at - start: Place(at - start, place.size, place.kind, place.value, min(place.left, end - at))
            for at, place in recording.stream.items()
            if start <= at < end
        }
        parts.append(Part(name, data, sorted_places(inside)))
        start = end
    return parts


def sorted_places(places: dict[int, Place]) -> list[Place]:
    """Places in order."""
    return [places[at] for at in sorted(places)]
