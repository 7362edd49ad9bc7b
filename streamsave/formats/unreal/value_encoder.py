"""Python values -> the bytes of tags that are leaves: the reverse of `value_decoder`."""

from __future__ import annotations

from streamsave.decode.codecs import NAME, U8, Array, Codec, Map, Optional, encode_each, list_of
from streamsave.decode.encoder import Encoder
from streamsave.decode.reader import Reader
from streamsave.errors import EditError
from streamsave.events import PropertyTag
from streamsave.formats.unreal.struct_guesses import StructGuesses
from streamsave.formats.unreal.tag_lengths import inner_size_offset
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.formats.unreal.tags import STRUCT
from streamsave.values import ContainerDelta

__all__ = ["encode_value"]

BYTE = "ByteProperty"


def encode_value(
    reader: Reader, tags: TagReader, guesses: StructGuesses, tag: PropertyTag, value: object, encoder: Encoder
) -> None:
    """Write the value of a tag; of a bool nothing, as its value is in the tag.

    Args:
        reader: whose last tag it is.
        tags: has read it.
        guesses: which structs are in sets.
        tag: the tag.
        value: as `ValueDecoder.value` returns it.
        encoder: takes the bytes.

    Raises:
        EditError: the value does not fit there, or can only be replaced as bytes.
    """
    kind = tag.type
    dialect = tags.dialect
    if kind == "BoolProperty":
        if not isinstance(value, bool):
            raise EditError("not a bool", value)
        return
    if kind == BYTE:
        if tag.size == 1 and tag.type_name in {"", "None"}:
            encoder.u8(value)
        else:
            _byte_codec(tags, tag.type_name, [value]).encode(value, encoder)
        return
    if kind == STRUCT:
        _known(dialect.struct(tag.type_name, tag.size), tag.type_name).encode(value, encoder)
        return
    if kind == "ArrayProperty":
        if tag.inner_type == BYTE and isinstance(value, bytes):
            encoder.count(len(value))
            encoder.put(value)
        elif tag.inner_type == STRUCT:
            _encode_structs(reader, tags, tag, list_of(value), encoder)
        else:
            Array(NAME if tag.inner_type == BYTE else _element(tags, tag.inner_type)).encode(value, encoder)
        return
    if kind == "OptionalProperty":
        struct = dialect.struct(tag.type_name, tag.size - 4) if tag.inner_type == STRUCT else None
        inner = _byte_codec(tags, tag.type_name, [value]) if tag.inner_type == BYTE else struct or _element(tags, tag.inner_type)
        Optional(inner).encode(value, encoder)
        return
    if kind == "SetProperty":
        removed, added = _parts(value)
        if tag.inner_type == STRUCT:
            element = _known(guesses.struct_codec(reader, "element", tag.type_name), tag.type_name)
        elif tag.inner_type == BYTE:
            element = _byte_codec(tags, tag.type_name, [*removed, *added])
        else:
            element = _element(tags, tag.inner_type)
        Array(element).encode(removed, encoder)
        Array(element).encode(added, encoder)
        return
    if kind == "MapProperty":
        removed, added = _parts(value)
        pairs = [pair for pair in added if isinstance(pair, tuple) and len(pair) == 2]
        key = _side(tags, tag.inner_type, [*removed, *[pair[0] for pair in pairs]])
        Array(key).encode(removed, encoder)
        Map(key, _side(tags, tag.value_type, [pair[1] for pair in pairs])).encode(added, encoder)
        return
    _element(tags, kind).encode(value, encoder)


def _encode_structs(reader: Reader, tags: TagReader, tag: PropertyTag, values: list[object], encoder: Encoder) -> None:
    """Write an array of binary structs: `i32 count`, the inner tag of an old tag, elements."""
    cursor = reader.cursor.fork()
    cursor.set_limit(tag.value_offset + tag.size)
    cursor.seek(tag.value_offset)
    count = cursor.i32()
    tags.use(tag)
    struct = tags.read_inner(cursor)
    content = cursor.tell()
    codec = _known(tags.dialect.struct(struct, cursor.remaining() // count if count > 0 else -1), f"array of {struct}")
    elements = reader.encoder()
    encode_each(codec, values, elements)
    encoder.count(len(values))
    inner = inner_size_offset(tag.value_offset, content, cursor)
    if inner >= 0:
        cursor.seek(tag.value_offset + 4)
        encoder.put(cursor.take(inner - tag.value_offset - 4))
        encoder.count(len(elements.data))
        cursor.seek(inner + 4)
        encoder.put(cursor.take(content - inner - 4))
    encoder.put(bytes(elements.data))


def _parts(value: object) -> tuple[list[object], list[object]]:
    """Return what a set or map removes, and what it has or adds."""
    if isinstance(value, ContainerDelta):
        return value.removed, value.added
    return [], list_of(value)


def _side(tags: TagReader, kind: str, values: list[object]) -> Codec:
    """Return the codec of the keys or values of a map."""
    return _byte_codec(tags, "", values) if kind == BYTE else _element(tags, kind)


def _byte_codec(tags: TagReader, enum: str, values: list[object]) -> Codec:
    """Return the codec of bytes: numbers, or names of an enum's values. The values show it."""
    if values:
        return NAME if isinstance(values[0], str) else U8
    return NAME if tags.dialect.new_tags and enum else U8


def _element(tags: TagReader, kind: str) -> Codec:
    return _known(tags.dialect.scalar(kind), kind)


def _known(codec: Codec | None, name: str) -> Codec:
    if codec is None:
        raise EditError(f"a value of type {name} can only be replaced as bytes")
    return codec
