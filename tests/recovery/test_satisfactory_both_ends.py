"""What is certain where something is damaged: with one fault, all but that; with two, what names show."""

from __future__ import annotations

import pytest
from attack.surgery import Answer
from level_surgery import PATTERN, VERSIONS, Subject
from writer.primitives import i32

ALL = set(range(len(PATTERN)))
#: Those whose entries start with a SaveVersion.
ENTRY_VERSIONS = [version for version in VERSIONS if version >= 41]


def empty_entry(version: int) -> bytes:
    """An entry without data; many other bytes look like it."""
    return i32(version) + bytes(8 if version < 53 else 12)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_wrong_size_and_a_missing_entry(version):
    """The bytes after the wrong size may look like the entry that is missing: so numbers show nothing."""
    subject = Subject(version, pattern="bnnbnnbnnb")
    subject.take_out(0, entries=[4])
    one = subject.objects[8]
    subject.patient.numbers[one.size_at, 4] = 0
    assert subject.given() <= {0, 1, 2, 3, 9}


@pytest.mark.parametrize("version", VERSIONS)
def test_two_wrong_sizes(version):
    """What is before the one, and what is after the other; nothing between them."""
    subject = Subject(version, pattern="bnnbnnbnnb")
    for at in (1, 7):
        subject.patient.numbers[subject.objects[at].size_at, 4] = 1 << 20
    assert {9} <= subject.given() <= {0, 8, 9}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_missing_header_and_a_broken_one(version):
    """The numbers differ: so what is not up to an anchor is lost."""
    subject = Subject(version, pattern="bnnbnnbnnb")
    subject.take_out(3, headers=[4])
    start, _ = subject.objects[7].header
    subject.edit(start, start + 4, b"\7\7\7\7")
    assert subject.given() == {0, 1, 2, 3, 9}


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


@pytest.mark.parametrize("version", ENTRY_VERSIONS)
def test_bytes_that_look_like_empty_entries_after_a_broken_one(version):
    """More entries can be read than there are, so those that say nothing need not be any."""
    subject = Subject(version, pattern="n" * 10)
    start, end = subject.objects[6].entry
    subject.edit(start, start + 4, b"\7\7\7\7")
    new = 2 * empty_entry(version)
    subject.edit(end, end, new)
    subject.patient.grow([(subject.level.data_size, len(new)), (subject.patient.spans.size, len(new))], 2)
    assert {0, 1, 2, 7, 8, 9} <= subject.given()


@pytest.mark.parametrize("version", ENTRY_VERSIONS)
def test_bytes_that_look_like_the_last_entry_of_a_level_that_is_cut(version):
    """Its size was made to fit, but nothing follows it as it should: that sizes lead there proves nothing."""
    subject = Subject(version, pattern="nn")
    first, *others = subject.objects
    start, end = first.data[0] + 20, others[-1].entry[1]
    new = empty_entry(version)
    subject.edit(start, end, new)
    subject.edit(end, end + 4, b"\7\7\7\7")
    delta = len(new) - (end - start)
    subject.patient.grow([(subject.level.data_size, delta), (subject.patient.spans.size, delta)], 2)
    for one in others:
        subject.patient.answers[one] = Answer((one.key,), ())
    assert subject.given() == set()


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


@pytest.mark.parametrize("version", [version for version in VERSIONS if version < 41])
def test_a_size_that_leads_to_the_next_entry_but_one(version):
    """Entries have no version: what is in an object may look like one, and lead to the right place."""
    subject = Subject(version)
    one, other = subject.objects[4], subject.objects[5]
    at = one.data[1] - 20
    subject.edit(at, at + 4, (other.entry[1] - at - 4).to_bytes(4, "little"))
    subject.patient.numbers[one.size_at, 4] = at - one.data[0]
    assert subject.given() == ALL - {4, 5}
