"""Hypothesis: properties, objects and worlds as the writer takes them."""

from typing import Any

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from writer import structs, tags, text
from writer.dialect import Dialect
from writer.primitives import Ref
from writer.satisfactory import RELEASES, SAVE_VERSION_LEVELS, SAVE_VERSION_VERSION_DATA, Level, Object, VersionData, World
from writer.satisfactory import release_header as head_of

#: One SaveVersion for each layout, and both kinds of tags for the newest.
VERSIONS = (25, 29, 36, 41, 46, 52, 53, 58, max(RELEASES))

Kind = tags.PropType[Any]
Typed = tuple[Kind, SearchStrategy[Any]]

#: What Unreal's strings can hold: any text but the NUL, which ends it. Surrogates are none.
words = st.text(st.characters(exclude_characters="\0", codec="utf-16"), max_size=12)
#: Names of properties: what only a name and then a type can be taken for.
names = st.from_regex(r"m[A-Za-z0-9_]{0,8}", fullmatch=True)
singles = st.floats(width=32, allow_nan=False)
reals = st.floats(allow_nan=False)
guids = st.binary(min_size=16, max_size=16)
refs = st.builds(Ref, st.sampled_from(["", "Persistent_Level"]), words)
soft_paths = st.builds(tags.SoftPath, words, words, words)


def integers(bits: int, *, signed: bool) -> SearchStrategy[int]:
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) if signed else st.integers(0, (1 << bits) - 1)


def texts() -> SearchStrategy[text.FText]:
    """Texts of every history, one in another."""
    flags = integers(32, signed=False)
    numbers = st.one_of(
        st.builds(text.Argument, words, st.just(text.ARGUMENT_I64), integers(64, signed=True)),
        st.builds(text.Argument, words, st.just(text.ARGUMENT_U64), integers(64, signed=False)),
        st.builds(text.Argument, words, st.just(text.ARGUMENT_F32), singles),
        st.builds(text.Argument, words, st.just(text.ARGUMENT_F64), reals),
        st.builds(text.Argument, words, st.just(text.ARGUMENT_GENDER), integers(32, signed=True)),
    )
    small, digits = integers(8, signed=True), st.tuples(*[integers(32, signed=True)] * 2)
    options = st.builds(text.NumberOptions, st.booleans(), st.booleans(), small, digits, digits)
    ticks = integers(64, signed=True) | st.integers(0, 10**18)
    plain = st.one_of(
        st.builds(text.PlainText, st.none() | words, flags),
        st.builds(text.BaseText, words, words, words, flags),
        st.builds(text.NumberText, numbers, st.none() | options, words, words, st.sampled_from([4, 5, 6]), flags),
        st.builds(text.MomentText, ticks, small, small, words, words, st.sampled_from([7, 8, 9]), flags),
        st.builds(text.TableText, words, words, flags),
        st.builds(text.GeneratedText, st.sampled_from(["None", "Maker"]), st.binary(max_size=9), flags),
        st.builds(text.RawText, words, flags),
    )

    def nested(inner: SearchStrategy[text.FText]) -> SearchStrategy[text.FText]:
        argument = numbers | st.builds(text.Argument, words, st.just(text.ARGUMENT_TEXT), inner)
        formats = st.builds(text.FormatText, inner, st.lists(argument, max_size=3), st.sampled_from([1, 2, 3]), flags)
        return formats | st.builds(text.TransformText, inner, st.integers(0, 255), flags)

    return st.recursive(plain, nested, max_leaves=4)


#: Types whose values look the same in every Unreal save.
PLAIN: list[Typed] = [
    (tags.INT8, integers(8, signed=True)),
    (tags.INT16, integers(16, signed=True)),
    (tags.INT, integers(32, signed=True)),
    (tags.INT64, integers(64, signed=True)),
    (tags.UINT8, integers(8, signed=False)),
    (tags.UINT16, integers(16, signed=False)),
    (tags.UINT32, integers(32, signed=False)),
    (tags.UINT64, integers(64, signed=False)),
    (tags.FLOAT, singles),
    (tags.DOUBLE, reals),
    (tags.BOOL, st.booleans()),
    (tags.BYTE, integers(8, signed=False)),
    (tags.Enum("ENodePuritySettings"), words),
    (tags.STR, words),
    (tags.NAME, words),
]

SCALARS: list[Typed] = [
    *PLAIN,
    (tags.byte_enum("EResourcePurity"), words),
    (tags.OBJECT, refs),
    (tags.INTERFACE, refs),
    (tags.SOFT_OBJECT, soft_paths),
    (tags.TEXT, texts()),
]

#: An enum in a byte is one byte or a name: the tag's size says which, and an element of a container has none.
ELEMENTS = [typed for typed in SCALARS if typed[0].name != "ByteProperty" or typed[0] == tags.BYTE]


def vectors(size: int) -> SearchStrategy[tuple[float, ...]]:
    return st.tuples(*[singles] * size)


