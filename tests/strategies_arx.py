"""Hypothesis: containers and saves of Arx, as the writer takes them. Structs follow the writer's own tables."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from strategies import integers
from writer.arx import DEFLATE, DEFLATED, IMPLODE, LEGACY, NO_EXTENSION, RELEASE, STORED, Container, Entry
from writer.arx_entries import KINDS, TEXT_TYPES, VERSION, Entity, Globals, Level, LevelData, Part, Player, Stub, Variable
from writer.arx_structs import STRUCTS, VECTOR, Values, fields_of

floats = st.floats(width=32, allow_nan=False)
INTEGERS = {"b": (8, True), "B": (8, False), "h": (16, True), "H": (16, False), "i": (32, True), "I": (32, False)}
INTEGERS |= {"q": (64, True), "Q": (64, False)}
#: Of each struct so many fields are drawn at most; the others are zero.
MOST_FIELDS = 6
#: Fields that say what follows: the writer knows them. And one text that may be UTF-8, or not, is drawn by itself.
COUNTS = {
    "IO_SAVE": {"savesystem_type", "nbtimers", "nb_iogroups", "tweak_nb", "system_flags"},
    "PLAYER": {"nb_player_quest", "keyring_nb", "nb_mapmarkers"},
    "INDEX": {"nb_inter", "nb_paths", "nb_lights", "ambiances_data_size"},
    "PLAYER_LEVEL_DATA": {"name"},
}
#: Fields that say what an entry is: the game writes the same version into all, and an entity says which one it is.
IDENTITY = {
    "IO_SAVE": {"version", "filename", "ident"},
    "PLAYER": {"version"},
    "INDEX": {"version"},
    "PLAYER_LEVEL_DATA": {"version"},
}


def latin(size: int) -> SearchStrategy[str]:
    """Text in so many bytes: it ends with a NUL, or with the field."""
    letters = st.characters(max_codepoint=0xFF, exclude_characters="\0")
    return st.text(letters, max_size=min(size, 10)) | st.just("x" * size)


def field_values(form: str) -> SearchStrategy[Any]:
    """Values of a field of this format."""
    count, star, element = form.partition("*")
    if star:
        return st.lists(field_values(element), max_size=min(int(count), 2))
    if form == VECTOR:
        return st.tuples(floats, floats, floats)
    if form in STRUCTS:
        return structs(form)
    if form[-1] == "s":
        return latin(int(form[:-1]))
    if form[-1] == "B" and form != "B":
        return st.binary(min_size=int(form[:-1]), max_size=int(form[:-1]))
    return floats if form == "f" else integers(INTEGERS[form][0], signed=INTEGERS[form][1])


@st.composite
def structs(draw: st.DrawFn, name: str) -> Values:
    """Values of some fields of a struct."""
    left_out = {"", *COUNTS.get(name, ()), *IDENTITY.get(name, ())}
    fields = [(field, form) for field, form in fields_of(name) if field not in left_out]
    some = draw(st.lists(st.sampled_from(fields), unique_by=lambda pair: pair[0], max_size=MOST_FIELDS))
    return {field: draw(field_values(form)) for field, form in some}


def rows(name: str, most: int = 3) -> SearchStrategy[list[Values]]:
    """Some structs of one kind."""
    return st.lists(structs(name), max_size=most)


@st.composite
def variables(draw: st.DrawFn) -> Variable:
    """A variable of a script: its name starts with the sign of its type. Numbers are 32-bit floats, even integers."""
    kind, sign = draw(st.sampled_from([(1, "$"), (2, "£"), (4, "#"), (8, "§"), (16, "&"), (32, "@")]))
    name = sign + draw(latin(63))
    if kind in TEXT_TYPES:
        return kind, name, draw(latin(100))
    return kind, name, draw(st.integers(-(1 << 24), 1 << 24) if kind in {4, 8} else floats)


@st.composite
def entities(draw: st.DrawFn) -> Entity:
    """An entity of any kind, with any of its sections."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    return Entity(
        kind,
        draw(structs("IO_SAVE")),
        timers=draw(rows("TIMERS_SAVE")),
        variables=draw(st.lists(variables(), max_size=3)),
        override_variables=draw(st.lists(variables(), max_size=2)),
        own=draw(structs(KINDS[kind])),
        inventory=draw(st.none() | structs("INVENTORY_DATA_SAVE")),
        tweaker=draw(st.none() | structs("SavedTweakerInfo")),
        groups=draw(st.lists(latin(64), max_size=2)),
        tweaks=draw(rows("SavedTweakInfo", 2)),
    )


