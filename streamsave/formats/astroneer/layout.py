"""Values and structs as Astroneer writes them: names are indexes into the pool, objects are indexes into the instance pool.

An actor record:

| field | type | |
|---|---|---|
| object | i32 | |
| children | i32 n, n times: i32 name, i32 actor | |
| components | i32 n, n times: i32 name, i32 object | |
| transform | 4 f32 rotation, 3 f32 translation, 3 f32 scale | |

A record of a player controller: `u32 actor`, `u32 last pawn` (an object), `u64 network_uuid`.
"""

from __future__ import annotations

from struct import Struct as Numbers
from typing import Any, Final

from streamsave._native import i64
from streamsave.decode.codecs import F32, I32, U8, U64, Array, BuildContext, Codec, Struct, list_of
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.astroneer.instances import InstanceTable
from streamsave.formats.astroneer.reference_encoder import encode_reference, index_of
from streamsave.formats.astroneer.references import ASSET, NOTHING, ActorReference, InstanceReference
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.gvas.structs import MULTICAST_TYPES, PATH_TYPES, make_dialect
from streamsave.formats.unreal.dialect import Dialect
from streamsave.input.inflate import INFLATE_ERRORS, fast_zlib, inflate_some
from streamsave.values import Delegate, Guid, Transform

__all__ = ["DEFLATED", "LEAST_ACTOR", "PROPERTIES_END", "UNKNOWN_RECORDS_8", "UNKNOWN_RECORDS_18", "LevelLayout", "PoolCodec"]

#: Rotation, translation, scale.
TRANSFORM: Final = Numbers("<10f")
#: Bytes of an actor record without children and components.
LEAST_ACTOR: Final = 52
#: Bytes of an inflated voxel block that are made at a time.
PIECE_SIZE: Final = 64 * 1024


def instance_index(value: object, table: InstanceTable) -> i64:
    """Return the index of an object that a reference leads to.

    Raises:
        EditError: see `index_of`.
    """
    return index_of(value, table.level_name, table.path, table.find, InstanceReference)


class PoolName(Codec):
    """A name by its index: unlike a name as a string, of one size."""

    def __init__(self) -> None:
        super().__init__("name", 4, 4)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return cursor.name()

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.name(value)


class InstanceCodec(Codec):
    """An index into the instance pool; -1 is no object."""

    def __init__(self, table: InstanceTable) -> None:
        super().__init__("object", 4, 4)
        self._table = table

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        index = cursor.i32()
        context.spend(1, 0)
        if index == NOTHING:
            return InstanceReference("", "", NOTHING)
        return InstanceReference(self._table.level_name, self._table.path(index), int(index))

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.i32(instance_index(value, self._table))


class ReferenceCodec(Codec):
    """What a property refers to: an index into the instance pool, or -3 and the name of an asset."""

    def __init__(self, table: InstanceTable) -> None:
        super().__init__("object", -1, 4)
        self._table = table

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        index = cursor.i32()
        context.spend(1, 0)
        if index >= 0:
            return InstanceReference(self._table.level_name, self._table.path(index), int(index))
        if index == ASSET:
            return InstanceReference("", cursor.name(), ASSET)
        if index != NOTHING:
            raise cursor.unsupported("kind of a reference", expected="an index, -1 or -3", actual=int(index))
        return InstanceReference("", "", NOTHING)

    def encode(self, value: object, encoder: Encoder) -> None:
        encode_reference(value, encoder, lambda: instance_index(value, self._table))


class ActorCodec(Codec):
    """An index among the actor records; -1 is no actor."""

    def __init__(self, table: InstanceTable) -> None:
        super().__init__("actor", 4, 4)
        self._table = table

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        actor = cursor.i32()
        context.spend(1, 0)
        if actor == NOTHING:
            return ActorReference("", "", NOTHING)
        return ActorReference(self._table.level_name, self._table.actor_path(actor), int(actor))

    def encode(self, value: object, encoder: Encoder) -> None:
        table = self._table
        encoder.i32(index_of(value, table.level_name, table.actor_path, table.find_actor, ActorReference))


