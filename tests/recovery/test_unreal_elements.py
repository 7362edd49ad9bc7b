"""Elements of damaged saves: an object if its header is certain, else they are lost."""

from collections import Counter

import pytest
from damage import losses
from gvas_saves import save
from salvaging.damages import CLASSES, damage
from salvaging.judging import given, judged, sound_of, walked
from salvaging.places import places_of
from salvaging.wrappers import open_save
from saves import VALID, read
from tiling import assert_tiled
from writer.palworld_worlds import array, fields, nested
from writer.primitives import fstring, i32
from writer.tags import INT, STR, Map, Prop

from streamsave import Damage, Event, Limits, ObjectEnd, ObjectHeader, PropertyTag, StructEnter

ROW = "Things[*] kind=thing instance_name=Name class_name=Inner.Class"


def thing(name: str) -> list[Prop]:
    inner = nested("Inner", [Prop("Class", STR, f"{name}s"), Prop("Size", INT, 5)])
    return [Prop("Level", INT, 3), Prop("Name", STR, name), inner, Prop("Last", INT, 4)]


THINGS = [thing(name) for name in ("Door", "Wall", "Roof")]
ARRAY = save(array("Things", THINGS))
MAP = save(Prop("Things", Map(STR, fields("Thing")), list(zip("abc", THINGS, strict=True))))
MAP_ROW = "Things[*] kind=thing instance_name=value.Name class_name=value.Inner.Class"
WAYS = pytest.mark.parametrize(("data", "row"), [(ARRAY, ROW), (MAP, MAP_ROW)], ids=["array", "map"])


def read_damaged(data: bytes, row: str, **options: object) -> list[Event]:
    made = read(data, objects_at=[row], on_damage="resync", **options)
    assert_tiled(made, len(data))
    return made


def objects(made: list[Event]) -> list[tuple[str, str]]:
    return [(event.instance_name, event.class_name) for event in made if isinstance(event, ObjectHeader)]


def changed(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def in_wall(data: bytes, name: str) -> int:
    """Return where the tag of a member of the second element is."""
    wall = data.index(fstring("Wall"))
    return data.rindex(fstring(name), 0, wall) if name in {"Name", "Level"} else data.index(fstring(name), wall)


def with_size(data: bytes, name: str, size: int) -> bytes:
    at = in_wall(data, name) + len(fstring(name))
    at += 4 + int.from_bytes(data[at : at + 4], "little")
    return changed(data, at, i32(size))


DOOR, WALL, ROOF = (("Door", "Doors"), ("Wall", "Walls"), ("Roof", "Roofs"))


@WAYS
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: with_size(data, "Name", 5), id="what-its-header-says"),
        pytest.param(lambda data: with_size(data, "Class", 5), id="what-its-header-says-deeper"),
        # What comes after it may be of another element.
        pytest.param(lambda data: with_size(data, "Level", 7), id="before-what-is-needed"),
        # A letter of its type is wrong, so one of its name may be, too.
        pytest.param(lambda data: changed(data, data.index(b"IntProperty", in_wall(data, "Level")), b"In/"), id="no-tag"),
        # No size shows where its members go on.
        pytest.param(lambda data: changed(data, in_wall(data, "Class"), b"\xff"), id="a-struct"),
        pytest.param(lambda data: changed(data, in_wall(data, "Name"), b"\xff"), id="goes-on-at-the-next"),
    ],
)
def test_an_element_is_lost_with_what_its_header_says(data, row, damage):
    made = read_damaged(damage(data), row)
    assert objects(made) == [DOOR, ROOF]
    assert losses(made) == [("object", "Things[1]")]
    (lost,) = [event for event in made if isinstance(event, Damage)]
    assert lost.lost.path == ("Things", 1)
    whole = [event for event in read(data, objects_at=[row]) if isinstance(event, ObjectHeader)]
    assert (lost.offset, lost.size) == (whole[1].offset, whole[1].size)
    assert [event.name for event in made if isinstance(event, PropertyTag)].count("Level") == 2


@WAYS
@pytest.mark.parametrize("name", ["Last", "Size"])
def test_an_element_is_an_object_if_its_header_says_nothing_of_what_is_lost(data, row, name):
    """All that it says was found before."""
    made = read_damaged(with_size(data, name, 7), row)
    assert objects(made) == [DOOR, WALL, ROOF]
    assert losses(made) == [("property", name)]
    assert sum(isinstance(event, ObjectEnd) for event in made) == 3


@pytest.mark.parametrize("name", ["Size", "Class"])
def test_a_member_that_was_not_found_may_be_what_is_lost(name):
    """What is lost is in a struct that was passed over by its size, so the end was found; no `Owner` was."""
    made = read_damaged(with_size(ARRAY, name, 7), "Things[*] kind=thing instance_name=Name outer=Owner")
    assert [name for name, _ in objects(made)] == ["Door", "Roof"]
    assert losses(made) == [("object", "Things[1]")]


def test_values_above_a_limit_are_no_damage():
    made = read_damaged(ARRAY, ROW, limits=Limits(build_nodes=0))
    assert (objects(made), losses(made)) == ([], [])
    assert sum(isinstance(event, StructEnter) and event.index >= 0 for event in made) == 3


HAS = " has=Inner/Level"
MAP_HAS = " has=value.Inner/value.Level"


def test_each_value_of_a_map_is_a_member():
    assert objects(read_damaged(MAP, MAP_ROW + " has=value")) == [DOOR, WALL, ROOF]
    assert objects(read_damaged(MAP, MAP_ROW + " lacks=value")) == []


