"""A size that leads to the start of a later entry, or to what looks like one: too few or too many entries lead to the end."""

from __future__ import annotations

import pytest
from level_surgery import PATTERN, VERSIONS, Subject

ALL = set(range(len(PATTERN)))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("covered", [1, 2, 4])
def test_a_size_that_takes_in_the_next_objects(version, covered):
    """It costs these and its own: all others are certain, as the bytes after its own data are so many entries."""
    subject = Subject(version)
    one, last = subject.objects[3], subject.objects[3 + covered]
    subject.patient.numbers[one.size_at, 4] = last.data[1] - one.data[0]
    assert subject.given() == ALL - set(range(3, 4 + covered))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_size_that_leaves_out_what_looks_like_an_entry(version):
    """The rest of its data reads as an entry of its own, and both as one object."""
    subject = Subject(version)
    one = subject.objects[4]
    head = one.entry[0], one.data[0]
    # Data that end in an entry's first bytes and what these enclose cannot be whole: so it is lost with its own object only.
    size = one.data[0] - one.entry[0]
    at = one.data[1] - 8 - size
    subject.edit(at, at + size, subject.patient.body[slice(*head)][:-4] + (8).to_bytes(4, "little"))
    subject.patient.numbers[one.size_at, 4] = at - one.data[0]
    assert subject.given() <= ALL - {4}
