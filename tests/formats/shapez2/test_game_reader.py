"""What the readers of saves and of codes share: places, strings by index and in line, checkpoints."""

import struct

import pytest
import scenes
from saves import raises
from shapez2_cursors import game_cursor, reader_over

import streamsave
from streamsave import DamagedSave, ObjectHeader, StructEnter
from streamsave.formats.shapez2.game_reader import CHECKPOINTS, make_transform, tile_of
from streamsave.input.windows import BytesWindows


def test_a_stream_is_opened_at_its_start():
    reader = reader_over(b"1234")
    reader.cursor.seek(4)
    windows = BytesWindows(b"abcd")
    reader.open_stream(windows)
    assert reader.cursor is reader.game
    assert reader.windows is windows
    assert (reader.cursor.tell(), reader.cursor.take(4)) == (0, b"abcd")


def test_a_walk_hears_that_it_was_skipped():
    reader = reader_over(bytes(20))
    assert not reader.was_skipped
    assert reader.skip(StructEnter(0, "s", "S", 0, 8, -1, -1))
    assert reader.was_skipped
    assert reader.cursor.tell() == 8
    assert not reader.skip(StructEnter(8, "s", "S", 0, -1, -1, -1))
    assert not reader.was_skipped


TABLE = ["a", "b"]


@pytest.mark.parametrize("index", [2, -1, -(1 << 31) + 1, (1 << 31) - 1])
def test_an_index_that_the_table_does_not_have(index):
    with raises(DamagedSave, match="index of a string", offset=0, expected="0 to 1", actual=index):
        game_cursor(struct.pack("<i", index), TABLE).text()


@pytest.mark.parametrize(
    ("size", "data", "text"), [(-1, b"", None), (0, b"", ""), (3, b"a\xc3\xb6", "a\xf6"), (1, b"\xff", "\udcff")]
)
def test_a_text_in_line(size, data, text):
    assert game_cursor(struct.pack("<h", size) + data).text() == text


@pytest.mark.parametrize("size", [-2, 4])
def test_a_size_that_does_not_fit(size):
    with raises(DamagedSave, match="size of a string", offset=0, expected="-1 to 3", actual=size):
        game_cursor(struct.pack("<h", size) + b"abc").text()


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_checkpoint(name):
    data = CHECKPOINTS[name].to_bytes(4, "little")
    assert game_cursor(data).checkpoint(name) == CHECKPOINTS[name]
    other = next(each for each in CHECKPOINTS if each != name)
    with raises(DamagedSave, match="wrong checkpoint", actual=f"{name}, {CHECKPOINTS[name]:#010x}"):
        game_cursor(data).checkpoint(other)
    with pytest.raises(DamagedSave, match="unknown, 0x00000000"):
        game_cursor(bytes(4)).checkpoint(name)


@pytest.mark.parametrize(("rotation", "direction"), [(0, (1, 0)), (1, (0, 1)), (2, (-1, 0)), (3, (0, -1))])
def test_objects_turn_from_east_to_south(rotation, direction):
    """As y counts to the south: what points east, turned by the quaternion of a transform."""
    x, y, z, w = make_transform(0, 0, 0, rotation).rotation
    assert (1 - 2 * (y * y + z * z), 2 * (x * y + z * w)) == pytest.approx(direction)


def test_buildings_are_where_their_island_is_turned_to(corpus):
    """A foundation of two squares, turned south, has its second one south of the first: the direction of y."""
    places: dict[int, set[float]] = {}
    blueprints = corpus / "shapez2" / "blueprints"
    for path in (*blueprints.glob("2-layer-straight-stacker.*"), *blueprints.glob("*destroy-top-right.*")):
        with streamsave.open(path) as events:
            islands: dict[str, int] = {}
            for event in events:
                if not isinstance(event, ObjectHeader) or event.transform is None:
                    continue
                if event.kind == "island" and event.class_name in {"Foundation_1x2", "Foundation_1x2_Flipped"}:
                    islands[event.instance_name] = event.flags
                elif event.outer in islands:
                    places.setdefault(islands[event.outer], set()).add(event.transform.translation[1])
    assert min(places[1]) >= 0
    assert max(places[1]) > 20
    assert min(places[3]) < 0
    assert max(places[3]) < 20


@pytest.mark.parametrize(
    ("kind", "outer", "place", "tile"),
    [
        ("island", "", (-50.0, 2.0, 1.0), (-50 * 20 + 9.5, 2 * 20 + 9.5)),
        ("building", "(3, -4, 0)", (5.0, 6.0, 0.0), (65.0, -74.0)),
        ("building", "", (5.0, 6.0, 0.0), (5.0, 6.0)),
        ("building", "elsewhere", (5.0, 6.0, 0.0), None),
        ("building", "(3, -4, 0)", None, None),
    ],
)
def test_tiles(kind, outer, place, tile):
    assert tile_of(scenes.header(kind=kind, outer=outer, place=place)) == tile