@pytest.mark.parametrize(("data", "row"), [(ARRAY, ROW + HAS), (MAP, MAP_ROW + MAP_HAS)], ids=["array", "map"])
@pytest.mark.parametrize(
    ("name", "new", "wanted"),
    [
        pytest.param("Level", "Lever", [DOOR, ROOF], id="one-it-has"),
        pytest.param("Size", "Zise", [DOOR, WALL, ROOF], id="any-other"),
    ],
)
def test_an_element_that_has_not_what_its_kind_has_is_lost(data, row, name, new, wanted):
    """The container may be another one, whose name was changed. Without resync, nothing is asked."""
    assert len(fstring(name)) == len(fstring(new))
    bad = changed(data, in_wall(data, name), fstring(new))
    made = read_damaged(bad, row)
    assert objects(made) == wanted
    assert losses(made) == [("object", "Things[1]")] * (wanted != [DOOR, WALL, ROOF])
    assert objects(read(bad, objects_at=[row])) == [DOOR, WALL, ROOF]
    assert objects(read_damaged(data, row)) == [DOOR, WALL, ROOF]


@WAYS
def test_an_element_that_has_what_its_kind_lacks_is_lost(data, row):
    made = read_damaged(data, row + (" lacks=Level" if row == ROW else " lacks=value.Level"))
    assert objects(made) == []
    assert losses(made) == [("object", f"Things[{index}]") for index in range(3)]


@pytest.mark.parametrize(("data", "row"), [(ARRAY, ROW + HAS), (MAP, MAP_ROW + MAP_HAS)], ids=["array", "map"])
def test_a_member_that_was_lost_before_others_costs_the_header(data, row):
    made = read_damaged(with_size(data, "Level", 5), row)
    assert objects(made) == [DOOR, ROOF]
    assert losses(made) == [("object", "Things[1]")]


@pytest.mark.parametrize(("data", "value"), [(ARRAY, ""), (MAP, "value.")], ids=["array", "map"])
@pytest.mark.parametrize(("name", "wanted"), [("Class", [DOOR, ROOF]), ("Size", [DOOR, WALL, ROOF])])
def test_a_member_of_which_all_is_lost_is_none(data, value, name, wanted):
    """What is left is not an object in a save either from which the lost values were taken out."""
    row = f"Things[*] kind=thing instance_name={value}Name class_name={value}Name has={value}Inner"
    wanted = [(one, one) for one, _ in wanted]
    assert objects(read_damaged(changed(data, in_wall(data, name), b"\xff"), row)) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("name", ["hogwarts-list.sav", "drg-ue427-146k.sav"])
def test_nothing_is_given_that_is_not_in_the_sound_save(real_save, name, kind):
    """Lists of elements whose parts are lists themselves: those of one must not be taken for those of another."""
    one = sound_of(real_save(f"gvas/{name}"), name)
    for index in range(4):
        made = damage(one.save, one.places, kind, index, name=name, of_values=one.of_values)
        if made is not None:
            found = judged(one, made, one.given_of(made.data, walked(made.data, "resync")))
            assert (found.lies, found.parts, found.examples) == (0, 0, []), made.place


@pytest.mark.slow
def test_a_compressed_save_gives_what_its_stream_gives(real_save):
    """To look at a place again, what comes before it is inflated again: that does not use up what a search may cost."""
    name = "palworld-level-unicode.sav"
    one = open_save(real_save(f"gvas/{name}").read_bytes())
    made = damage(one, places_of(one), "chunk-doubled", 9, name=name, of_values=False)
    ((start, end),) = made.touched
    stream = one.stream[:end] + one.stream[start:end] + one.stream[end:]
    inflated, compressed = (given(data, "resync", of_values=False, by_value=lambda *_: False) for data in (stream, made.data))
    assert compressed == inflated
    assert len(inflated.whole) > 2000


def test_an_element_is_not_in_the_last_struct_of_the_one_before():
    """Bytes are missing where both of them end, so no list ends between the two. So many elements follow that all looks well."""
    things = [
        [Prop("ID", STR, f"id {number:03}"), nested("Reward", [Prop("Object", STR, f"/Game/Object{number:03}")])]
        for number in range(120)
    ]
    data = save(array("Things", things))
    end = data.index(fstring("id 002"))

    def names(part: bytes) -> set[tuple[object, ...]]:
        found = given(part, "resync", of_values=True, by_value=lambda *_: True).values
        return {key for key, _ in found if key[-1] in {"ID", "Object"}}  # others are left of a `None` and the name after it

    for start in range(data.index(b"Object001"), end - 40):
        for size in (9, 12):
            assert names(data[:start] + data[start + size :]) <= names(data), (start, size)


@pytest.mark.parametrize("name", ["object-bytes", "object-bytes-new-tags"])
def test_what_is_in_an_array_of_bytes_is_no_element_of_what_is_around_it(name):
    """The save ends early, or parts are missing in an object that is an array of bytes and has lists like the elements."""
    data = (VALID / "gvas" / f"{name}.sav").read_bytes()

    def members(part: bytes) -> Counter[tuple[object, ...]]:
        found = given(part, "resync", of_values=True, by_value=lambda *_: True).values
        return Counter({key: count for key, count in found.items() if key[0][-1] in {"Name", "Count"}})

    start, end = data.index(b"ByteData"), data.index(fstring("Item_6"))
    last = data.rindex(fstring("None"), start, data.rindex(fstring("Item_9"), start, end))
    sound = members(data)
    for part in (*(data[:at] for at in range(start, end, 5)), data[: last - 9] + data[last:]):
        assert members(part) <= sound, len(part)
