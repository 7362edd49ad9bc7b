"""What is certain of a level: headers or entries are missing, swapped or damaged, or name another object; sizes are wrong.

What is bound shows which of the others belong to each other. With one fault, all but that is certain; with two, what names show.
"""

import pytest
from level_surgery import PATTERN, PLACES, VERSIONS, Subject
from truth import given_by
from truth_worlds import SOUND
from writer.primitives import i32

ALL = set(range(len(PATTERN)))
#: Real saves of all eras.
REAL = ["u3-hv6-sv25-500k", "u5-hv9-sv28-1m", "u7-hv10-sv36-216k", "hv13-sv41-freshstart001", "hv14-sv52-pep-modtest-1"]


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_of_a_sound_save_is_doubted(version):
    assert Subject(version).given() == ALL


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_nothing_of_a_real_save_is_doubted(name, corpus):
    _, losses, _ = given_by((corpus / "satisfactory" / f"{name}.sav").read_bytes())
    assert losses == 0


@pytest.mark.parametrize(("version", "where"), PLACES)
@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        (3, 6, {0}),  # two that are bound: nothing shows where the order is right again
        (3, 4, {0, 6, 7, 8, 9}),  # one of them says nothing: the other one names it
        (3, 8, {0, 6}),  # an actor and a component
        (1, 8, {0, 3, 4, 5, 6}),  # an actor that lists no components, and a component
    ],
)
def test_swapped_entries(version, where, one, other, left):
    """All sizes and numbers fit."""
    subject = Subject(version, where)
    subject.swap(one, other)
    assert subject.given() == left


#: What is certain if the fifth of objects is missing, two of which are bound: it is one of those between these.
ALL_BUT_TWO = {0, 1, 2, 3, 6, 7, 8, 9}


@pytest.mark.parametrize(("version", "where"), PLACES)
@pytest.mark.parametrize(
    ("pattern", "depth", "headers", "entries", "left"),
    [
        (PATTERN, 3, [4], [], ALL_BUT_TWO),
        (PATTERN, 3, [], [4], ALL_BUT_TWO),
        (PATTERN, 0, [], [4], ALL_BUT_TWO),  # no length fits: only names show that one is missing
        (PATTERN, 3, [2], [5], {0, 6, 7, 8, 9}),  # as many of both are left: what is between them has moved
        ("n" * 8, 3, [4], [], set()),  # nothing is bound: any of them may be the one that is missing
        ("n" * 8, 3, [], [4], set()),
    ],
)
def test_headers_and_entries_that_are_missing(version, where, pattern, depth, headers, entries, left):
    """The numbers and sizes fit, so many as `depth` says."""
    subject = Subject(version, where, pattern)
    subject.take_out(depth, headers=headers, entries=entries)
    assert subject.given() == left


@pytest.mark.parametrize("version", VERSIONS)
def test_an_actor_has_the_entry_of_a_component_after_a_damaged_one(version):
    """All numbers and sizes fit: no bytes look like the size of an entry, but others have moved."""
    subject = Subject(version, pattern="nnnncccc")
    subject.take_out(3, headers=[6], entries=[1])
    at = subject.patient.body.index(b"IntProperty", *subject.objects[3].data)
    subject.edit(at - 4, at, b"\7\7\7\7")
    assert subject.given() == set()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("part", ["header", "data"])
def test_a_damaged_name_costs_its_object(version, part):
    """Nothing has moved; whether the header or its entry is right, nothing shows."""
    subject = Subject(version)
    start, end = getattr(subject.objects[3], part)
    at = subject.patient.body.index(b"One_3" if part == "header" else b"One_3.Part", start, end)
    subject.edit(at, at + 5, b"One_x")
    if part == "header":
        subject.patient.new_headers.add(subject.objects[3])
    assert subject.given() == ALL - {3}


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


@pytest.mark.parametrize(("make", "version"), SOUND)
def test_one_wrong_size_costs_one_object(make, version):
    """The objects before it and after it are certain, counted from both ends."""
    sound = make(version)
    place = sound.objects[5]
    given, _, names = given_by(sound.damaged([(place.size, 4, i32(place.end - place.data + 1))]))
    assert len(given) >= len(sound.objects) - 2  # an entry without a version looks like any other bytes
    assert sound.order[5][1] in names
