"""A frame, as it is when a nesting opens: what its kind does not use has a value that changes nothing."""

from __future__ import annotations

import pytest
from cursors import cursor_over

from streamsave import LimitExceeded, Limits
from streamsave.decode.codecs import U8, Codec
from streamsave.decode.cursor import NO_LIMIT
from streamsave.decode.known_bytes import COMPILED
from streamsave.formats.unreal.frames import (
    ARRAY,
    DELTA,
    ELEMENTS,
    LIST,
    MAP,
    MEMBERS,
    DeltaFrame,
    Frame,
    MapFrame,
    Nestings,
    PairPart,
)
from streamsave.formats.unreal.tags import TagCache


def map_frame(name: str = "m", end: int = 20, outer_limit: int = -1, codec: Codec | None = None) -> MapFrame:
    key = PairPart("key", codec, "K", TagCache().start("m.key"), is_named=True)
    return MapFrame(name, end, outer_limit, 0, key, PairPart("value", codec, "V", None, is_named=True))


@pytest.mark.parametrize("codec", [None, U8])
def test_the_parts_of_a_pair(codec):
    """Only structs are looked at; a name that says they are binary counts only if their layout is known."""
    frame = map_frame(codec=codec)
    assert (frame.kind, frame.key.peeks, frame.value.peeks) == (MAP, True, False)
    assert (frame.key.is_known, frame.value.is_known) == (codec is not None, False)
    frame.key.settle()
    assert frame.key.peeks is (codec is None)


def delta() -> DeltaFrame:
    added = map_frame("m", 20, 7, U8)
    made = DeltaFrame(added, "MapProperty", 3, U8, "K", peeks=True)
    added.become_added()
    return made


@pytest.mark.skipif(COMPILED, reason="a compiled class does not list its attributes")
@pytest.mark.parametrize(
    "made", [Frame(LIST, "m", 20, 7, codec=U8, inline=True), map_frame(), delta()], ids=["list", "map", "delta"]
)
def test_a_copy_has_all_but_that_it_is_an_object(made):
    names = {name for name in {*vars(Frame), *vars(type(made))} if not name.startswith("_") and not callable(getattr(made, name))}
    for at, name in enumerate(sorted(names)):
        value = getattr(made, name)
        if isinstance(value, bool):
            setattr(made, name, not value)
        elif isinstance(value, int):
            setattr(made, name, 100 + at)
        elif isinstance(value, str):
            setattr(made, name, name)
    made.skipped = True
    copy = made.copy()
    assert type(copy) is type(made)
    different = {name for name in names | set(vars(made)) if getattr(copy, name) != getattr(made, name)}
    assert different - {"added", "key", "value"} == {"is_object", "object_name"}


def frame(kind: int = LIST, name: str = "", end: int = -1, outer_limit: int = -1, **attributes: object) -> Frame:
    made = Frame(kind, name, end, outer_limit)
    for attribute, value in attributes.items():
        assert hasattr(made, attribute)
        setattr(made, attribute, value)
    return made


def nestings(*frames: Frame, depth: int = 10) -> Nestings:
    made = Nestings(Limits(depth=depth))
    cursor = cursor_over(bytes(100))
    for one in frames:
        made.push(cursor, one)
    return made


@pytest.mark.parametrize("depth", [1, 3])
def test_depth_has_a_limit(depth):
    made = nestings(*[frame() for _ in range(depth)], depth=depth)
    cursor = cursor_over(b"", limits=Limits(depth=depth))
    with pytest.raises(LimitExceeded, match="depth") as caught:
        made.push(cursor, frame())
    assert caught.value.value == depth + 1
    assert len(made.frames) == depth


PATHS = [
    ([frame(), frame(name="a"), frame(name="b")], (), ("a", "b")),
    ([frame(), frame(ELEMENTS, "a", index=2), frame(LIST, "a", index=2)], ("m",), ("a", 2, "m")),
    ([frame(), frame(ARRAY, "a", index=2)], ("a", 2), ("a", 2)),
    ([frame(), frame(MAP, "a", index=2, at=2), frame(LIST, "key")], ("m",), ("a", 2, "key", "m")),
    ([frame(), frame(MAP, "a", index=2, at=0)], (), ("a",)),
    ([frame(), frame(MEMBERS, "a", index=1), frame(LIST, "b", inline=True)], ("m",), ("a", 1, "b", "m")),
    ([frame(), frame(DELTA, "a"), frame(ELEMENTS, "removed", index=0)], (), ("a", "removed")),
]


@pytest.mark.parametrize(("frames", "leaf", "path"), PATHS)
def test_paths(frames, leaf, path):
    assert nestings(*frames).path(leaf) == path


DEPTHS = [
    ([frame()], 0),
    ([frame(), frame(name="a")], 1),
    ([frame(), frame(name="a"), frame(inline=True)], 1),
    ([frame(), frame(MAP, "a", at=1)], 2),
    ([frame(), frame(MAP, "a", at=0)], 1),
]


@pytest.mark.parametrize(("frames", "depth"), DEPTHS)
def test_depths(frames, depth):
    assert nestings(*frames).depth() == depth


def test_limits():
    """Each frame goes back to the end of the one around it that has an end; the innermost end is the cursor's limit."""
    cursor = cursor_over(bytes(100))
    open_frames = [frame(), frame(end=9, outer_limit=90), frame(end=5, outer_limit=90), frame()]
    nestings(*open_frames).set_limits(cursor)
    assert (cursor.limit(), open_frames[1].outer_limit, open_frames[2].outer_limit) == (5, NO_LIMIT, 9)
