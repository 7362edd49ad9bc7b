"""Values as Astroneer writes them."""

import struct
import zlib

import pytest
from cursors import cursor_over
from unreal_walks import dialect
from writer.primitives import i32, u32

from streamsave import DamagedSave, LimitExceeded, Limits, UnsupportedSave
from streamsave.decode.codecs import Codec
from streamsave.formats.astroneer.instances import ActorReference, InstanceReference, InstanceTable
from streamsave.formats.astroneer.layout import DEFLATED, PROPERTIES_END, TERRAIN, IndexCodec, LevelLayout
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.gvas.structs import MULTICAST_TYPES, PATH_TYPES
from streamsave.formats.unreal.pool import PoolCursor
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.values import Delegate, Guid, Transform

NAMES = ["None", "Rover", "/Game/Thing"]
HEADER = GvasHeader(2, 514, None, (4, 18, 2), 0, "", 3, [], "AstroSave")
TABLE = InstanceTable("Level", NAMES, Limits())
LAYOUT = LevelLayout(HEADER, TABLE)


def decoded(codec: Codec, data: bytes, limits: Limits | None = None) -> object:
    limits = Limits() if limits is None else limits
    cursor = PoolCursor(cursor_over(data).windows, limits)
    cursor.set_limit(len(data))
    cursor.names = NAMES
    value = codec.decode(cursor, UnrealReader(cursor, dialect()))
    assert cursor.remaining() == 0
    return value


ACTOR = dict(LAYOUT.actor_members)
REFERENCES = [
    (i32(-1), InstanceReference("", "", -1)),
    (i32(-3) + i32(2), InstanceReference("", "/Game/Thing", -3)),
    (i32(7), InstanceReference("Level", "#7", 7)),
]
DATUM = {"slot": 1, "id": 2, "container": InstanceReference("Level", "#7", 7)}
ROWS = [
    *((LAYOUT.dialect.types[name], data, value) for name in PATH_TYPES for data, value in REFERENCES),
    (LAYOUT.dialect.types["DelegateProperty"], i32(-1) + i32(1), Delegate(InstanceReference("", "", -1), "Rover")),
    *(
        (LAYOUT.dialect.types[name], i32(1) + i32(-1) + i32(1), [Delegate(InstanceReference("", "", -1), "Rover")])
        for name in MULTICAST_TYPES
    ),
    (LAYOUT.dialect.structs["AstroDatumRef"], i32(1) + i32(2) + i32(7), DATUM),
    (ACTOR["object"], i32(-1), InstanceReference("", "", -1)),
    (ACTOR["object"], i32(7), InstanceReference("Level", "#7", 7)),
    (ACTOR["children"], i32(1) + i32(1) + i32(5), [{"name": "Rover", "actor": ActorReference("Level", "#5", 5)}]),
    (ACTOR["components"], i32(1) + i32(1) + i32(-1), [{"name": "Rover", "object": InstanceReference("", "", -1)}]),
    (ACTOR["transform"], struct.pack("<10f", *range(10)), Transform((0.0, 1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0))),
    (LAYOUT.root_actors, i32(1) + i32(-1), [ActorReference("", "", -1)]),
    (
        LAYOUT.player_controllers,
        i32(1) + i32(-1) + i32(-1) + struct.pack("<Q", 9),
        [{"actor": ActorReference("", "", -1), "last_pawn": InstanceReference("", "", -1), "network_uuid": 9}],
    ),
    (PROPERTIES_END, i32(0), None),
    (PROPERTIES_END, i32(0) + u32(0), None),
    (PROPERTIES_END, i32(0) + u32(1) + bytes(range(16)), Guid(bytes(range(16)))),
    (DEFLATED, zlib.compress(b"voxels"), b"voxels"),
    (TERRAIN.members[3], i32(1) + i32(2) + i32(3), [{"first": 2, "second": 3}]),
    (
        TERRAIN.members[4],
        i32(1) + struct.pack("<4f2B", 1, 2, 3, 4, 5, 6),
        [{"first": 1.0, "second": 2.0, "third": 3.0, "fourth": 4.0, "fifth": 5, "sixth": 6}],
    ),
]


@pytest.mark.parametrize(("codec", "data", "value"), ROWS)
def test_values(codec, data, value):
    assert decoded(codec, data) == value


@pytest.mark.parametrize("index", [-2, -4])
def test_unknown_references(index):
    with pytest.raises(UnsupportedSave, match="kind of a reference"):
        decoded(IndexCodec(TABLE, has_assets=True), i32(index))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no zlib at all", "no sound zlib stream"),
        (zlib.compress(b"voxels")[:-1], "another size"),
        (zlib.compress(b"voxels") + b"\0", "another size"),
    ],
)
def test_zlib_streams_that_are_not_sound(data, message):
    with pytest.raises(DamagedSave, match=message):
        decoded(DEFLATED, data)


def test_zlib_streams_are_counted():
    data = zlib.compress(bytes(1000))
    assert decoded(DEFLATED, data, Limits(build_size=1000)) == bytes(1000)
    with pytest.raises(LimitExceeded, match="build_size"):
        decoded(DEFLATED, data, Limits(build_size=999))
