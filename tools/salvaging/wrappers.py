"""The wrappers of saves: a sound save as its inflated stream, and a changed stream packed again.

The wrapper of what is packed is right: its own sizes and checksums are made anew. Sizes and numbers inside the stream are not.

| wrapper | packed anew as |
|---|---|
| chunks of Satisfactory | the same |
| one zlib or Oodle stream (Palworld, Astroneer) | one zlib stream |
| zip, gzip and base64 (shapez 2) | the same |
| none (Unreal save games) | the same |
| Arx | a container with all entries stored: its bytes are the stream, with the table, whose offsets are made right |
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import importlib
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from typing import Final

from attrs import field, frozen

import streamsave
from streamsave import ChunkStart, ObjectHeader, SaveStart
from streamsave.headers import ArxContainer

__all__ = ["Chunk", "Edit", "Save", "Span", "apply", "first_change", "open_save"]

MAGIC: Final = struct.pack("<I", 0x9E2A83C1)
CHUNK: Final = 131072

#: Start and end in the stream, and the bytes that come there.
Edit = tuple[int, int, bytes]
Span = tuple[int, int]


@frozen
class Chunk:
    """A part of the file that is packed by itself: with its header in the file, and inflated in the stream."""

    start: int
    end: int
    stream: Span
    #: The entry of Arx that it is a part of.
    entry: str = ""


@frozen
class Save:
    """A sound save as its inflated stream."""

    format: str
    data: bytes
    stream: bytes
    pack: Callable[[Iterable[Edit]], bytes]
    chunks: list[Chunk] = field(factory=list)
    #: Whether each chunk has a checksum: then nothing may be given of one with wrong bytes.
    verified: bool = False
    #: Arx, all entries stored: where an entry is, by its name, and its row in the table; else empty.
    rows: dict[str, tuple[int, Span]] = field(factory=dict)


def apply(stream: bytes, edits: Iterable[Edit]) -> bytes:
    """Replace parts of a stream."""
    parts = []
    after = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [stream[after:start], new]
        after = max(end, after)
    return b"".join([*parts, stream[after:]])


def _open_chunks(format_name: str, data: bytes) -> Save:
    start = data.find(MAGIC)
    size = 49 if data[start + 4 : start + 8] == b"\x22" * 4 else 48
    opening, header = data[:start], data[start : start + size - 32]
    chunks = []
    parts: list[bytes] = []
    done = 0
    while data[start : start + 4] == MAGIC:
        (packed,) = struct.unpack_from("<q", data, start + size - 16)
        end = start + size + packed
        parts.append(zlib.decompress(data[start + size : end]))
        chunks.append(Chunk(start, end, (done, done + len(parts[-1]))))
        done += len(parts[-1])
        start = end
    stream = b"".join(parts)

    def pack(edits: Iterable[Edit]) -> bytes:
        new = apply(stream, edits)
        out = [opening]
        for at in range(0, len(new), CHUNK):
            part = new[at : at + CHUNK]
            packed = zlib.compress(part, 1)
            out += [header, struct.pack("<4q", len(packed), len(part), len(packed), len(part)), packed]
        return b"".join(out)

    return Save(format_name, data, stream, pack, chunks, verified=True)


def _open_palworld(format_name: str, data: bytes) -> Save:
    (size,) = struct.unpack_from("<I", data)
    stream = data[12:]
    if data[8:11] == b"PlM":
        stream = bytes(importlib.import_module("ooz").decompress(stream, size))
    else:
        for _ in range(data[11] - 0x30):
            stream = zlib.decompress(stream)

    def pack(edits: Iterable[Edit]) -> bytes:
        new = apply(stream, edits)
        packed = zlib.compress(new, 1)
        return struct.pack("<II", len(new), len(packed)) + b"PlZ1" + packed

    return Save(format_name, data, stream, pack)


def _open_astroneer(format_name: str, data: bytes) -> Save:
    stream = zlib.decompress(data[16:])

    def pack(edits: Iterable[Edit]) -> bytes:
        new = apply(stream, edits)
        return data[:12] + struct.pack("<I", len(new)) + zlib.compress(new, 1)

    return Save(format_name, data, stream, pack)


def _open_zip(format_name: str, data: bytes) -> Save:
    starts: list[ChunkStart] = []
    with streamsave.open(data) as events:
        starts = [event for event in events if isinstance(event, ChunkStart)]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = {info.header_offset: info for info in archive.infolist()}
        members = {name: archive.read(name) for name in archive.namelist()}
    spans = {}
    chunks = []
    for chunk in starts:
        info = infos[chunk.compressed_offset]
        content = chunk.compressed_offset + 30 + sum(struct.unpack_from("<HH", data, chunk.compressed_offset + 26))
        spans[info.filename] = (chunk.offset, chunk.offset + info.file_size)
        chunks.append(Chunk(chunk.compressed_offset, content + info.compress_size, spans[info.filename]))
    stream = bytearray(max(end for _, end in spans.values()))
    for name, (start, end) in spans.items():
        stream[start:end] = members[name]

    def pack(edits: Iterable[Edit]) -> bytes:
        new = dict(members)
        listed = list(edits)
        for name, (start, end) in spans.items():
            inside = [(a - start, b - start, put) for a, b, put in listed if start <= a < end]
            new[name] = apply(members[name], inside)
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in new.items():
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        return target.getvalue()

    return Save(format_name, data, bytes(stream), pack, chunks, verified=True)


def _open_text(format_name: str, data: bytes) -> Save:
    start = data.rindex(b"-") + 1
    stream = gzip.decompress(base64.b64decode(data[start:].strip().rstrip(b"$")))

    def pack(edits: Iterable[Edit]) -> bytes:
        return data[:start] + base64.b64encode(gzip.compress(apply(stream, edits), 1, mtime=0)) + b"$"

    return Save(format_name, data, stream, pack)


def _open_arx(format_name: str, data: bytes) -> Save:
    contents: dict[str, bytes] = {}
    chunks = []
    table: list[tuple[str, bytes]] = []
    version = 0
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, SaveStart):
                version = event.version
                if isinstance(event.header, ArxContainer):
                    table = [(entry.name, entry.raw_name) for entry in event.header.entries]
            elif isinstance(event, ObjectHeader):
                contents[event.instance_name] = events.raw()
    with streamsave.open(data) as events:
        entry = ""
        for event in events:
            if isinstance(event, ObjectHeader):
                entry = event.instance_name
            elif isinstance(event, ChunkStart):
                end = event.compressed_offset + event.compressed_size
                chunks.append(Chunk(event.compressed_offset, end, (event.offset, event.offset + event.size), entry))
    body = b"".join(contents[name] for name, _ in table)
    made = [struct.pack("<I", len(body)), body, struct.pack("<II", version, len(table))]
    size = sum(map(len, made))
    rows = {}
    at = 4
    for name, raw_name in table:
        length = len(contents[name])
        row = raw_name + b"\0" + struct.pack("<5I", length, 1, 0, length, at - 4)
        rows[name] = (at, (size, size + len(row)))
        made.append(row)
        size += len(row)
        at += length
    stream = b"".join(made)
    end = 4 + len(body)

    def pack(edits: Iterable[Edit]) -> bytes:
        listed = list(edits)
        grown = [(start, len(new) - (until - start)) for start, until, new in listed if until <= end]
        more = [(0, 4, struct.pack("<I", len(body) + sum(by for _, by in grown)))]
        for at, (_, row_end) in rows.values():
            moved = sum(by for start, by in grown if start < at)
            more.append((row_end - 4, row_end, struct.pack("<I", at - 4 + moved)))
        covered = [edit for edit in more if not any(start < edit[1] and edit[0] < until for start, until, _ in listed)]
        return apply(stream, [*listed, *covered])

    return Save(format_name, data, stream, pack, chunks, rows=rows)


def open_save(data: bytes) -> Save:
    """Open a sound save.

    Raises:
        SaveError: it is damaged.
        ImportError: it is packed by Oodle, and what unpacks that is not installed.
        ValueError: its wrapper is not in the table.
    """
    with streamsave.open(data) as events:
        format_name = next(event.format for event in events if isinstance(event, SaveStart))
    if format_name == "arx":
        return _open_arx(format_name, data)
    if format_name == "shapez2":
        return _open_zip(format_name, data)
    if format_name == "shapez2-blueprint":
        return _open_text(format_name, data)
    if format_name == "astroneer":
        return _open_astroneer(format_name, data)
    if format_name.startswith("satisfactory"):
        return _open_chunks(format_name, data)
    if data[8:11] in {b"PlZ", b"PlM"}:
        return _open_palworld(format_name, data)
    if data[:4] != b"GVAS":
        raise ValueError(f"a wrapper of {format_name} that the bench does not know")
    return Save(format_name, data, data, lambda edits: apply(data, edits))


def first_change(save: Save, data: bytes) -> int:
    """Return up to where a damaged file of one zlib stream inflates to the same bytes; 0 for other compressions."""
    if save.format == "astroneer":
        layers, at = 1, 16
    elif data[8:11] == b"PlZ":
        layers, at = data[11] - 0x30, 12
    else:
        return 0
    content = data[at:]
    for _ in range(layers):
        unpack = zlib.decompressobj()
        unpacked = bytearray()
        with contextlib.suppress(zlib.error):  # what comes before the fault is what a reader can have
            for start in range(0, len(content), 64):
                unpacked += unpack.decompress(content[start : start + 64])
        content = bytes(unpacked)
    same = 0
    step = 1 << 16
    while content[same : same + step] == save.stream[same : same + step] and same < len(content):
        step = min(step, len(content) - same) or 1
        same += step
    while same < min(len(content), len(save.stream)) and content[same] == save.stream[same]:
        same += 1
    return same
