"""What the value of a tag opens: nothing, if it is a leaf; a struct, a container; or bytes of unknown layout.

An array of bytes that has a layout (`BlobLayouts`) is `i32 size`, then members by layout. Bytes that no layout takes exactly are
passed over, or are plain bytes: the layout is not known, nothing is damaged.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.reader import Leaf
from streamsave.errors import DamagedSave, LimitExceeded, UnsupportedSave
from streamsave.events import BlobSkip, Event, StructEnter
from streamsave.formats.unreal.containers import ElementsFrame, enter_struct, fits, has_list
from streamsave.formats.unreal.dialect import BlobLayouts
from streamsave.formats.unreal.frames import FrameReader
from streamsave.formats.unreal.maps import open_map, open_set
from streamsave.formats.unreal.tag_reader import read_inner
from streamsave.formats.unreal.tags import ARRAY_TYPE, BYTE_TYPE, MAP_TYPE, OPTIONAL, SET_TYPE, STRUCT, Tag, looks_like_list

__all__ = ["LARGEST_BLOB", "open_leaf"]

#: How many types of structs are remembered to be property lists.
KNOWN_LISTS: Final = 4096
#: Larger blobs are passed over: their versions come after them, and a source that cannot go back keeps what is between.
LARGEST_BLOB: Final = 1024 * 1024
#: More bytes of versions are none: a blob has a dozen of them at most.
LARGEST_VERSIONS: Final = 64 * 1024


def open_leaf(walk: FrameReader) -> Event | None:
    """Step into the value of the last tag: return its first event, or None if it is a leaf, and stay at its start."""
    cursor = walk.cursor
    leaf = walk.leaf
    if not walk.is_pending or not leaf.opens or cursor.tell() != leaf.start or leaf.end == leaf.start:
        return None
    if not walk.build.is_running:
        walk.build.reset()
    outer = cursor.limit()
    cursor.set_limit(leaf.end)
    event = open_by_type(walk, walk.tags.last, leaf, outer)
    if event is not None and not isinstance(event, BlobSkip):
        walk.leave_leaf()
        return event
    cursor.set_limit(outer)
    if event is not None:
        walk.announce(leaf.closed())
        cursor.check_reaches(leaf.end)
    cursor.seek(leaf.start)
    return event


def open_by_type(walk: FrameReader, tag: Tag, leaf: Leaf, outer: i64) -> Event | None:
    """Return the first event of the value, None if it is a leaf. The cursor is limited to it; `outer` is the limit around."""
    kind = tag.type
    if kind == STRUCT:
        return open_struct(walk, tag, leaf, outer)
    if kind == ARRAY_TYPE:
        if tag.inner_type == STRUCT:
            return open_array(walk, tag, leaf, outer)
        return None if walk.dialect.blobs is None else open_blob(walk, walk.dialect.blobs, leaf, outer)
    if kind == SET_TYPE:
        return open_set(walk, leaf, outer) if tag.inner_type == STRUCT else None
    if kind == MAP_TYPE:
        return open_map(walk, leaf, outer)
    if kind == OPTIONAL:
        return open_optional(walk, tag, leaf, outer)
    return None if walk.dialect.scalar(kind) is not None else leaf.opaque(f"unknown type {kind}")


# --- structs ---


def open_list(walk: FrameReader, leaf: Leaf, type_name: str, content: i64, outer: i64) -> Event:
    """Open a property list, which starts at `content`."""
    walk.push_list(leaf.name, type_name, leaf.end, outer)
    walk.cursor.seek(content)
    return StructEnter(leaf.start, leaf.name, type_name, content - leaf.start, leaf.end - content, -1, -1)


def open_struct(walk: FrameReader, tag: Tag, leaf: Leaf, outer: i64) -> Event | None:
    dialect = walk.dialect
    type_name = tag.type_name
    if tag.is_binary or not dialect.new_tags:
        codec = dialect.struct(type_name, leaf.end - leaf.start)
        if codec is not None and (not codec.tentative or fits(walk, codec, 1, leaf.start, leaf.end)):
            if walk.build.is_running or not codec.may_have_list or not has_list(walk, codec):
                return None
            walk.cursor.seek(leaf.start)
            return enter_struct(walk, leaf.name, codec, leaf.start, -1, leaf.end, outer)
        if tag.is_binary or not is_list(walk, type_name):
            return leaf.opaque(f"unknown struct {type_name}")
    return open_list(walk, leaf, type_name, leaf.start, outer)


def is_list(walk: FrameReader, type_name: str) -> bool:
    """Return whether a struct is a property list; one look is enough for a type that is never binary."""
    known = walk.tags.list_structs
    if type_name in known:
        return True
    found = looks_like_list(walk.cursor)
    if found and len(known) < KNOWN_LISTS and type_name not in walk.dialect.structs:
        known.add(type_name)
    return found


# --- arrays and optionals ---


def open_array(walk: FrameReader, tag: Tag, leaf: Leaf, outer: i64) -> Event | None:
    """`i32 count`; in old tags an inner tag with the struct, and the size of all; elements."""
    dialect = walk.dialect
    cursor = walk.cursor
    count = cursor.count(0)
    type_name = read_inner(cursor, walk.dialect, tag.type_name)
    content = cursor.tell()
    size = leaf.end - content
    codec = dialect.struct(type_name, size // count if count > 0 else -1)
    if codec is not None and dialect.new_tags and not tag.is_binary:
        codec = None
    if codec is not None and codec.tentative and not fits(walk, codec, count, content, leaf.end):
        codec = None
    if codec is None:
        is_known = not tag.is_binary and (count == 0 or looks_like_list(cursor))
    else:
        is_known = codec.size < 0 or count * codec.size == size
    if not is_known:
        return leaf.opaque(f"array of unknown struct {type_name}")
    if codec is not None and codec.size >= 0:
        return None
    cursor.seek(content)
    start = dialect.tag_cache.start(type_name)
    peeks = codec is None
    walk.push(
        ElementsFrame(leaf.name, leaf.end, outer, count=count, codec=codec, type_name=type_name, peeks=peeks, last_tag=start)
    )
    return StructEnter(leaf.start, leaf.name, tag.type, content - leaf.start, size, -1, count)


def open_optional(walk: FrameReader, tag: Tag, leaf: Leaf, outer: i64) -> Event | None:
    """`bool32; value`: a nesting where the value is a property list."""
    cursor = walk.cursor
    if walk.dialect.scalar(tag.inner_type) is not None:
        return None
    if tag.inner_type != STRUCT:
        return leaf.opaque(f"optional of unknown type {tag.inner_type}")
    if not cursor.bool32():
        return None
    content = cursor.tell()
    if looks_like_list(cursor):
        return open_list(walk, leaf, tag.type_name, content, outer)
    if walk.dialect.struct(tag.type_name, leaf.end - content) is not None:
        return None
    return leaf.opaque(f"optional of unknown struct {tag.type_name}")


# --- blobs ---


def open_blob(walk: FrameReader, blobs: BlobLayouts, leaf: Leaf, outer: i64) -> Event | None:
    """Return the first event of an array of bytes that has a layout, or None if the last tag's value is none.

    Raises:
        SaveError: the stream ends before the value does, or is damaged.
    """
    cursor = walk.cursor
    start = leaf.start
    end = leaf.end
    if leaf.name != blobs.name or walk.tags.last.inner_type != BYTE_TYPE:
        return None
    cursor.set_limit(outer)
    cursor.check_reaches(end)
    if end - start <= 4 or cursor.i32() != end - start - 4:
        return None
    if end - start - 4 > LARGEST_BLOB:
        return leaf.opaque(f"{blobs.name} too large to decode: {blobs.kind(*names_around(walk))}") if blobs.is_certain else None
    if blobs.last_start != start or blobs.last_end != end:
        blobs.last_layout = None
        blobs.last_start = -1
        names, noted = names_around(walk)
        versions = versions_after(walk, blobs, end) if blobs.versions_name else None
        for tried in blobs.layouts(names, noted, versions):
            if fits(walk, tried, 1, start + 4, end):
                blobs.last_layout = tried
                blobs.last_start = start
                blobs.last_end = end
                break
    layout = blobs.last_layout
    if layout is None:
        return leaf.opaque(f"{blobs.name} of unknown layout: {blobs.kind(*names_around(walk))}") if blobs.is_certain else None
    cursor.seek(start + 4)
    cursor.set_limit(end)
    return enter_struct(walk, leaf.name, layout, start, -1, end, outer)


def names_around(walk: FrameReader) -> tuple[list[str], str]:
    """Return the names of the nestings around a blob, and what was noted last in these."""
    return [frame.name for frame in walk.frames], walk.noted(len(walk.frames))


def versions_after(walk: FrameReader, blobs: BlobLayouts, offset: i64) -> bytes | None:
    """Return the bytes of the array of versions at `offset`; None if something else is there.

    Raises:
        SaveError: the stream ends there, or cannot be read.
    """
    tags = walk.tags
    cursor = walk.cursor
    cursor.seek(offset)
    try:
        if cursor.name() != blobs.versions_name:
            return None
        tags.read(cursor, walk.dialect, offset, blobs.versions_name)
        size: i64 = tags.size_and_index & 0xFFFFFFFF
        if size < 4 or size > LARGEST_VERSIONS or size > cursor.remaining():
            return b""
        cursor.skip(4)
        return cursor.take(size - 4)
    except (DamagedSave, LimitExceeded, UnsupportedSave) as error:
        if error is cursor.fault:
            raise
    # What is there is no array of bytes. The walk comes to it next, and says what is wrong.
    return None
