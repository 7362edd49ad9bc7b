"""What a damaged level says of its numbers costs no memory."""

from __future__ import annotations

import tracemalloc

import pytest
from damage import survived
from level_surgery import VERSIONS, Subject

#: Of a number, more than any level has.
ABSURD = 0x7F7F7F7F
MIB = 1 << 20


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("which", ["toc_count", "data_count"])
def test_an_absurd_number_costs_no_memory(version, which):
    subject = Subject(version)
    subject.patient.numbers[getattr(subject.level, which), 4] = ABSURD
    one = subject.objects[4]
    subject.patient.numbers[one.size_at, 4] = ABSURD
    subject.edit(one.header[0], one.header[0] + 4, b"\7\7\7\7")
    subject.patient.new_headers.add(one)
    data, _ = subject.result()
    tracemalloc.start()
    try:
        survived(data)
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()
