"""What is certain where something is damaged: with one fault, all but that; with two, what names show."""

from __future__ import annotations

import pytest
from level_surgery import VERSIONS, Subject


@pytest.mark.parametrize("version", VERSIONS)
def test_a_wrong_size_and_a_missing_entry(version):
    """The bytes after the wrong size may look like the entry that is missing: so numbers show nothing."""
    subject = Subject(version, pattern="bnnbnnbnnb")
    subject.take_out(0, entries=[4])
    one = subject.objects[8]
    subject.patient.numbers[one.size_at, 4] = 0
    assert subject.given() <= {0, 1, 2, 3, 9}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_header_next_to_one_that_cannot_be_read(version):
    """Bytes may be missing in an actor's place: nothing in it shows where it ends. Names show that."""
    subject = Subject(version, pattern="nnnnccccc")
    start, end = subject.objects[2].header
    subject.edit(end - 30, end - 29, b"")
    assert 0 in subject.given() or version < 29
    subject = Subject(version, pattern="nnnnccccc")
    start, _ = subject.objects[6].header
    subject.edit(start, start + 4, b"\7\7\7\7")
    assert subject.given() == set(range(9)) - {6}
