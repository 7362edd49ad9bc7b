"""The layout of areas in a rectangle."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamsave.cli.treemap_layout import Box, squares

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
