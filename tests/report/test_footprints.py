"""How much room objects take, seen from above; corners of belts, pipes, rails and wires."""

from collections import Counter
from itertools import product
from math import inf, nan, sqrt

import pytest
from saves import headers_of

from streamsave.formats.shapez2.game_reader import BUILDING, ISLAND, SQUARE_TILES, tile_of
from streamsave.report.footprints import MOST_CORNERS, footprint, spline_corners, turn_of, wire_corners
from streamsave.values import Transform, Vector

HALF = sqrt(0.5)


@pytest.mark.parametrize(
    ("kind", "class_name", "rectangles"),
    [
        ("lightweight", "/Game/A.Build_Foundation_8x4_01_C", [(-4, -4, 8, 8)]),
        ("lightweight", "Build_Wall_8x4_01_C", [(-0.3, -4, 0.6, 8)]),
        ("actor", "Build_ManufacturerMk1_C", [(-9, -10, 18, 20)]),
        ("actor", "Build_ConveyorPole_C", [(-0.5, -0.5, 1, 1)]),
        ("actor", "BP_BerryBush_C", []),
        ("base", "base", [(-35, -35, 70, 70)]),
        ("map-object", "Wooden_wall", []),
        ("island", "Foundation_1x1", [(-10, -10, 20, 20)]),
        ("island", "Foundation_1x4", [(-30, -10, 80, 20)]),
        ("island", "Foundation_2x4", [(-30, -10, 80, 40)]),
        ("island", "Foundation_2x4_Flipped", [(-30, -30, 80, 40)]),
        ("island", "Foundation_L3_Flipped", [(-10, -10, 40, 20), (-10, -30, 20, 20)]),
        ("island", "Layout_TrainUnloader_Fluids_Flipped", [(-10, -10, 20, 40)]),
        ("island", "Layout_TrainStation", [(-10, -10, 20, 20)]),
        ("building", "BeltDefaultForwardInternalVariant", [(-0.5, -0.5, 1, 1)]),
        ("building", "CutterHalfInternalVariant", [(-0.5, -0.5, 1, 1)]),
        ("building", "CutterDefaultInternalVariant", [(-0.5, -1.5, 1, 2)]),
        ("building", "CutterDefaultInternalVariantMirrored", [(-0.5, -0.5, 1, 2)]),
    ],
)
def test_sizes(kind, class_name, rectangles):
    assert list(footprint(kind, class_name).boxes) == rectangles


@pytest.mark.parametrize(
    ("rotation", "turn"),
    [
        ((0, 0, 0, 1), 0),
        ((0, 0, HALF, HALF), 64),
        ((0, 0, 1, 0), 128),
        ((0, 0, -HALF, HALF), 192),
        ((0, 0, nan, 1), 0),
        ((0, -0.8491546511650085, 0, 0.5281442403793335), 128),  # a deposit of resources on a slope, of Update 5
    ],
)
def test_turns(rotation, turn):
    assert turn_of(Transform(rotation, (0, 0, 0), (1, 1, 1))) == turn


