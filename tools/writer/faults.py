"""Saves with one thing wrong each, for every class of attack that a format can meet; small, and the same bytes each time.

The `invalid` functions of the formats hold what needs their own writers; here is what all have in common: a small sound save, in
which some bytes are replaced inside the compression, or which is packed with a lie.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

from writer import arx_samples, astroneer_samples, gvas_samples, shapez2_faults
from writer.astroneer import BOOL as ASTRONEER_BOOL
from writer.astroneer import STR as ASTRONEER_STR
from writer.astroneer import Instance, struct_of, wrap
from writer.astroneer import Level as AstroneerLevel
from writer.astroneer import Prop as AstroneerProp
from writer.astroneer import Save as AstroneerSave
from writer.blueprint import Blueprint
from writer.chunks import ARCHIVE_V1, ARCHIVE_V2, CHUNK_TAG, COMPRESSOR_ZLIB, MAX_CHUNK_SIZE
from writer.gvas import SaveGame
from writer.primitives import Ref, bool32, f32, fstring, gzipped, i32, i64
from writer.satisfactory import Level, Object, World, release_header, save_bytes
from writer.tags import BOOL, FLOAT, INT, STR, Array, Fields, Map, Prop, Props, Set

ITEM = Fields("Item")
INT_MIN, INT_MAX = -(1 << 31), (1 << 31) - 1
#: Nestings that are too many.
TOO_DEEP = 140
#: A string that is too long.
TOO_LONG = 2 << 20

TAG = struct.pack("<I", CHUNK_TAG)
CLASS = "/Game/A.A_C"
NAME = "Persistent_Level:PersistentLevel.A_C_1"
OTHER = "Persistent_Level:PersistentLevel.A_C_2"
LAST = "Persistent_Level:PersistentLevel.A_C_3"
LABEL = "label"

HTML = b"<!DOCTYPE html><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>"


def swapped(data: bytes, old: bytes, new: bytes) -> bytes:
    """Put other bytes in place of the first occurrence of some, which must be there."""
    if old not in data:
        message = f"{old!r} is not there"
        raise ValueError(message)
    return data.replace(old, new, 1)


def number_behind(data: bytes, text: str, number: int, skip: int = 0) -> bytes:
    """Replace the `i32` that is `skip` bytes after the first string of that text."""
    at = data.index(fstring(text)) + len(fstring(text)) + skip
    return data[:at] + i32(number) + data[at + 4 :]


def properties() -> Props:
    """A property of most kinds."""
    return [
        Prop("Label", STR, LABEL),
        Prop("Count", INT, 77),
        Prop("Share", FLOAT, 0.5),
        Prop("On", BOOL, True),
        Prop("List", Array(INT), [1, 2, 3]),
        Prop("Items", Array(ITEM), [[Prop("Number", INT, 5)]]),
        Prop("Table", Map(STR, INT), [("a", 1)]),
        Prop("Group", Set(INT), [4, 5]),
    ]


def deep(depth: int) -> Props:
    """A struct in a struct, and so on."""
    value: list[Prop[Any]] = [Prop("Deep", INT, 1)]
    for _ in range(depth):
        value = [Prop("Deep", ITEM, value)]
    return value


# --- Satisfactory


def world(props: Props | None = None, save_version: int = 46) -> World:
    """A level with one object, and two more in the persistent level."""
    one = Object(CLASS, NAME, properties() if props is None else props)
    last = Object(CLASS, LAST, [Prop("Word", STR, "last")])
    level = Level("LEVEL1", [Object(CLASS, OTHER, [Prop("Word", STR, "other")], level="LEVEL1")])
    return World(release_header(save_version), [level], [one, last], unresolved=[Ref("LEVEL1", OTHER)])


def head_and_body(made: World) -> tuple[bytes, bytes]:
    """A world as its header and its inflated stream."""
    data = save_bytes(made, level=0)
    at = data.index(TAG)
    head, body = data[:at], b""
    while at < len(data):
        header_size = 49 if data[at + 4] else 48
        (size,) = struct.unpack_from("<q", data, at + header_size - 16)
        body += zlib.decompress(data[at + header_size : at + header_size + size])
        at += header_size + size
    return head, body


def chunk(data: bytes, packed: bytes | None = None, *, v2: bool = False, **lies: int) -> bytes:
    """One chunk; the fields of its header may lie."""
    if packed is None:
        packed = zlib.compress(data, 0)
    sizes = {"compressed_size": len(packed), "inflated_size": len(data)}
    told = {
        "tag": CHUNK_TAG, "archive_header": ARCHIVE_V2 if v2 else ARCHIVE_V1, "max_chunk_size": MAX_CHUNK_SIZE,
        "compressor": COMPRESSOR_ZLIB, "compressed_total": lies.get("compressed_size", sizes["compressed_size"]),
        "inflated_total": lies.get("inflated_size", sizes["inflated_size"]), **sizes, **lies,
    }  # fmt: skip
    if not v2:
        del told["compressor"]
    return struct.pack("<IIqBqqqq" if v2 else "<IIqqqqq", *told.values()) + packed


def satisfactory_framing() -> dict[str, bytes]:
    """Chunks that lie about themselves."""
    head, body = head_and_body(world())
    packed = zlib.compress(body, 0)
    raw = zlib.compressobj(0, zlib.DEFLATED, -15)
    with_dictionary = zlib.compressobj(9, zdict=body[:64])
    found = {
        "chunk-magic-wrong": chunk(body, tag=CHUNK_TAG ^ 1),
        "chunk-magic-missing": packed,
        "chunk-magic-twice": TAG + chunk(body),
        "chunk-header-unknown": chunk(body, archive_header=1),
        "chunk-header-mixed": chunk(body, v2=True, archive_header=0),
        "chunk-compressor-unknown": chunk(body, v2=True, compressor=9),
        "chunk-pairs-disagree": chunk(body, inflated_total=len(body) + 1),
        "chunk-max-0": chunk(body, max_chunk_size=0),
        "chunk-max-negative": chunk(body, max_chunk_size=-1),
        "chunk-max-too-small": chunk(body, max_chunk_size=len(body) - 1),
        "chunk-adler": chunk(body, packed[:-1] + bytes([packed[-1] ^ 1])),
        "chunk-junk": chunk(body, packed + b"junk"),
        "chunk-gzip": chunk(body, gzipped(body, 0)),
        "chunk-raw-deflate": chunk(body, raw.compress(body) + raw.flush()),
        "chunk-dictionary": chunk(body, with_dictionary.compress(body) + with_dictionary.flush()),
        "chunk-bomb": chunk(body, zlib.compress(bytes(1 << 20), 9), inflated_size=MAX_CHUNK_SIZE),
        "body-size-less": chunk(i64(len(body) - 9) + body[8:]),
        "body-size-more": chunk(i64(len(body) + 9) + body[8:]),
        "body-size-negative": chunk(i64(-1) + body[8:]),
        "body-size-most": chunk(i64((1 << 63) - 1) + body[8:24]),
    }
    for name, size in (("compressed", len(packed)), ("inflated", len(body))):
        for word, lie in {
            "0": 0, "1": 1, "negative": -1, "less": size - 1, "more": size + 1, "32-bit": INT_MAX, "64-bit": (1 << 63) - 1
        }.items():  # fmt: skip
            found[f"chunk-{name}-{word}"] = chunk(body, None, v2=False, **{f"{name}_size": lie})
    return {name: head + data for name, data in found.items()}


def satisfactory_inside() -> dict[str, bytes]:
    """Lengths, counts, strings, nesting and values that are wrong inside of sound chunks."""
    head, body = head_and_body(world())
    size_at = body.index(fstring("Label")) - 4 - 2 * len(fstring("")) - 4  # before owner and components
    (size,) = struct.unpack_from("<i", body, size_at)
    next_end = size_at + 4 + size + 12 + int.from_bytes(body[size_at + 4 + size + 8 :][:4], "little")
    toc_at = body.index(fstring("LEVEL1")) + len(fstring("LEVEL1"))
    (toc_size,) = struct.unpack_from("<q", body, toc_at)
    data_at = toc_at + 8 + toc_size
    label = fstring(LABEL)

    def resized(number: int) -> bytes:
        return body[:size_at] + i32(number) + body[size_at + 4 :]

    def renamed(raw: bytes) -> bytes:
        return swapped(body, label, raw.ljust(len(label), b"\0"))

    inside = {f"object-size-{word}": resized(lie) for word, lie in (
        ("negative", -1), ("least", INT_MIN), ("most", INT_MAX), ("less", size - 1), ("more", size + 1),
        ("to-the-end", len(body)), ("next", next_end - size_at - 4),
    )}  # fmt: skip
    inside |= {f"headers-size-{word}": body[:toc_at] + i64(lie) + body[toc_at + 8 :] for word, lie in (
        ("0", 0), ("negative", -1), ("less", toc_size - 1), ("more", toc_size + 1), ("behind-file", 1 << 40)
    )}  # fmt: skip
    inside |= {f"data-size-{word}": body[:data_at] + i64(lie) + body[data_at + 8 :] for word, lie in (
        ("3", 3), ("negative", -(1 << 63)), ("behind-file", (1 << 63) - 1)
    )}  # fmt: skip
    inside |= {f"headers-count-{word}": body[: toc_at + 8] + i32(lie) + body[toc_at + 12 :] for word, lie in (
        ("negative", -1), ("most", INT_MAX), ("more", 2)
    )}  # fmt: skip
    inside |= {
        "data-count-more": body[: data_at + 8] + i32(2) + body[data_at + 12 :],
        "property-size-more": number_behind(body, "StrProperty", 11),
        "property-size-less": number_behind(body, "StrProperty", 9),
        "property-size-negative": number_behind(body, "StrProperty", -1),
        "property-size-most": number_behind(body, "StrProperty", INT_MAX),
        "array-count-most": swapped(body, i32(3) + i32(1) + i32(2) + i32(3), i32(INT_MAX) + i32(1) + i32(2) + i32(3)),
        "array-count-negative": swapped(body, i32(3) + i32(1) + i32(2) + i32(3), i32(-1) + i32(1) + i32(2) + i32(3)),
        "map-removed-most": swapped(body, i32(0) + i32(1) + fstring("a"), i32(INT_MAX) + i32(1) + fstring("a")),
        "set-count-more": swapped(body, i32(0) + i32(2) + i32(4) + i32(5), i32(0) + i32(3) + i32(4) + i32(5)),
        "name-length-0": swapped(body, fstring("Label"), i32(0) + fstring("Label")[4:]),
        "name-length-least": swapped(body, fstring("Label"), i32(INT_MIN) + fstring("Label")[4:]),
        "name-length-most": swapped(body, fstring("Label"), i32(INT_MAX) + fstring("Label")[4:]),
        "name-length-wide": swapped(body, fstring("Label"), i32(-6) + fstring("Label")[4:]),
        "class-length-most": swapped(body, fstring(CLASS), i32(INT_MAX) + fstring(CLASS)[4:]),
        "value-length-more": swapped(body, label, i32(len(label)) + label[4:]),
        "value-length-least": swapped(body, label, i32(INT_MIN) + label[4:]),
        "value-lone-surrogate": renamed(i32(-3) + "\ud800x\0".encode("utf-16-le", "surrogatepass")),
        "value-no-end": renamed(label[:-1] + b"!"),
        "value-nul-inside": renamed(swapped(label, b"b", b"\0")),
        "type-none": swapped(body, fstring("FloatProperty"), fstring("None") + bytes(9)),
        "no-none": swapped(body, fstring("None"), fstring("Nine")),
        "actor-2": swapped(body, bool32(True) + fstring(CLASS), i32(2) + fstring(CLASS)),
        "float-nan": swapped(body, f32(0.5), f32(float("nan"))),
        "place-infinite": swapped(body, f32(1.0), f32(float("inf"))),
    }  # fmt: skip
    found = {name: head + chunk(data) for name, data in inside.items()}
    deep_head, deep_body = head_and_body(world(deep(TOO_DEEP)))
    long_head, long_body = head_and_body(world([Prop("Label", STR, "x" * TOO_LONG)]))
    found["structs-too-deep"] = deep_head + chunk(deep_body, zlib.compress(deep_body, 9))
    found["value-too-long"] = long_head + b"".join(
        chunk(piece, zlib.compress(piece, 9))
        for piece in (long_body[at : at + MAX_CHUNK_SIZE] for at in range(0, len(long_body), MAX_CHUNK_SIZE))
    )
    found["names-twice"] = save_bytes(world([*properties(), *properties()]), level=0)
    return found


def satisfactory_stream() -> dict[str, bytes]:
    """Files that end early, go on, or are something else; versions."""
    head, body = head_and_body(world())
    good = head + chunk(body)
    return {
        "empty": b"",
        "one-byte": good[:1],
        "three-bytes": good[:3],
        "html": HTML,
        "gzip": gzipped(good, 0),
        "cut-in-header": good[: len(head) // 2],
        "cut-in-chunk-header": good[: len(head) + 20],
        "cut-in-chunk": good[:-20],
        "no-chunk": head,
        "zeros-behind": good + bytes(64),
        "two-saves": good + good,
        "version-0": swapped(good, good[4:8], i32(0)),
        "version-negative": swapped(good, good[4:8], i32(-1)),
        "header-version-negative": i32(-1) + good[4:],
        "version-future": swapped(good, good[4:8], i32(100_000)),
        "date-least": swapped(good, i64(638_000_000_000_000_000), i64(-(1 << 63))),
    }


def satisfactory() -> dict[str, bytes]:
    """All of Satisfactory, by file name."""
    found = {
        f"{name}.sav": data for name, data in (satisfactory_framing() | satisfactory_inside() | satisfactory_stream()).items()
    }
    return found | {"config-cut.sbpcfg": i32(3) + i32(100) + b"abc", "blueprint-headers-longer.sbp": longer_headers()}


def longer_headers() -> bytes:
    """A blueprint with four bytes after its headers, where saves have a list."""
    made = Blueprint(46, [Object(CLASS, NAME, properties())])
    data = made.encode(level=0)
    head = made.header()
    body = zlib.decompress(data[len(head) + 49 :])
    (size,) = struct.unpack_from("<i", body, 4)
    end = 8 + size
    return head + chunk(i32(len(body)) + i32(size + 4) + body[8:end] + bytes(4) + body[end:], v2=True)


# --- the others: what their own functions do not have


def gvas() -> dict[str, bytes]:
    """Strings, nesting and values of save games."""
    data = SaveGame(properties()).encode()
    label = fstring(LABEL)
    count_name = fstring("Count")
    return {
        "name-length-0.sav": swapped(data, count_name, i32(0) + count_name[4:]),
        "name-length-least.sav": swapped(data, count_name, i32(INT_MIN) + count_name[4:]),
        "name-length-most.sav": swapped(data, count_name, i32(INT_MAX) + count_name[4:]),
        "value-lone-surrogate.sav": swapped(data, label, (i32(-3) + "\ud800x\0".encode("utf-16-le", "surrogatepass")).ljust(10)),
        "value-length-more.sav": swapped(data, label, i32(len(label)) + label[4:]),
        "structs-too-deep.sav": zlib.compress(SaveGame(deep(TOO_DEEP)).encode(), 9),
        "value-too-long.sav": zlib.compress(SaveGame([Prop("Label", STR, "x" * TOO_LONG)]).encode(), 9),
        "no-none.sav": swapped(data, fstring("None"), fstring("Nine")),
        "type-none.sav": swapped(data, fstring("FloatProperty"), fstring("None") + bytes(9)),
        "archive-blocks-most.sav": struct.pack("<IIQQQ", CHUNK_TAG, 0, 1, 1, INT_MAX) + bytes(64),
        "archive-block-size-0.sav": struct.pack("<IIQQQ", CHUNK_TAG, 0, 0, len(data), len(data)) + data,
        "array-count-most.sav": swapped(data, i32(3) + i32(1) + i32(2), i32(INT_MAX) + i32(1) + i32(2)),
        "map-removed-most.sav": swapped(data, i32(0) + i32(1) + fstring("a"), i32(INT_MAX) + i32(1) + fstring("a")),
        "version-0.sav": data[:4] + i32(0) + data[8:],
        "version-negative.sav": data[:4] + i32(-1) + data[8:],
        "version-future.sav": data[:4] + i32(100_000) + data[8:],
        "float-nan.sav": swapped(data, f32(0.5), f32(float("nan"))),
        "html-in-gzip.sav": gzipped(HTML, 0),
        "zeros-behind.sav": data + bytes(64),
    }  # fmt: skip


def _astroneer(props: Sequence[AstroneerProp]) -> bytes:
    return AstroneerSave(AstroneerLevel([Instance("/Script/A.A", "A_1", props)])).gvas()


def astroneer() -> dict[str, bytes]:
    """Strings, nesting and values of Astroneer."""
    data = _astroneer([AstroneerProp("Label", ASTRONEER_STR, LABEL), AstroneerProp("On", ASTRONEER_BOOL, True)])
    label = fstring(LABEL)
    level_name = fstring("/Game/Maps/Staging_T2")
    nested = [AstroneerProp("Label", ASTRONEER_STR, "x")]
    for _ in range(TOO_DEEP):
        nested = [AstroneerProp("Deep", struct_of("A"), nested)]
    bare = {
        "level-name-least": swapped(data, level_name, i32(INT_MIN) + level_name[4:]),
        "level-name-most": swapped(data, level_name, i32(INT_MAX) + level_name[4:]),
        "value-length-more": swapped(data, label, i32(len(label)) + label[4:]),
        "value-lone-surrogate": swapped(data, label, (i32(-3) + "\ud800x\0".encode("utf-16-le", "surrogatepass")).ljust(10)),
        "pool-name-most": swapped(data, fstring("/Script/A.A"), i32(INT_MAX) + fstring("/Script/A.A")[4:]),
        "structs-too-deep": _astroneer(nested),
        "object-outer-itself": AstroneerSave(AstroneerLevel([Instance("/Script/A.A", "A_1", outer=0)])).gvas(),
        "value-too-long": _astroneer([AstroneerProp("Label", ASTRONEER_STR, "x" * TOO_LONG)]),
        "version-0": swapped(data, i32(41), i32(0)),
        "version-negative": swapped(data, i32(41), i32(-1)),
        "version-future": swapped(data, i32(41), i32(100_000)),
    }  # fmt: skip
    return {f"{name}.savegame": wrap(each) for name, each in bare.items()}


def invalid() -> dict[str, bytes]:
    """All files of `corpora/invalid`, by folder and name."""
    folders: dict[str, dict[str, bytes]] = {
        "satisfactory": satisfactory(),
        "gvas": {f"{name}.sav": data for name, data in gvas_samples.invalid().items()} | gvas(),
        "astroneer": astroneer_samples.invalid() | astroneer(),
        "arx": {f"{name}.sav": data for name, data in arx_samples.invalid_samples().items()},
        "shapez2": {f"{name}.spz2": data for name, data in shapez2_faults.invalid_saves().items()}
        | {f"{name}.spz2bp": data for name, data in shapez2_faults.invalid_codes().items()},
    }
    return {f"{folder}/{name}": data for folder, files in folders.items() for name, data in files.items()}