def traces() -> SearchStrategy[structs.Trace]:
    end = st.builds(structs.Trace, refs, st.none(), st.none() | words)
    return st.recursive(end, lambda before: st.builds(structs.Trace, refs, before, st.none() | words), max_leaves=3)


def fixed_structs() -> list[Typed]:
    """Binary structs that all have the same size: the engine's, the game's, and those of mods."""
    ints = integers(32, signed=True)
    return [
        (structs.COLOR, st.binary(min_size=4, max_size=4)),
        (structs.LINEAR_COLOR, vectors(4)),
        (structs.GUID, guids),
        (structs.INT_POINT, st.tuples(ints, ints)),
        (structs.INT_VECTOR, st.tuples(ints, ints, ints)),
        (structs.DATE_TIME, integers(64, signed=True)),
        (structs.VECTOR2D, vectors(2)),
        (structs.VECTOR, vectors(3)),
        (structs.ROTATOR, vectors(3)),
        (structs.QUAT, vectors(4)),
        (structs.VECTOR4, vectors(4)),
        (structs.BOX, st.builds(structs.Bounds, vectors(3), vectors(3), st.booleans())),
        (structs.INT_VECTOR4, st.tuples(ints, ints, ints, ints)),
        (structs.FLUID_BOX, singles),
        (structs.VECTOR4D, vectors(4)),
        (structs.BOX3F, st.builds(structs.Bounds, vectors(3), vectors(3), st.booleans())),
        (structs.PLAYER_HANDLE, st.builds(structs.PlayerHandle, st.integers(0, 255), st.integers(0, 255))),
        (structs.FIN_PIXEL, st.binary(min_size=34, max_size=34)),
        (structs.FIC_FRAME_RANGE, st.tuples(integers(64, signed=True), integers(64, signed=True))),
        (structs.LB_INDEXING, st.tuples(ints, ints, ints)),
    ]


def loose_structs(dialect: Dialect, props: SearchStrategy[list[tags.Prop[Any]]]) -> list[Typed]:
    """Binary structs whose size depends on what is in them."""
    dynamics = st.builds(structs.DynamicStruct, refs, props)
    if dialect.item_state_structs:
        items = st.builds(structs.Item, refs, st.none() | dynamics)
    else:
        items = st.builds(structs.Item, refs, st.none(), refs)
    accounts = st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=9)), max_size=3)
    ids = st.one_of(
        st.builds(structs.UniqueNetId, st.just(0x19), st.binary(max_size=12)),
        st.builds(structs.UniqueNetId, st.just(0xF1), st.binary(max_size=40), st.integers(0, 255)),
        st.builds(structs.UniqueNetId, st.just(0xF8), type_name=words, contents=words),
        st.builds(structs.UniqueNetId, st.just(0x08), contents=words),
        st.builds(structs.UniqueNetId, st.just(0x03)),
    )
    return [
        (structs.TRACK_POSITION, st.builds(structs.TrackPosition, refs, singles, singles)),
        (structs.INVENTORY_ITEM, items),
        (structs.CLIENT_IDENTITY, st.builds(structs.ClientIdentity, words, accounts)),
        (structs.UNIQUE_NET_ID, ids),
        (structs.SLATE_BRUSH, words),
        (structs.SOFT_CLASS_PATH, soft_paths),
        (structs.SOFT_OBJECT_PATH, soft_paths),
        (structs.FIN_TRACE, traces()),
        (structs.FIR_TRACE, traces()),
    ]


def typed_values(dialect: Dialect, depth: int = 2) -> SearchStrategy[tuple[Kind, Any]]:
    """A property type and a value of it: scalars, structs, containers of both, property lists `depth` deep."""
    props = property_lists(dialect, depth - 1) if depth > 0 else st.just([])
    fields = (tags.Fields("OracleFields", "/Script/Oracle"), props)
    fixed, loose = fixed_structs(), loose_structs(dialect, props)
    # Before the new tags, nothing gives the type of a struct in a map or set: there a list is distinguished from a GUID.
    bare = [*fixed, fields] if dialect.new_tags else [(structs.GUID, guids), fields]
    keys = st.sampled_from([*ELEMENTS, *bare])
    return st.one_of(
        values_of([*SCALARS]),
        values_of([*fixed, *loose, fields]),
        st.sampled_from([*ELEMENTS, *fixed, *loose, fields]).flatmap(_in_array),
        keys.flatmap(_in_set),
        st.tuples(keys, keys).flatmap(_in_map),
    )


def values_of(kinds: list[Typed]) -> SearchStrategy[tuple[Kind, Any]]:
    """One of these types, and a value of it."""
    return st.sampled_from(kinds).flatmap(lambda typed: st.tuples(st.just(typed[0]), typed[1]))


