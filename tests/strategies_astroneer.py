"""Hypothesis: saves of Astroneer, as the writer takes them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from strategies import guids, integers, names, reals, singles, vectors, words
from writer.astroneer import (
    BOOL,
    BYTE,
    DOUBLE,
    FLAG_ACTOR,
    FLAG_MANAGER,
    FLAG_NATIVE,
    FLOAT,
    INT,
    NAME,
    OBJECT,
    STR,
    TERRAIN_CLASS,
    UINT32,
    UINT64,
    Actor,
    Instance,
    Level,
    Prop,
    Save,
    Terrain,
    Type,
    array,
    enum,
    map_of,
    new_enum,
    set_of,
    struct_of,
)

from streamsave.values import Color, DateTime, Guid, LinearColor, Opaque, Quat, Rotator, Vector

#: Bytes of no known layout start with what is no index of a name: what is one may start a property list.
opaque = st.binary(max_size=12).map(lambda data: b"\xff\xff\xff\xff" + data)
custom = st.none() | st.binary(min_size=1, max_size=12)
#: Properties of what an object has that is unknown: most refer to the first few.
references = st.integers(-1, 5) | words


@frozen
class Binary:
    """A struct with a binary layout: how its numbers are written, and what is read of them."""

    numbers: SearchStrategy[tuple[Any, ...]]
    layout: str
    make: Callable[..., object]


def datum(*numbers: int) -> dict[str, int]:
    """Three numbers without names."""
    return dict(zip(("first", "second", "third"), numbers, strict=True))


BINARY: dict[str, Binary] = {
    "Vector": Binary(vectors(3), "<3f", Vector),
    "Rotator": Binary(vectors(3), "<3f", Rotator),
    "Quat": Binary(vectors(4), "<4f", Quat),
    "LinearColor": Binary(vectors(4), "<4f", LinearColor),
    "Color": Binary(st.tuples(*[integers(8, signed=False)] * 4), "<4B", Color),
    "Guid": Binary(st.tuples(guids), "<16s", Guid),
    "DateTime": Binary(st.tuples(integers(64, signed=True)), "<q", DateTime),
    "AstroDatumRef": Binary(st.tuples(*[integers(32, signed=True)] * 3), "<3i", datum),
}

Typed = tuple[Type, SearchStrategy[Any]]

PLAIN: list[Typed] = [
    (INT, integers(32, signed=True)),
    (UINT32, integers(32, signed=False)),
    (UINT64, integers(64, signed=False)),
    (FLOAT, singles),
    (DOUBLE, reals),
    (BYTE, integers(8, signed=False)),
    (BOOL, st.booleans()),
    (NAME, words),
    (STR, words),
    (OBJECT, references),
    (enum("EMode"), words),
    (new_enum("EState"), words),
]


def binary_struct(name: str) -> Typed:
    """A struct with a binary layout, as bytes."""
    return struct_of(name), BINARY[name].numbers.map(lambda numbers: struct.pack(BINARY[name].layout, *numbers))


def read_struct(name: str, data: bytes) -> object:
    """What is read of a struct's bytes."""
    if name not in BINARY:
        return Opaque(data, f"unknown struct {name}")
    return BINARY[name].make(*struct.unpack(BINARY[name].layout, data))


@st.composite
def typed_values(draw: st.DrawFn, depth: int = 2) -> tuple[Type, Any]:
    """A type and a value of it."""
    fields: Typed = (struct_of("RepState"), property_lists(depth - 1) if depth else st.just([]))
    structs = [*map(binary_struct, BINARY), fields]
    shape = draw(st.sampled_from(["plain", "struct", "array", "set", "map"]))
    if shape == "plain":
        kind, values = draw(st.sampled_from(PLAIN))
        return kind, draw(values)
    if shape == "struct":
        kind, values = draw(st.sampled_from([*structs, (struct_of("AttachmentState"), opaque)]))
        return kind, draw(values)
    if shape == "array":
        kind, values = draw(st.sampled_from([*PLAIN, *structs]))
        # Of an empty array nothing distinguishes bytes from names of an enum's values.
        least = int(kind.type == "ByteProperty" and bool(kind.name))
        return array(kind), draw(st.lists(values, min_size=least, max_size=3))
    # What is in sets and maps does not say which struct it is: indexes of names do, where it is a property list.
    key, keys = draw(st.sampled_from([*PLAIN, fields]))
    if shape == "set":
        return set_of(key), draw(st.lists(keys, max_size=3))
    # A byte and an index of a name have the same size as an index of a name and a byte: they look alike.
    both = [
        typed for typed in [*PLAIN, fields] if typed[0].type != "ByteProperty" or key.type != "ByteProperty" or typed[0] == key
    ]
    kind, values = draw(st.sampled_from(both))
    return map_of(key, kind), draw(st.lists(st.tuples(keys, values), max_size=3))


