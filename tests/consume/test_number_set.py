"""Sets of numbers of 64 bits."""

from __future__ import annotations

import pytest

from streamsave.consume.number_set import FIRST_SIZE, NumberSet

LARGEST = (1 << 63) - 1
#: Numbers that are next to each other, that have their last bits in common, and any.
SERIES = {
    "near": range(1000),
    "negative": range(-1000, -1),
    "same last bits": range(0, 1000 << 40, 1 << 40),
    "any": [hash(str(number)) for number in range(1000)],
    "largest": [LARGEST, -LARGEST - 1, 0, 1],
}


@pytest.mark.parametrize("name", SERIES)
def test_what_was_added_is_there(name):
    numbers = list(SERIES[name])
    found = NumberSet()
    for count, number in enumerate(numbers):
        assert len(found) == count
        assert not found.has(number)
        found.add(number)
        found.add(number)
    assert all(found.has(number) for number in numbers)
    assert not any(found.has(number) for number in (7 << 50, -(7 << 50), 1 << 62))


def test_half_of_the_places_stay_free():
    found = NumberSet()
    for number in range(1, 10 * FIRST_SIZE):
        found.add(number)
        assert 2 * len(found) <= len(found._places)