@st.composite
def level_data(draw: st.DrawFn) -> LevelData:
    """What a list of saves shows; its name is UTF-8, as newer games have it."""
    name = draw(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20))
    return LevelData({**draw(structs("PLAYER_LEVEL_DATA")), "version": VERSION, "name": name.encode()})


def with_version(values: Values) -> Values:
    """Add the version that the game writes."""
    return {"version": VERSION, **values}


def parts() -> SearchStrategy[tuple[str, Part]]:
    """What an entry holds, under a name that says so."""
    players = st.builds(
        Player, structs("PLAYER"), st.lists(latin(80), max_size=2), st.lists(latin(64), max_size=2), rows("SavedMapMarkerData")
    )
    levels = st.builds(
        Level, structs("INDEX").map(with_version), rows("IO_INDEX"), rows("PATH"), rows("SavedPlayingAmbiance", 2), rows("LIGHT")
    )
    named: list[tuple[SearchStrategy[str], SearchStrategy[Any]]] = [
        (st.just("pld"), level_data()),
        (st.just("player"), players),
        (st.just("globals"), st.builds(Globals, st.lists(variables(), max_size=4))),
        (st.from_regex(r"lvl[0-9]{3}", fullmatch=True), levels),
        (st.from_regex(r"[a-z_]{1,8}_[0-9]{4}", fullmatch=True), entities() | st.just(Stub())),
    ]
    return st.one_of([st.tuples(names, values) for names, values in named])


# --- containers ---

#: What no other kind of entry is called: the name says the kind.
others = st.binary(min_size=1, max_size=12).filter(
    lambda name: b"\0" not in name and not re.search(rb"(?i)^(pld|player|globals|lvl)|_-?[0-9]{4}|\.sav$", name)
)


@st.composite
def containers(draw: st.DrawFn, contents: SearchStrategy[tuple[bytes, bytes]], most: int = 4) -> Container:
    """A container of these names and bytes: any version, any packing, pieces in disorder, gaps, what is stale."""
    version = draw(st.sampled_from([LEGACY, RELEASE, DEFLATE, NO_EXTENSION]))
    entries = []
    for name, data in draw(st.lists(contents, max_size=most, unique_by=lambda pair: pair[0].lower())):
        codec = draw(st.sampled_from([STORED, IMPLODE, DEFLATED])) if version >= DEFLATE else IMPLODE
        entries.append(
            Entry(
                # The original game takes names for what Windows takes them for.
                draw(st.sampled_from([name, name.upper() + b".SAV", name + b".sav"])) if version < NO_EXTENSION else name,
                data,
                codec,
                # That the table says 0 where it means 1 is a fault of the original game alone.
                chunks=draw(st.integers(0 if version < DEFLATE else 1, 3)),
                unknown_size=draw(st.booleans()) if codec != STORED else False,
            )
        )
    return Container(version, entries, gap=draw(st.binary(max_size=3)), stale=draw(st.binary(max_size=9)))


@st.composite
def blobs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A name, and bytes that repeat and bytes that do not."""
    some = draw(st.binary(max_size=60))
    return draw(others), some * draw(st.integers(0, 40)) + draw(st.binary(max_size=60))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Container, dict[str, Part]]:
    """A save, and what is in its entries, by name."""
    found = dict(draw(st.lists(parts(), max_size=3)))
    made = [(name.encode(), part.encode()) for name, part in found.items()]
    container = draw(containers(st.sampled_from(made), len(made))) if made else Container(NO_EXTENSION, [])
    kept = {entry.name.lower().removesuffix(b".sav").decode() for entry in container.entries}
    return container, {name: part for name, part in found.items() if name in kept}
