"""Corners of belts, pipes, rails and wires."""

from __future__ import annotations

from math import inf, nan, sqrt

import pytest

from streamsave.report.splines import MOST_CORNERS, spline_corners, wire_corners
from streamsave.values import Transform, Vector

HALF = sqrt(0.5)
EAST = (0.0, 0.0, 0.0, 1.0)
SOUTH = (0.0, 0.0, HALF, HALF)


def point(x, y, arrive=(1.0, 0.0), leave=(1.0, 0.0)):
    return {"Location": Vector(x, y, 0.0), "ArriveTangent": Vector(*arrive, 0.0), "LeaveTangent": Vector(*leave, 0.0)}


def corners(points, rotation=EAST, place=(100.0, 200.0, 0.0)):
    return spline_corners(points, Transform(rotation, place, (1.0, 1.0, 1.0)))


def test_a_straight_belt_has_two_corners():
    assert corners([point(0.0, 0.0), point(50.0, 10.0)]) == [100.0, 200.0, 150.0, 210.0]


def test_a_turned_object_turns_its_spline():
    assert corners([point(0.0, 0.0), point(50.0, 10.0)], SOUTH) == pytest.approx([100.0, 200.0, 90.0, 250.0])


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


def test_missing_tangents_make_straight_lines():
    assert corners([{"Location": Vector(0.0, 0.0, 0.0)}, {"Location": Vector(1.0, 1.0, 0.0)}]) == [100.0, 200.0, 101.0, 201.0]


def test_a_rotation_of_no_number_turns_nothing():
    assert corners([point(0.0, 0.0), point(50.0, 10.0)], (nan, nan, nan, nan)) == [100.0, 200.0, 150.0, 210.0]


def test_at_most_so_many_corners():
    found = corners([point(float(number), 0.0) for number in range(MOST_CORNERS + 9)])
    assert len(found) == 2 * MOST_CORNERS


def test_wires():
    one, other = Vector(1.0, 2.0, 3.0), Vector(4.0, 5.0, 6.0)
    wires = [
        {"Locations": one, "Locations[1]": other},
        {"Locations": one},
        {"Locations": one, "Locations[1]": Vector(inf, 0.0, 0.0)},
        7,
    ]
    assert list(wire_corners(wires)) == [[1.0, 2.0, 4.0, 5.0]]
    assert list(wire_corners(None)) == []
