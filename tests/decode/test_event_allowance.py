"""How many events a file is large enough for, and when its size is asked. `test_limits.py` has all that walks through events."""

from __future__ import annotations

import pytest
from feeding import OnlyRead

from streamsave import LimitExceeded, Limits
from streamsave.decode.cursor import Cursor
from streamsave.decode.event_allowance import EventAllowance
from streamsave.input.source import BytesSource, open_source
from streamsave.input.windows import BytesWindows


def spend_all(source, most=1000, **limits):
    """Spend events up to the first that is refused; return how many there were, and the error."""
    made = Limits(**limits)
    cursor = Cursor(BytesWindows(b""), made)
    allowance = EventAllowance(made)
    allowance.source = source
    for count in range(most):
        try:
            allowance.spend(cursor)
        except LimitExceeded as error:
            with pytest.raises(LimitExceeded):
                allowance.spend(cursor)
            return count, error
    return most, None


@pytest.mark.parametrize(
    ("size", "ratio", "after", "count", "asked"),
    [
        (10, 3, 0, 30, 4),
        (10, 3, 29, 30, 4),
        (10, 3, 30, 30, 4),
        (10, 3, 31, 31, 4),
        (10, 0, 5, 5, 1),
        (10, 1, 0, 10, 2),
        (0, 3, 7, 7, 8),
    ],
)
@pytest.mark.parametrize("feed", [bytes, OnlyRead])
def test_as_many_as_the_file_is_large_enough_for(feed, size, ratio, after, count, asked):
    spent, error = spend_all(open_source(feed(bytes(size))), event_ratio=ratio, event_ratio_after=after)
    assert spent == count
    assert error is not None
    assert (error.limit, error.value, error.allowed) == ("event_ratio", asked, ratio)


def test_without_a_source():
    assert spend_all(None, event_ratio=3, event_ratio_after=7)[0] == 7


def test_large_numbers():
    assert spend_all(BytesSource(bytes(100)), event_ratio=1 << 60, event_ratio_after=0) == (1000, None)


def test_the_size_is_asked_only_above_the_first_so_many():
    class Asked(BytesSource):
        count = 0

        def size(self):
            Asked.count += 1
            return super().size()

    source = Asked(bytes(100))
    assert spend_all(source, most=10, event_ratio_after=10) == (10, None)
    assert Asked.count == 0
    assert spend_all(source, most=500, event_ratio=5, event_ratio_after=10) == (500, None)
    assert Asked.count == 1
