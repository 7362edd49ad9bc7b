"""Save games from values: what is written comes back, in every era and wrapper, and damage costs what it touches."""

from __future__ import annotations

from typing import Any

import pytest
from contract import flipped
from damage import losses, survived, survivors
from expected_values import property_values, value_of
from hypothesis import assume, given
from hypothesis import strategies as st
from profiles import examples
from saves import read, without_chunks
from strategies_gvas import CHECKED, OODLE, UNCHECKED, save_games
from tiling import assert_tiled
from writer.gvas import FORMAT_ENUMS, FORMAT_GUIDS, UE4_PROPERTY_GUID, UE4_STRUCT_GUID, SaveGame, words
from writer.primitives import NO_GUID
from writer.tags import Prop, Struct

import streamsave
from streamsave import (
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveError,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.formats.gvas.header import GvasHeader
from streamsave.values import Guid


def built_properties(data: bytes) -> tuple[GvasHeader, list[tuple[PropertyTag, object]], dict[str, Any]]:
    """The header, all properties at the top, each built by itself, and the object built whole."""
    found = []
    with streamsave.open(data) as events:
        start = next(events)
        assert isinstance(start, SaveStart)
        found.extend((event, events.build()) for event in events if isinstance(event, PropertyTag))
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                whole = events.build()
                assert isinstance(whole, dict)
    return start.header, found, whole


def assert_header(header: GvasHeader, game: SaveGame) -> None:
    """The header says what was written."""
    assert header.save_game_version == game.save_game_version
    assert header.package_version_ue4 == game.ue4
    assert header.ue5_version == game.dialect.ue5
    assert header.engine_version == game.engine
    assert (header.changelist, header.branch, header.save_game_class) == (game.changelist, game.branch, game.class_name)
    assert header.class_header == (game.class_header or None)
    assert header.size == len(game.header())
    if game.save_game_version < 2:
        assert (header.custom_version_format, header.custom_versions) == (None, [])
        return
    assert header.custom_version_format == game.custom_format
    for entry, (part, version) in zip(header.custom_versions, game.custom_versions, strict=True):
        key = part.int & 0xFFFF if game.custom_format == FORMAT_ENUMS else Guid(words(part))
        assert (entry.key, entry.version) == (key, version)
        assert entry.name == ("Part" if game.custom_format == FORMAT_GUIDS else None)


def assert_tag(tag: PropertyTag, prop: Prop[Any], game: SaveGame) -> None:
    """The tag says what was written, as far as the era writes it."""
    assert (tag.name, tag.type, tag.index) == (prop.name, prop.type.name, prop.index)
    assert tag.guid == (prop.guid if game.ue4 >= UE4_PROPERTY_GUID else None)
    if isinstance(prop.type, Struct):
        has_guid = prop.type.guid != NO_GUID and game.ue4 >= UE4_STRUCT_GUID
        assert tag.struct_guid == (prop.type.guid if has_guid else None)
        assert tag.type_name == prop.type.struct


@pytest.mark.slow
@examples(100)
@given(save_games())
def test_save_games_come_back(game):
    data = game.encode()
    header, found, whole = built_properties(data)
    assert_header(header, game)
    for (tag, built), prop in zip(found, game.props, strict=True):
        assert_tag(tag, prop, game)
        assert built == value_of(prop.type, prop.value, game.dialect)
    assert whole["properties"] == property_values(game.props, game.dialect)
    assert_tiled(read(data), len(data))


@pytest.mark.slow
@examples(25)
@given(save_games(), st.sampled_from(list(UNCHECKED | CHECKED)))
def test_save_games_come_back_out_of_every_wrapper(game, name):
    data = (UNCHECKED | CHECKED)[name](game.encode())
    _, found, whole = built_properties(data)
    assert [built for _, built in found] == [value_of(prop.type, prop.value, game.dialect) for prop in game.props]
    assert whole["properties"] == property_values(game.props, game.dialect)


@pytest.mark.slow
@pytest.mark.skipif(not OODLE, reason="the extra `oodle` is not installed")
@examples(5)
@given(save_games(), st.sampled_from(list(OODLE)))
def test_save_games_come_back_out_of_oodle(game, name):
    _, _, whole = built_properties(OODLE[name](game.encode()))
    assert whole["properties"] == property_values(game.props, game.dialect)


# --- damage ---

#: In the place of a value that cannot be built.
LOST = object()


def end_of(tag: PropertyTag) -> int:
    """Where a property ends."""
    return tag.value_offset + tag.size


def members(events: list[Event]) -> list[list[Any]]:
    """The events of each property at the top, from its tag on."""
    found: list[list[Any]] = []
    depth = 0
    for event in events:
        depth -= isinstance(event, (StructExit, ObjectEnd))
        if depth == 1 and isinstance(event, Field) and event.name == "object_guid":
            continue  # it ends the properties, and is none
        if depth == 1 and isinstance(event, PropertyTag):
            found.append([])
        if depth > 0 and found and (not isinstance(event, Damage) or event.offset < end_of(found[-1][0])):
            found[-1].append(event)
        depth += isinstance(event, (StructEnter, ObjectHeader))
    return found


def built_members(data: bytes) -> list[object]:
    """The value of each property at the top, as far as it can be built."""
    found: list[object] = []
    with streamsave.open(data, on_damage="resync") as events:
        for event in events:
            if isinstance(event, PropertyTag):
                try:
                    found.append(events.build())
                except SaveError:
                    found.append(LOST)
    return found


places = st.floats(0, 1, exclude_max=True)


@pytest.mark.slow
@examples(50)
@given(save_games(least=2), st.sampled_from(list(UNCHECKED)), st.data())
def test_a_byte_of_a_value_costs_that_value(game, name, data):
    """Nothing checks it, so it may be another value now, or none; whatever it is, no other property is."""
    inner = game.encode()
    sound = members(read(inner))
    sized = [at for at, one in enumerate(sound) if one[0].size]
    assume(sized)
    which = data.draw(st.sampled_from(sized))
    tag = sound[which][0]
    at = tag.value_offset + int(data.draw(places) * tag.size)
    bad = UNCHECKED[name](flipped(inner, at, data.draw(st.integers(1, 255))))
    seen = survived(bad)
    left = members(seen)
    built = built_members(bad)
    values = [value_of(prop.type, prop.value, game.dialect) for prop in game.props]
    if len(left) < len(sound):  # the value did not have its size: not even the tag is given
        (damage,) = [event for event in seen if isinstance(event, Damage)]
        assert (damage.lost.kind, damage.lost.path) == ("property", (tag.name,))
        assert damage.offset <= tag.offset < at < damage.offset + damage.size
    else:
        assert left.pop(which)[0] == tag
        del built[which]
    assert left == sound[:which] + sound[which + 1 :]
    assert built == values[:which] + values[which + 1 :]
    assert_tiled(seen, len(inner))


@pytest.mark.slow
@examples(60)
@given(save_games(least=1), st.sampled_from(list(UNCHECKED)), st.data())
def test_what_is_before_a_flip_or_a_cut_is_left(game, name, data):
    """A byte of a name or a size may cost all that follows, and turn it into something else: nothing checks it."""
    inner = game.encode()
    start = len(game.header())
    sound = members(read(inner))
    at = data.draw(st.integers(start, len(inner) - 1))
    is_cut = data.draw(st.booleans())
    whole = UNCHECKED[name](inner)
    front = len(whole) - len(inner)
    bad = whole[: front + at] if is_cut else flipped(whole, front + at, data.draw(st.integers(1, 255)))
    count = sum(end_of(one[0]) <= at for one in sound)
    try:
        seen = survived(bad)
    except SaveError:
        # The first property was looked for, and not found: after the class, or the head of the list.
        assert count == 0
        return
    left = members(seen)
    assert left[:count] == sound[:count]
    values = [value_of(prop.type, prop.value, game.dialect) for prop in game.props[:count]]
    assert built_members(bad)[:count] == values
    if is_cut:
        assert losses(seen)
        assert len(left) <= count + 1


@pytest.mark.slow
@examples(60)
@given(save_games(least=1), st.sampled_from(list(CHECKED)), st.data())
def test_a_byte_of_a_checked_wrapper_is_found(game, name, data):
    """What came before the checksum has been given already, so it may be wrong; but an error says that something is."""
    inner = game.encode()
    whole = CHECKED[name](inner)
    bad = flipped(whole, int(data.draw(places) * len(whole)), data.draw(st.integers(1, 255)))
    seen = survivors(bad)
    if seen is not None and not losses(seen):
        # Of some headers not all is looked at: when it was compressed, how large blocks may be.
        assert seen[2:] == without_chunks(read(whole))[2:]