def _in_array(typed: Typed) -> SearchStrategy[tuple[Kind, Any]]:
    if typed[0] == tags.BYTE:
        return st.tuples(st.just(tags.Array(tags.BYTE)), st.binary(max_size=20))
    return st.tuples(st.just(tags.Array(typed[0])), st.lists(typed[1], max_size=3))


def _in_set(typed: Typed) -> SearchStrategy[tuple[Kind, Any]]:
    """Elements are distinct, and so are keys: no two that take no bytes."""
    return st.tuples(st.just(tags.Set(typed[0])), _changes(typed[1], st.lists(typed[1], max_size=3, unique_by=repr)))


def _in_map(typed: tuple[Typed, Typed]) -> SearchStrategy[tuple[Kind, Any]]:
    (key, keys), (value, values) = typed
    pairs = st.lists(st.tuples(keys, values), max_size=3, unique_by=lambda pair: repr(pair[0]))
    return st.tuples(st.just(tags.Map(key, value)), _changes(keys, pairs))


def _changes(removed: SearchStrategy[Any], added: SearchStrategy[list[Any]]) -> SearchStrategy[list[Any] | tags.Delta[Any, Any]]:
    """What is in a set or map; rarely it removes something, too."""
    return added | st.builds(tags.Delta, st.lists(removed, min_size=1, max_size=2, unique_by=repr), added)


@st.composite
def properties(draw: st.DrawFn, dialect: Dialect, depth: int = 2) -> tags.Prop[Any]:
    kind, value = draw(typed_values(dialect, depth))
    return tags.Prop(draw(names), kind, value, draw(st.sampled_from([0, 0, 0, 1, 7])), draw(st.none() | st.none() | guids))


def property_lists(dialect: Dialect, depth: int = 2) -> SearchStrategy[list[tags.Prop[Any]]]:
    """A property list; a name may come twice, with another index."""
    return st.lists(properties(dialect, depth), max_size=4, unique_by=lambda prop: (prop.name, prop.index))


def data_of(save_version: int) -> VersionData | None:
    return VersionData() if save_version >= SAVE_VERSION_VERSION_DATA else None


def dialect_of(save_version: int) -> Dialect:
    data = data_of(save_version)
    return Dialect(save_version) if data is None else Dialect(save_version, data.ue5)


@st.composite
def objects(draw: st.DrawFn, dialect: Dialect, level: str = "Persistent_Level") -> Object:
    """An actor or a component, without a trailer. The names of an actor's components begin with its own, as in all real saves."""
    actor = draw(st.booleans())
    name = draw(words)
    return Object(
        "/Script/Oracle.OracleObject",
        name,
        draw(property_lists(dialect)),
        outer=None if actor else draw(words),
        transform=draw(vectors(10)),
        owner=draw(refs),
        components=[Ref(level, f"{name}.{part}") for part in draw(st.lists(words, max_size=3))],
        level=level,
        flags=draw(integers(32, signed=False)),
        need_transform=draw(st.booleans()),
        placed_in_level=draw(st.booleans()),
    )


@st.composite
def worlds(draw: st.DrawFn, save_version: int | None = None) -> World:
    """A world: streaming levels with and without objects, destroyed actors, what its version has."""
    version = draw(st.sampled_from(VERSIONS)) if save_version is None else save_version
    dialect, data = dialect_of(version), data_of(version)
    world = World(head_of(version), version_data=data, objects=draw(st.lists(objects(dialect), max_size=3)))
    world.header = evolve(world.header, save_name=draw(words), session_name=draw(words))
    if version >= SAVE_VERSION_LEVELS:
        for number in range(draw(st.integers(0, 3))):
            inside = draw(st.lists(objects(dialect, f"Cell{number}"), max_size=2))
            copy = draw(st.none() | st.just([]) | st.lists(refs, max_size=2))
            level = Level(f"Cell{number}", inside, draw(st.lists(refs, max_size=3)), copy, version_data=data)
            world.levels = [*world.levels, level]
        world.unresolved = draw(st.none() | st.lists(refs, max_size=2))
    world.destroyed = draw(st.lists(st.tuples(words, st.lists(refs, max_size=2)), max_size=2))
    return world


@st.composite
def damaged_objects(draw: st.DrawFn) -> tuple[World, int, float, bytes]:
    """A world with objects; of one of them: which, where in its data, and what is there instead."""
    world = draw(worlds())
    dialect = dialect_of(world.header.save_version)
    world.objects = [*world.objects, *draw(st.lists(objects(dialect), min_size=1, max_size=3))]
    count = len(world.objects) + sum(len(level.objects) for level in world.levels)
    place = draw(st.integers(0, count - 1)), draw(st.floats(0, 1, exclude_max=True))
    return world, *place, draw(st.binary(min_size=1, max_size=8))


def flips() -> SearchStrategy[list[tuple[float, int]]]:
    """Bytes of a file that become others: where, as a part of the file, and which bits turn."""
    return st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=4)