@st.composite
def properties(draw: st.DrawFn, depth: int = 2) -> Prop:
    """A property."""
    kind, value = draw(typed_values(depth))
    # If what is 16 bytes before the end of a value looks like a property, the GUID before the value is taken for a part of it.
    has_guid = kind.type not in {"ArrayProperty", "MapProperty", "SetProperty", "StructProperty"}
    guid = draw(st.none() | st.none() | guids) if has_guid else None
    return Prop(draw(names), kind, value, draw(st.sampled_from([0, 0, 0, 1, 7])), guid)


def property_lists(depth: int = 2) -> SearchStrategy[list[Prop]]:
    """A property list; a name may come twice, with another index."""
    return st.lists(properties(depth), max_size=4, unique_by=lambda prop: (prop.name, prop.index))


#: With resync, a scale next to zero is taken for an index that is out of place.
scales = st.tuples(*[st.floats(width=32, allow_nan=False, allow_subnormal=False)] * 3)
terrains = st.builds(
    Terrain,
    integers(32, signed=True),
    st.lists(st.tuples(integers(64, signed=True), st.binary(max_size=40)), max_size=2),
    st.lists(st.tuples(integers(32, signed=True), integers(32, signed=True)), max_size=2),
    st.lists(st.tuples(*[singles] * 4, integers(8, signed=False), integers(8, signed=False)), max_size=2),
)


@st.composite
def instances(draw: st.DrawFn, index: int) -> Instance:
    """An object; those that it may be in come before it."""
    terrain = draw(st.none() | st.none() | terrains)
    is_list = terrain is not None or draw(st.integers(0, 5)) > 0
    return Instance(
        draw(words.map(lambda name: f"/Script/{name}")) if terrain is None else TERRAIN_CLASS,
        draw(words),
        draw(property_lists()) if is_list else None,
        outer=draw(st.integers(-1, index - 1)),
        save_flags=draw(st.sampled_from([0, 1, FLAG_ACTOR, FLAG_NATIVE, FLAG_MANAGER, FLAG_ACTOR | FLAG_NATIVE])),
        object_flags=draw(integers(32, signed=False)),
        data=draw(st.just(b"") | opaque),
        custom=draw(custom),
        guid=draw(st.none() | guids) if is_list else None,
        terrain=terrain,
    )


def children(parents: list[int], parent: int) -> list[int]:
    """Return the actors that are in one; -1: in none."""
    return [actor for actor, each in enumerate(parents) if each == parent]


@st.composite
def levels(draw: st.DrawFn, most: int = 4) -> Level:
    """A level: objects, records of actors, and what they refer to."""
    count = draw(st.integers(0, most))
    objects = [draw(instances(index)) for index in range(count)]
    actor_count = draw(st.integers(0, 3))
    # Each actor is a root, or in one other.
    parents = [draw(st.integers(-1, actor_count - 1)) for _ in range(actor_count)]
    nothing = st.lists(st.just(-1), max_size=1)
    found = st.integers(-1, count - 1)
    records = [
        Actor(
            draw(found),
            [(draw(words), child) for child in [*children(parents, actor), *draw(nothing)]],
            draw(st.lists(st.tuples(words, found), max_size=2)),
            (*draw(vectors(7)), *draw(scales)),
        )
        for actor in range(actor_count)
    ]
    roots = draw(st.permutations([*children(parents, -1), *draw(nothing)]))
    return Level(objects, records, roots, draw(integers(32, signed=False)), draw(integers(32, signed=False)))


@st.composite
def saves(draw: st.DrawFn) -> Save:
    """A whole save, of both layouts."""
    level = draw(levels())
    controllers = st.tuples(
        st.integers(0, max(len(level.actors) - 1, 0)), st.integers(0, max(len(level.objects) - 1, 0)), integers(64, signed=False)
    )
    return Save(
        level,
        draw(st.lists(controllers, max_size=2)),
        draw(st.lists(st.tuples(levels(2), integers(64, signed=False)), max_size=1)),
        # What a level's name starts with decides between the layouts.
        draw(st.from_regex(r"/[A-Za-z0-9_/]{0,20}", fullmatch=True)),
        draw(integers(32, signed=False)),
        later=draw(st.booleans()),
        behind=draw(st.binary(max_size=5)),
    )
