"""Chains over a made sequence: records of `u8 size; size bytes of 7`, up to a 255 that ends it."""

import re

import pytest
from cursors import cursor_over

from streamsave.input.source import open_source
from streamsave.input.windows import BytesWindows, FileWindows
from streamsave.recovery.chains import FAULT, SCAN, STEP, WIDEST, Budget, Records, finder, places

END = 255
FILL = 7


class Sized(Records):
    """Records that start anywhere, as far as their pattern says."""

    def __init__(self, data: bytes, budget: Budget | None = None) -> None:
        super().__init__(cursor_over(data), re.compile(b"(?s)(?=.)"), Budget(PLENTY) if budget is None else budget)
        self.steps = 0

    def read(self) -> bool:
        self.steps += 1
        size = self.cursor.u8()
        return size != END and not set(self.cursor.take(size)) - {FILL}

    def ends(self) -> bool:
        return self.cursor.u8() == END


def sequence(*sizes: int) -> bytes:
    return b"".join(bytes([size]) + bytes([FILL]) * size for size in sizes) + bytes([END])


PLENTY = 1 << 30


def found(records: Records, begin: int) -> tuple[list[int], int] | None:
    """Return where the records start that are found from an offset on, and where the last one ends."""
    place = records.first(begin, lambda _at, left: left > 0)
    if place < 0:
        return None
    left = records.count(place)
    starts, end, is_whole = records.forward(place, left, least=left)
    assert is_whole
    return list(starts), end


def test_forward_goes_to_the_end_or_to_a_fault():
    sound = sequence(2, 3, 4)
    for data, most, expected in (
        (sound, 10, ([0, 3, 7], 12, True)),
        (sound, 2, ([0, 3], 7, False)),
        (sound[:8] + b"\0" + sound[9:], 10, ([0, 3], 7, False)),
    ):
        starts, end, is_whole = Sized(data).forward(0, most)
        assert (list(starts), end, is_whole) == expected


def test_the_fault_that_a_step_has_met():
    records = Sized(sequence(2, 3)[:-1] + b"\7")
    assert (records.step(0), records.error) == (3, None)
    assert records.step(7) == -1
    assert records.error is not None


def test_a_search_finds_the_first_place_that_leads_to_the_end():
    data = bytearray(sequence(2, 3, 4, 5))
    data[4:6] = b"\1\2"  # in the second record; what looks like one there leads nowhere
    assert found(Sized(bytes(data)), 4) == ([7, 12], 18)


def test_a_search_takes_the_last_end():
    assert found(Sized(sequence(2, 3)[:-1] + bytes([END]) + sequence(4)), 0) == ([0, 3], 7)


def test_no_place_is_tried_twice():
    data = bytes([0] * 5_000)
    records = Sized(data)
    assert found(records, 0) is None
    assert records.steps < 2 * len(data)


def test_a_record_of_no_bytes_leads_nowhere():
    class Standing(Sized):
        def read(self) -> bool:
            return True

    budget = Budget(PLENTY)
    assert found(Standing(sequence(2), budget), 0) is None
    assert budget.spend(PLENTY - 4 * (2 * STEP + FAULT + SCAN))  # a step and a look for an end for each place


def test_a_search_ends_with_its_budget():
    records = Sized(bytes([0] * 5_000) + bytes([END]), Budget(100 * STEP))
    assert found(records, 0) is None
    assert records.steps <= 100


A_MARK = finder(re.compile(b"mark"))


@pytest.mark.parametrize("window", ["all", "a piece"])
def test_all_that_is_searched_is_paid_for(window):
    data = bytearray(200_000)
    for at in (0, 65_534, 150_000):
        data[at : at + 4] = b"mark"
    budget = Budget(PLENTY)
    windows = BytesWindows(bytes(data)) if window == "all" else FileWindows(open_source(bytes(data)))
    assert list(places(windows, A_MARK, 0, 150_000, budget, 2)) == [0, 65_534]
    assert 0 <= PLENTY - budget.left - 2 * 150_000 <= 2 * WIDEST
    budget = Budget(2 * 60_000)
    assert list(places(windows, A_MARK, 1, 200_000, budget, 2)) == []
    assert budget.left < 0
