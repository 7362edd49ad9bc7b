"""A frame, as it is when a nesting opens: what its kind does not use has a value that changes nothing."""

import pytest
from cursors import cursor_over
from unreal_walks import dialect

from streamsave import LimitExceeded, Limits
from streamsave.decode.codecs import U8, Codec
from streamsave.decode.cursor import NO_LIMIT
from streamsave.decode.known_bytes import COMPILED
from streamsave.formats.unreal.containers import ElementsFrame, MembersFrame
from streamsave.formats.unreal.frames import Frame, ListFrame
from streamsave.formats.unreal.maps import DeltaFrame, MapFrame, PairPart
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tags import TagCache
from streamsave.recovery.unreal import opened_for, resume


def map_frame(name: str = "m", end: int = 20, outer_limit: int = -1, codec: Codec | None = None) -> MapFrame:
    key = PairPart("key", codec, "K", TagCache().start("m.key"), is_named=True)
    return MapFrame(name, end, outer_limit, 0, key, PairPart("value", codec, "V", None, is_named=True))


@pytest.mark.parametrize("codec", [None, U8])
def test_the_parts_of_a_pair(codec):
    """Only structs are looked at; a name that says they are binary counts only if their layout is known."""
    frame = map_frame(codec=codec)
    assert (frame.is_map, frame.key.peeks, frame.value.peeks) == (True, True, False)
    assert (frame.key.is_known, frame.value.is_known) == (codec is not None, False)
    frame.key.settle()
    assert frame.key.peeks is (codec is None)


def delta() -> DeltaFrame:
    removed = ElementsFrame("removed", -1, -1, count=3, codec=U8, type_name="K", peeks=True)
    return DeltaFrame("m", 20, 7, removed, map_frame("added", 20, -1, U8), "MapProperty")


@pytest.mark.skipif(COMPILED, reason="a compiled class does not list its attributes")
@pytest.mark.parametrize(
    "made",
    [ListFrame("m", 20, 7, inline=True), ElementsFrame("m", 20, 7, codec=U8, peeks=True), map_frame(), delta()],
    ids=["list", "elements", "map", "delta"],
)
def test_a_copy_has_all_but_that_it_is_an_object(made):
    names = {name for name in {*vars(Frame), *vars(type(made))} if not name.startswith("_") and not callable(getattr(made, name))}
    names -= {"is_map", "is_elements"}  # what its class is
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
    assert different - {"added", "removed", "key", "value"} == {"is_object", "object_name"}


def frame(kind: type[Frame] = ListFrame, name: str = "", end: int = -1, outer_limit: int = -1, **attributes: object) -> Frame:
    made = kind(name, end, outer_limit)
    for attribute, value in attributes.items():
        assert hasattr(made, attribute)
        setattr(made, attribute, value)
    return made


def pairs(at: int, index: int = -1) -> MapFrame:
    made = map_frame("a", -1)
    made.at, made.index = at, index
    return made


def delta_of(name: str) -> DeltaFrame:
    made = delta()
    made.name = name
    return made


def walk_in(*frames: Frame, depth: int = 10) -> UnrealReader:
    made = UnrealReader(cursor_over(bytes(100), limits=Limits(depth=depth)), dialect())
    for one in frames:
        made.push(one)
    return made


PATHS = [
    ([frame(), frame(name="a"), frame(name="b")], (), ("a", "b")),
    ([frame(), frame(ElementsFrame, "a", index=2), frame(name="a", index=2)], ("m",), ("a", 2, "m")),
    ([frame(), frame(ElementsFrame, "a", index=2)], ("a", 2), ("a", 2)),
    ([frame(), pairs(at=2, index=2), frame(name="key")], ("m",), ("a", 2, "key", "m")),
    ([frame(), pairs(at=0, index=2)], (), ("a",)),
    ([frame(), frame(MembersFrame, "a", index=1), frame(name="b", inline=True)], ("m",), ("a", 1, "b", "m")),
    ([frame(), delta_of("a"), frame(ElementsFrame, "removed", index=0)], (), ("a", "removed")),
]


@pytest.mark.parametrize(("frames", "leaf", "path"), PATHS)
def test_paths(frames, leaf, path):
    assert walk_in(*frames).frame_path(leaf) == path


DEPTHS = [
    ([], 1),
    ([frame()], 1),
    ([frame(), frame(name="a")], 2),
    ([frame(), frame(name="a"), frame(inline=True)], 2),
    ([frame(), pairs(at=1)], 3),
    ([frame(), pairs(at=0)], 2),
]


@pytest.mark.parametrize(("frames", "depth"), DEPTHS)
def test_depths(frames, depth):
    assert opened_for(frames) == depth


def test_limits():
    """Each frame goes back to the end of the one around it that has an end; the innermost end is the cursor's limit."""
    open_frames = [frame(), frame(end=9, outer_limit=90), frame(end=5, outer_limit=90), frame()]
    made = walk_in(*open_frames)
    resume(made, 4, 3)
    assert (made.cursor.tell(), made.cursor.limit()) == (3, 5)
    assert (open_frames[1].outer_limit, open_frames[2].outer_limit) == (NO_LIMIT, 9)


def test_nestings_around_a_walk_count_for_depth():
    made = UnrealReader(cursor_over(bytes(100), limits=Limits(depth=3)), dialect())
    made.set_outer_depth(3)
    with pytest.raises(LimitExceeded):
        made.set_outer_depth(4)
