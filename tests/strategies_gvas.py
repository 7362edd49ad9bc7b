"""Hypothesis: Unreal save games of every era, in every wrapper, as the writer takes them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from strategies import (
    PLAIN,
    Kind,
    Typed,
    arrays_of,
    draw_property,
    engine_structs,
    guids,
    integers,
    maps_of,
    place,
    reals,
    sets_of,
    singles,
    soft_paths,
    texts,
    values_of,
    vectors,
    words,
)
from writer import gvas_values, structs, tags, text
from writer.gvas import (
    ARCHIVE_V2,
    CORE_OBJECT,
    EDITOR_OBJECT,
    FORMAT_ENUMS,
    FORMAT_GUIDS,
    FORMAT_OPTIMIZED,
    FORTNITE_MAIN,
    UE4_CONTAINER_TYPES,
    UE5_RELEASE,
    GameDialect,
    SaveGame,
    archive,
    cnk,
    gswu,
    plm,
    plz,
)
from writer.gvas_samples import ERAS
from writer.primitives import gzipped

from streamsave.formats.gvas.header import MOST_VERSION, NAME

#: Versions of parts of the engine on both sides of each gate.
CUSTOM_VERSIONS = {
    EDITOR_OBJECT: (20, 21, 31, 32, 40),
    UE5_RELEASE: (11, 12, 41),
    FORTNITE_MAIN: (191, 192, 193),
    CORE_OBJECT: (3, 4),
}
#: Headers of each era; older ones, whose texts give less; the newest may have a SaveGameVersion of the game's own.
HEADERS = [
    *(evolve(make(), props=()) for make in ERAS.values()),
    SaveGame(save_game_version=1, ue4=388, engine=(4, 5, 0)),
    SaveGame(save_game_version=1, ue4=421, engine=(4, 5, 0)),
    SaveGame(save_game_version=34, ue5=1012),
]


# --- values ---


def scalars(dialect: GameDialect) -> list[Typed]:
    """Types without elements, but for those that a container gives by the size of all of it."""
    delegates = st.tuples(words, words)
    fields = st.builds(gvas_values.Field, st.lists(words, max_size=3), words)
    return [
        *PLAIN,
        (tags.SOFT_OBJECT, soft_paths),
        (gvas_values.GAME_TEXT, game_texts(dialect)),
        (gvas_values.FIELD_PATH, fields),
        (gvas_values.LAZY_OBJECT, guids),
        (gvas_values.DELEGATE, delegates),
        *((gvas_values.path_type(name), words) for name in gvas_values.PATHS),
        *((gvas_values.multicast(name), st.lists(delegates, max_size=3)) for name in gvas_values.MULTICASTS),
        *((gvas_values.utf8_type(name), words) for name in gvas_values.UTF8_STRINGS),
    ]


#: An enum in a byte, which is one byte or a name.
BYTE_ENUM: Typed = (tags.byte_enum("EKind", "/Script/Game"), words)


def game_texts(dialect: GameDialect) -> SearchStrategy[text.FText]:
    """Texts that the versions can write: of all strings, or without some; of all integers, or of short ones."""
    spelling = dialect.text_spelling
    return texts().filter(lambda one: _is_spelled(one, spelling))


def _is_spelled(one: text.FText, spelling: text.Spelling) -> bool:
    match one:
        case text.PlainText():
            return spelling.tells_invariant or one.text is None
        case text.TransformText():
            return _is_spelled(one.source, spelling)
        case text.FormatText():
            is_wide = spelling.wide_integers or one.history != text.HISTORY_ARGUMENT_FORMAT
            return _is_spelled(one.pattern, spelling) and all(_is_argued(each, spelling, is_wide) for each in one.arguments)
    return True


def _is_argued(argument: text.Argument, spelling: text.Spelling, is_wide: bool) -> bool:
    if isinstance(argument.value, (int, float)):
        least, most = {0: (-(1 << 31), 1 << 31), 1: (0, 1 << 32)}.get(argument.type, (argument.value, argument.value + 1))
        return is_wide or isinstance(argument.value, float) or least <= argument.value < most
    return _is_spelled(argument.value, spelling)


def fixed_structs() -> list[Typed]:
    """Binary structs that all have the same size."""
    ints = integers(32, signed=True)
    doubles = st.tuples(reals, reals, reals, reals)
    return [
        *engine_structs(),
        (gvas_values.TIMESPAN, integers(64, signed=True)),
        (gvas_values.BOX2D, st.builds(gvas_values.Bounds2D, vectors(2), vectors(2), st.booleans())),
        (gvas_values.FRAME_NUMBER, ints),
        (gvas_values.RICH_CURVE_KEY, st.tuples(st.binary(min_size=3, max_size=3), vectors(6))),
        (gvas_values.KEY_HANDLE_MAP, st.none()),
        *((kind, vectors(gvas_values.REALS[name])) for name, kind in gvas_values.REAL_STRUCTS.items()),
        *((kind, vectors(gvas_values.SINGLES[name])) for name, kind in gvas_values.SINGLE_STRUCTS.items()),
        *((kind, _first(doubles, gvas_values.DOUBLES[name])) for name, kind in gvas_values.DOUBLE_STRUCTS.items()),
    ]


def _first(numbers: SearchStrategy[tuple[float, ...]], count: int) -> SearchStrategy[tuple[float, ...]]:
    return numbers.map(lambda all_of_them: all_of_them[:count])


def loose_structs(props: SearchStrategy[list[tags.Prop[Any]]]) -> list[Typed]:
    """Binary structs whose size depends on what is in them."""

    def platforms(values: SearchStrategy[Any]) -> SearchStrategy[gvas_values.Platforms]:
        return st.builds(gvas_values.Platforms, values, st.none() | st.lists(st.tuples(words, values), max_size=2))

    ints = integers(32, signed=True)
    soft: list[Typed] = [
        (tags.Native(name, tags.CORE, encode=tags.SoftPath.encode), soft_paths) for name in gvas_values.SOFT_PATHS
    ]
    return [
        *soft,
        (gvas_values.GAMEPLAY_TAGS, st.lists(words, max_size=3)),
        (gvas_values.ASSET_PATH, st.tuples(words, words)),
        (gvas_values.PLATFORM_FLOAT, platforms(singles)),
        (gvas_values.PLATFORM_INT, platforms(ints)),
        (gvas_values.PLATFORM_BOOL, platforms(st.booleans())),
        (gvas_values.NET_ID, st.none() | st.builds(gvas_values.NetId, words, words)),
        (gvas_values.INSTANCED, st.builds(gvas_values.Instanced, words, props)),
        (gvas_values.SAMPLING, st.tuples(st.lists(singles, max_size=2), st.lists(ints, max_size=2), singles)),
    ]


def typed_values(dialect: GameDialect, depth: int = 2) -> SearchStrategy[tuple[Kind, Any]]:
    """A property type of the era and a value of it: scalars, structs, containers of both, property lists `depth` deep."""
    props = property_lists(dialect, depth - 1) if depth > 0 else st.just([])
    plain, fixed, loose = scalars(dialect), fixed_structs(), loose_structs(props)
    fields: list[Typed] = [
        (tags.Fields("OracleFields", "/Script/Oracle"), props),
        (tags.Fields("EditorFields", "/Game/Editor", b"\x11" * 4 + bytes(range(12))), props),
    ]
    elements = [*plain, BYTE_ENUM]
    # What is in a container that does not say which struct it is: a property list or a GUID, as in all saves seen.
    untold: list[Typed] = [(structs.GUID, guids), *fields]
    told = [*fixed, *loose, *fields]
    optionals = [*elements, *(told if dialect.new_tags else fields)]
    kinds = [
        values_of(elements),
        values_of(told),
        # Without the inner tag, not even an array names its struct; of an empty one, then nothing distinguishes bytes from names.
        arrays_of([*plain, *(told if dialect.inner_tags or dialect.new_tags else fields)]),
        st.tuples(st.just(tags.Array(BYTE_ENUM[0])), st.lists(words, min_size=int(not dialect.new_tags), max_size=3)),
    ]
    if dialect.ue5:
        kinds.append(values_of([(gvas_values.Optional(kind), st.none() | values) for kind, values in optionals]))
    if dialect.ue4 >= UE4_CONTAINER_TYPES:
        keyed = [*elements, *(told if dialect.new_tags else untold)]
        kinds += [sets_of(keyed), maps_of(keyed, tells_enums=dialect.new_tags)]
    return st.one_of(kinds)


@st.composite
def properties(draw: st.DrawFn, dialect: GameDialect, depth: int = 2) -> tags.Prop[Any]:
    """A property."""
    return draw_property(draw, typed_values(dialect, depth))


def property_lists(dialect: GameDialect, depth: int = 2) -> SearchStrategy[list[tags.Prop[Any]]]:
    """A property list; a name may come twice."""
    return st.lists(properties(dialect, depth), max_size=4)


# --- saves ---


#: Classes with a layout of their own: what has such a name has to have that layout.
KNOWN_CLASSES = ("Abiotic_WorldSave_C", "Abiotic_WorldMetadataSave_C", "Abiotic_CharacterSave_C", "AstroSave")
classes = words.filter(lambda name: not name.endswith(KNOWN_CLASSES))
#: What a class writes before its properties ends where these start: it can hold nothing that looks like a property list.
class_headers = st.just(b"") | st.binary(max_size=20).filter(
    lambda data: b"None" not in data and b"Property" not in data and not NAME.match(data)
)


@st.composite
def headers(draw: st.DrawFn) -> SaveGame:
    """A save game without properties, of any era, with versions of parts on both sides of their gates."""
    game = draw(st.sampled_from(HEADERS))
    parts = draw(st.fixed_dictionaries({}, optional={part: st.sampled_from(CUSTOM_VERSIONS[part]) for part in CUSTOM_VERSIONS}))
    others = draw(st.dictionaries(st.uuids(), st.integers(0, MOST_VERSION), max_size=2))
    # After a number of the game's own, the engine's number decides whether UE5's follows: it is 4 or 5.
    engines = integers(16, signed=False) if game.save_game_version <= 3 else st.sampled_from([4, 5])
    return evolve(
        game,
        engine=(draw(engines), draw(integers(16, signed=False)), draw(integers(16, signed=False))),
        changelist=draw(integers(32, signed=False)),
        branch=draw(words),
        custom_format=draw(st.sampled_from([FORMAT_GUIDS, FORMAT_ENUMS, FORMAT_OPTIMIZED])),
        custom_versions=tuple((others | parts).items()),
        class_name=draw(classes),
        class_header=draw(class_headers),
        object_guid=draw(st.none() | guids),
    )


@st.composite
def save_games(draw: st.DrawFn, *, least: int = 0) -> SaveGame:
    """A whole save game; `least` properties at the top."""
    game = draw(headers())
    return evolve(game, props=draw(st.lists(properties(game.dialect), min_size=least, max_size=5, unique_by=place)))


#: What games put around a save game, by name: without a checksum, and with one.
UNCHECKED: dict[str, Callable[[bytes], bytes]] = {"raw": bytes, "GSWU": gswu, "PlZ 0x30": partial(plz, kind=0x30)}
CHECKED: dict[str, Callable[[bytes], bytes]] = {
    "PlZ 0x31": partial(plz, kind=0x31),
    "PlZ 0x32": plz,
    "CNK": cnk,
    "zlib": zlib.compress,
    "gzip": gzipped,
    "archive": archive,
    "archive of small blocks": partial(archive, block_size=48),
    "archive, version 2": partial(archive, block_size=200, version=ARCHIVE_V2),
}
#: Oodle is another package's, and a process of its own each time.
OODLE: dict[str, Callable[[bytes], bytes]] = {"PlM": plm} if find_spec("ooz") is not None else {}
