"""The parts that `streamsave treemap` draws."""

from __future__ import annotations

from collections import Counter

import pytest
from cli_runs import SAMPLES, json_lines, lines
from hypothesis import example, given
from hypothesis import strategies as st
from pictures import parts
from saves import VALID

from streamsave.cli.text import short_class
from streamsave.cli.treemap_parts import NO_MOD, REST, Box, squares
from streamsave.report.tree import HEADERS, OUTSIDE

SPAWNERS = 'class = "*CreatureSpawner*"'


def sizes_of_classes(path) -> Counter[str]:
    """The bytes of each class that `ls` shows, without those of the objects inside its objects."""
    rows = json_lines("ls", path)
    sizes = Counter()
    for row in rows:
        sizes[short_class(row["class_name"])] += row["size"]
    classes = {row["instance_name"]: short_class(row["class_name"]) for row in rows}
    for row in rows:
        if row["kind"] == "lightweight":
            sizes[classes[row["outer"]]] -= row["size"]
    return +sizes


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_parts_are_the_classes_that_ls_shows(path):
    found = parts(path)
    assert Counter({part.name: part.size for part in found if part.name not in {HEADERS, OUTSIDE}}) == sizes_of_classes(path)
    (stats,) = json_lines("stats", path)
    assert sum(part.size for part in found) == stats["inflated_size"]
    assert [part.size for part in found] == sorted((part.size for part in found), reverse=True)


def test_properties_are_those_of_stats():
    (stats,) = json_lines("stats", "-n", 0, SAMPLES[2])
    found = Counter()
    for part in parts(SAMPLES[2], least_share=1 << 40):
        if part.name not in {HEADERS, OUTSIDE}:
            assert not part.parts or sum(each.size for each in part.parts) == part.size
            found.update({each.name: each.size for each in part.parts})
    del found[REST]
    assert found.pop("unknown trailing data of /Oracle/BP_Unknown.BP_Unknown_C") == 18
    assert found == +Counter({row["name"]: row["size"] for row in stats["properties"]})


def test_headers_are_split_by_class():
    (headers,) = [part for part in parts(SAMPLES[2]) if part.name == HEADERS]
    assert sum(each.size for each in headers.parts) == headers.size
    classes = {short_class(row["class_name"]) for row in json_lines("ls", SAMPLES[2]) if row["kind"] != "lightweight"}
    assert {each.name for each in headers.parts} == classes


def test_only_what_was_asked_for():
    rows = lines("ls", SAMPLES[2], "--where", SPAWNERS)
    found = {part.name: part for part in parts(SAMPLES[2], where=SPAWNERS)}
    assert found.keys() == {HEADERS, rows[0][0]}
    assert found[rows[0][0]].size == sum(int(row[3]) for row in rows)
    assert "mSpawnData" in {each.name for each in found[rows[0][0]].parts}


def test_several_saves_add_up():
    one, other, both = (
        Counter({part.name: part.size for part in parts(*paths)}) for paths in (SAMPLES[:1], SAMPLES[1:2], SAMPLES[:2])
    )
    assert both == one + other


def test_real_world(corpus):
    path = corpus / "satisfactory" / "v12-ported-sv58-250k.sav"
    found = Counter()
    for part in parts(path):
        found[part.name] += part.size
    assert found.pop(HEADERS) > 0
    assert found.pop(OUTSIDE) > 0
    assert found == sizes_of_classes(path)


def test_parts_have_parts_of_all_formats():
    """Structs, containers, what Palworld keeps as bytes, trailers, members of archives."""
    deep = {
        "gvas/palworld-0.6.sav": ("SheepBall", "value", "RawData", "object", "SaveParameter"),
        "satisfactory/sv58.sav": ("BP_Museum_C", "mInventoryStacks", "Item"),
        "shapez2/checkpoints.spz2": (OUTSIDE,),
    }
    for name, path in deep.items():
        found = parts(VALID / name, least_share=1 << 40)
        for step in path:
            (part,) = [each for each in found if each.name == step][:1]
            found = part.parts
            assert not found or sum(each.size for each in found) == part.size


def test_hues_are_categories_or_mods():
    found = parts(SAMPLES[2])
    assert {"structures", "nature", "other"} <= {part.hue for part in found}
    mods = {part.hue for part in parts(SAMPLES[2], by_mod=True)}
    assert NO_MOD in mods
    assert {part.hue for part in parts(VALID / "gvas" / "ue5-1018.sav")} == {"", "other"}


# --- where they are ---


SIZES = st.lists(st.integers(1, 1 << 40), max_size=60).map(lambda sizes: sorted(sizes, reverse=True))


@given(SIZES, st.floats(1, 5000), st.floats(1, 5000))
@example([8589924346, 1], 25.0, 7.0)
@example([8589924345, 1], 3.0, 11.0)
def test_areas_fill_the_rectangle(sizes, width, height):
    box = Box(10, 20, width, height)
    places = squares(sizes, box)
    assert len(places) == len(sizes)
    area = width * height
    for size, place in zip(sizes, places, strict=True):
        assert place.width * place.height == pytest.approx(area * size / sum(sizes), rel=1e-6, abs=1e-6 * area)
        assert place.x >= box.x - 1e-6
        assert place.y >= box.y - 1e-6
        assert place.x + place.width <= box.x + width + 1e-6 * width
        assert place.y + place.height <= box.y + height + 1e-6 * height


@given(SIZES)
def test_areas_do_not_overlap(sizes):
    places = squares(sizes, Box(0, 0, 100, 80))
    for number, one in enumerate(places):
        for other in places[:number]:
            across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert min(across, down) <= 1e-6


def test_the_example_of_the_paper():
    """Figure 3: 6, 6, 4, 3, 2, 2, 1 in a rectangle of 6 by 4."""
    places = squares([6, 6, 4, 3, 2, 2, 1], Box(0, 0, 6, 4))
    expected = [
        (0, 0, 3, 2),
        (0, 2, 3, 2),
        (3, 0, 12 / 7, 7 / 3),
        (3 + 12 / 7, 0, 9 / 7, 7 / 3),
        (3, 7 / 3, 6 / 5, 5 / 3),
        (3 + 6 / 5, 7 / 3, 6 / 5, 5 / 3),
        (3 + 12 / 5, 7 / 3, 3 / 5, 5 / 3),
    ]
    for place, each in zip(places, expected, strict=True):
        assert (place.x, place.y, place.width, place.height) == pytest.approx(each)


def test_equal_areas_are_squares():
    assert {(place.width, place.height) for place in squares([1] * 4, Box(0, 0, 2, 2))} == {(1, 1)}


@pytest.mark.parametrize("size", [0.0, 0.5, 2.0, 3.0])
def test_margins_leave_nothing_of_a_small_rectangle(size):
    """The least of parts are thinner than the gaps around them."""
    inside = Box(10, 20, size, 40).inside(1, 2, 1, 2)
    assert (inside.width, inside.height) == (max(size - 2, 0), 36)
    assert 10 <= inside.x <= inside.x + inside.width <= 10 + size