class TransformCodec(Codec):
    """A place of floats."""

    def __init__(self) -> None:
        super().__init__("Transform3f", TRANSFORM.size, TRANSFORM.size)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        context.spend(10, 0)
        numbers = cursor.unpack(TRANSFORM)
        return Transform(numbers[0:4], numbers[4:7], numbers[7:10])

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, Transform):
            raise EditError("not a Transform", value)
        for part, count in ((value.rotation, 4), (value.translation, 3), (value.scale, 3)):
            for number in list_of(list(part), count):
                encoder.f32(number)


class PoolCodec(Codec):
    """The string pool: it has been read when it is announced."""

    def __init__(self, names: list[str]) -> None:
        super().__init__("str[]", -1, 8)
        self._names = names

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        for name in self._names:
            context.spend(1, len(name))
        return list(self._names)


class PropertiesEnd(Codec):
    """What ends a property list that something else follows: the name `None`, `bool32`, a GUID if that is set."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        cursor.name()
        if cursor.remaining() >= 4 and cursor.bool32():
            return Guid(cursor.take(16))
        return None


class Deflated(Codec):
    """One zlib stream; its value is what it inflates to."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        start = cursor.tell()
        inflater: Any = fast_zlib.decompressobj()
        rest = cursor.take(cursor.remaining())
        pieces: list[bytes] = []
        try:
            while rest and not inflater.eof:
                piece = inflate_some(inflater, rest, PIECE_SIZE)
                rest = inflater.unconsumed_tail
                context.spend(0, len(piece))
                pieces.append(piece)
        except INFLATE_ERRORS:
            raise cursor.damaged("no sound zlib stream", offset=start) from None
        if not inflater.eof or inflater.unused_data:
            raise cursor.damaged("a zlib stream of another size", offset=start)
        return b"".join(pieces)


POOL_NAME: Final[Codec] = PoolName()
TRANSFORM_3F: Final[Codec] = TransformCodec()
PROPERTIES_END: Final[Codec] = PropertiesEnd("Guid?", -1, 4)
DEFLATED: Final[Codec] = Deflated("zlib", -1, 0)

#: Records after the voxel blocks, of unknown meaning.
UNKNOWN_RECORDS_8: Final[Codec] = Array(Struct("UnknownRecord8", None, first=I32, second=I32))
UNKNOWN_RECORDS_18: Final[Codec] = Array(
    Struct("UnknownRecord18", None, first=F32, second=F32, third=F32, fourth=F32, fifth=U8, sixth=U8)
)

#: Its parts are the index of an entity, a counter and the index of a container; which is which is unknown.
DATUM: Final = Struct("AstroDatumRef", None, first=I32, second=I32, third=I32)


class LevelLayout:
    """The layouts of one level: what is in them refers to its own pools."""

    def __init__(self, header: GvasHeader, table: InstanceTable) -> None:
        instance = InstanceCodec(table)
        actor = ActorCodec(table)
        #: The values of an actor record: announced one by one, since lists may be long.
        self.actor_members: list[tuple[str, Codec]] = [
            ("object", instance),
            ("children", Array(Struct("Child", None, name=POOL_NAME, actor=actor))),
            ("components", Array(Struct("Component", None, name=POOL_NAME, object=instance))),
            ("transform", TRANSFORM_3F),
        ]
        self.root_actors = Array(actor)
        self.player_controllers = Array(Struct("PlayerController", None, actor=actor, last_pawn=instance, network_uuid=U64))
        self.dialect = level_dialect(header, ReferenceCodec(table))


def level_dialect(header: GvasHeader, reference: Codec) -> Dialect:
    """Make the dialect of the properties: that of the save game, but for names and objects."""
    dialect = make_dialect(header)
    delegate = Struct("Delegate", Delegate, object=reference, function=POOL_NAME)
    dialect.types |= dict.fromkeys(PATH_TYPES, reference)
    dialect.types |= dict.fromkeys(MULTICAST_TYPES, Array(delegate))
    dialect.types["DelegateProperty"] = delegate
    dialect.structs["AstroDatumRef"] = DATUM
    return dialect
