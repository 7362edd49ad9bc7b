"""Satisfactory saves of several chunks."""

import random

from saves import chunks_of
from writer.primitives import Ref
from writer.satisfactory import Level, Object, World, release_header, save_bytes
from writer.tags import BYTE, INT, STR, Array, Prop


def big_object(number: int, size: int) -> Object:
    """An object of many chunks, with a small property on both sides of the large one."""
    noise = random.Random(number).randbytes(size)
    props = [Prop("mBefore", INT, number), Prop("mFog", Array(BYTE), noise), Prop("mAfter", INT, -number)]
    return Object("/Script/FactoryGame.FGMapManager", f"Persistent_Level:PersistentLevel.MapManager{number}", props)


def big_save(size: int = 400_000, version: int = 52) -> bytes:
    """Two large objects in the persistent level, and one in a streaming level."""
    last = Object("/Script/Oracle.Last", "Persistent_Level:PersistentLevel.Last", [Prop("mLast", STR, "last")])
    levels = [Level("Cell", [big_object(1, size)], [Ref("Cell", "gone")])]
    return save_bytes(World(release_header(version), levels, [big_object(2, size), big_object(3, size), last]))


def damaged_save() -> bytes:
    """A save whose second last chunk, which holds properties, does not inflate."""
    many = [Object("/Script/Oracle.Many", f"Many{number}", [Prop("mStr", STR, "x" * 900)]) for number in range(500)]
    data = bytearray(save_bytes(World(release_header(52), objects=many)))
    chunks = chunks_of(bytes(data))
    assert len(chunks) == 5
    place = chunks[-2].payload_offset
    data[place : place + 2] = b"\xff\xff"
    return bytes(data)