def cells_of(header) -> set[tuple[int, int]]:
    """The tiles of a building or the squares of an island, on the map."""
    x, y = tile_of(header)
    size = SQUARE_TILES if header.kind == ISLAND else 1
    east, south = ((1, 0), (0, 1), (-1, 0), (0, -1))[header.flags & 3]
    found = set()
    for left, top, wide, long in footprint(header.kind, header.class_name).boxes:
        for column, row in product(range(int(wide / size)), range(int(long / size))):
            h, v = left + (column + 0.5) * size, top + (row + 0.5) * size
            found.add((int((x + h * east - v * south) // size), int((y + h * south + v * east) // size)))
    return found


@pytest.mark.slow
def test_buildings_of_players_share_no_tile_and_stand_on_their_islands(corpus):
    """All blueprint codes: what is wrong in a footprint overlaps something, or is beside the island."""
    used = Counter()
    for path in sorted((corpus / "shapez2" / "blueprints").iterdir()):
        headers = [event for event in headers_of(path) if event.kind in {ISLAND, BUILDING}]
        squares = {header.instance_name: cells_of(header) for header in headers if header.kind == ISLAND}
        tiles = Counter()
        islands = [header for header in headers if header.kind == ISLAND]
        floors = Counter((square, header.transform.translation[2]) for header in islands for square in cells_of(header))
        assert not floors or max(floors.values()) == 1, path
        for header in headers:
            if header.kind == BUILDING:
                cells = cells_of(header)
                tiles.update((x, y, header.transform.translation[2]) for x, y in cells)
                used[len(cells)] += 1
                if header.outer:
                    assert {(x // SQUARE_TILES, y // SQUARE_TILES) for x, y in cells} <= squares[header.outer], header
        assert not tiles or max(tiles.values()) == 1, path
    assert used[1] > 100_000
    assert min(used[2], used[5], used[9]) > 50


EAST = (0.0, 0.0, 0.0, 1.0)


def point(x, y, arrive=(1.0, 0.0), leave=(1.0, 0.0)):
    return {"Location": Vector(x, y, 0.0), "ArriveTangent": Vector(*arrive, 0.0), "LeaveTangent": Vector(*leave, 0.0)}


def corners(points, rotation=EAST, place=(100.0, 200.0, 0.0)):
    return spline_corners(points, Transform(rotation, place, (1.0, 1.0, 1.0)))


def test_a_bend_is_drawn_as_one():
    found = corners([point(0.0, 0.0, leave=(100.0, 0.0)), point(50.0, 50.0, arrive=(0.0, 100.0))], place=(0.0, 0.0, 0.0))
    assert len(found) == 2 * 5
    xs, ys = found[::2], found[1::2]
    assert xs == sorted(xs)
    assert ys == sorted(ys)
    # It leaves to the east, so it is below the straight line.
    assert all(y < x for x, y in list(zip(xs, ys, strict=True))[1:-1])
    # The middle of Hermite's curve.
    assert (xs[2], ys[2]) == (25 + 100 / 8, 25 - 100 / 8)
    elsewhere = [point(64.0, 32.0, leave=(100.0, 0.0)), point(114.0, 82.0, arrive=(0.0, 100.0))]
    assert corners(elsewhere, place=(0.0, 0.0, 0.0)) == [at + (32 if number % 2 else 64) for number, at in enumerate(found)]


@pytest.mark.parametrize("far", [0.0, 1000.0])
@pytest.mark.parametrize(("bend", "count"), [(23.0, 2), (25.0, 5)])
def test_a_bend_is_drawn_from_three_hundredths_of_its_length_on(far, bend, count):
    """The middle is off by an eighth of the difference of the tangents, wherever the line is."""
    line = [point(far, far, leave=(100.0, bend)), point(far + 100.0, far, arrive=(100.0, 0.0))]
    assert len(corners(line, place=(0.0, 0.0, 0.0))) == 2 * count


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        [],
        [point(0.0, 0.0)],
        [{"Location": 7}, {"Location": None}, {}],
        [point(0.0, 0.0), point(nan, 0.0)],
        [point(0.0, 0.0), point(inf, 0.0)],
        [point(0.0, 0.0), 7],
    ],
)
def test_what_is_no_line(value):
    assert corners(value) == []


def test_a_rotation_of_no_number_turns_nothing():
    assert corners([point(0.0, 0.0), point(50.0, 10.0)], (nan, nan, nan, nan)) == [100.0, 200.0, 150.0, 210.0]


def test_at_most_so_many_corners():
    assert len(corners([point(float(number), 0.0) for number in range(MOST_CORNERS + 9)])) == 2 * MOST_CORNERS


def test_wires():
    one, other = Vector(1.0, 2.0, 3.0), Vector(4.0, 5.0, 6.0)
    none = [{"Locations": one}, {"Locations": one, "Locations[1]": Vector(inf, 0.0, 0.0)}, 7]
    assert list(wire_corners([{"Locations": one, "Locations[1]": other}, *none])) == [[1.0, 2.0, 4.0, 5.0]]
    assert list(wire_corners(None)) == []
