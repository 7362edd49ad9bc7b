"""Records come back in their order, whether they were in memory or in runs of a file."""

from __future__ import annotations

import random

import pytest

from streamsave.compare.sorted_records import SortedRecords

RECORDS = [bytes([n % 7, n % 11, n % 13]) for n in random.Random(5).sample(range(2000), 1300)]


@pytest.mark.parametrize("most_held", [1, 2, 600, 1300, 5000])
def test_records_come_sorted(most_held):
    records = SortedRecords(3, most_held)
    for record in RECORDS:
        records.add(record)
    assert list(records) == sorted(RECORDS)
    assert list(records) == sorted(RECORDS)  # again
    records.close()
    assert list(records) == []


def test_what_is_held_is_bounded():
    records = SortedRecords(3, 10)
    for record in RECORDS:
        records.add(record)
        assert len(records._held) < 10
    records.close()
