"""Chains over a made sequence: records of `u8 size; size bytes of 7`, up to a 255 that ends it."""

from __future__ import annotations

from collections.abc import Iterator

from streamsave import DamagedSave
from streamsave.recovery.chains import STEP, Budget, forward, suffix

END = 255
FILL = 7


class Sized:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.steps = 0

    def step(self, at: int) -> int:
        self.steps += 1
        end = at + 1 + self.data[at] if at < len(self.data) else len(self.data) + 1
        if end > len(self.data) or self.data[at] == END or set(self.data[at + 1 : end]) - {FILL}:
            raise DamagedSave("no record", at)
        return end

    def starts(self, begin: int, end: int) -> Iterator[int]:
        return iter(range(begin, end))

    def is_end(self, at: int) -> bool:
        return at < len(self.data) and self.data[at] == END


def sequence(*sizes: int) -> bytes:
    return b"".join(bytes([size]) + bytes([FILL]) * size for size in sizes) + bytes([END])


PLENTY = 1 << 20


def test_forward_goes_to_the_end():
    chain = forward(Sized(sequence(2, 3, 4)), 0, 10, Budget(PLENTY))
    assert (list(chain.starts), chain.end, chain.error) == ([0, 3, 7], 12, None)
    chain = forward(Sized(sequence(2, 3, 4)), 0, 2, Budget(PLENTY))
    assert (list(chain.starts), chain.end, chain.error) == ([0, 3], 7, None)


def test_forward_stops_at_a_fault():
    data = bytearray(sequence(2, 3, 4))
    data[8] = 0
    chain = forward(Sized(bytes(data)), 0, 10, Budget(PLENTY))
    assert (list(chain.starts), chain.end) == ([0, 3], 7)
    assert isinstance(chain.error, DamagedSave)


def test_suffix_finds_the_first_place_that_leads_to_the_end():
    data = bytearray(sequence(2, 3, 4, 5))
    data[4:6] = b"\1\2"  # in the second record; what looks like one there leads nowhere
    chain = suffix(Sized(bytes(data)), 4, len(data), Budget(PLENTY))
    assert chain is not None
    assert (list(chain.starts), chain.end) == ([7, 12], 18)


def test_suffix_takes_the_last_end():
    first = sequence(2, 3)
    data = first[:-1] + bytes([END]) + sequence(4)
    records = Sized(data)
    chain = suffix(records, 0, len(data), Budget(PLENTY))
    assert chain is not None
    assert (list(chain.starts), chain.end) == ([0, 3], 7)


def test_no_place_is_tried_twice():
    data = bytes([0] * 5_000)
    records = Sized(data)
    assert suffix(records, 0, len(data), Budget(PLENTY)) is None
    assert records.steps < 2 * len(data)


def test_a_record_of_no_bytes_leads_nowhere():
    records = Sized(sequence(2))
    records.step = lambda at: at
    budget = Budget(PLENTY)
    assert suffix(records, 0, 3, budget) is None
    assert budget.spend(PLENTY - 3 * STEP)  # one step for each place


def test_a_search_ends_with_its_budget():
    data = bytes([0] * 5_000) + bytes([END])
    records = Sized(data)
    assert suffix(records, 0, len(data), Budget(100 * STEP)) is None
    assert records.steps <= 100
    assert len(forward(Sized(data), 0, PLENTY, Budget(100 * STEP)).starts) == 100
