"""Numbers, sizes and bytes that are wrong, as a campaign of random changes has shown: nothing is given that is not certain.

Of bytes that are missing or too many, and that no size counts, what follows the objects says where they end.
"""

import pytest
from attack.surgery import Answer
from attack.truth import lies
from damage import losses, survived
from level_surgery import LEVELS, PATTERN, PLACES, VERSIONS, Subject
from memory import Traced
from saves import SATISFACTORY, deflate, head_and_body, read
from tiling import assert_tiled
from writer.primitives import i32

from streamsave import ObjectHeader

ALL = set(range(len(PATTERN)))
#: Of a number, more than any level has.
ABSURD = 0x7F7F7F7F
MIB = 1 << 20


def assert_no_lies(subject: Subject) -> None:
    """What is given is true, by its events and raw, and each byte is claimed once."""
    data, truth = subject.result()
    assert lies(data, truth, 0) == lies(data, truth, 4) == []
    assert_tiled(survived(data), len(truth.body))


@pytest.mark.parametrize(("version", "where"), PLACES)
@pytest.mark.parametrize(("gone", "new", "depth"), [(5, b"", 0), (5, b"", 1), (5, b"", 2), (0, b"\7" * 9, 0), (0, b"\7" * 9, 2)])
def test_bytes_of_an_object(version, where, gone, new, depth):
    """That object is lost, and those next to it may be, where entries have no versions: they look like any other bytes."""
    subject = Subject(version, where)
    at = subject.objects[4].data[1] - 20
    subject.edit(at, at + gone, new)
    delta = len(new) - gone
    subject.patient.grow([(subject.level.data_size, delta), (subject.patient.spans.size, delta)], depth)
    assert subject.given() >= ALL - ({4, 5} if version >= 41 else {3, 4, 5})


@pytest.mark.parametrize("version", VERSIONS)
def test_a_header_is_missing_and_an_entry_of_another_object(version):
    """There are as many headers as entries, but the level has one more, as it says where its objects start."""
    subject = Subject(version, pattern="nnnn")
    subject.take_out(3, headers=[3])
    start, end = subject.objects[0].entry
    subject.edit(start, end, b"")
    subject.patient.answers[subject.objects[0]] = Answer((subject.objects[0].key,), ())
    assert subject.given() == set()


@pytest.mark.parametrize("version", LEVELS)
def test_a_header_and_an_entry_are_missing_and_the_size_of_the_headers_is_wrong(version):
    """As many are left of both, and the size of the entries fits; but the save lacks bytes, and the headers do."""
    subject = Subject(version, pattern="nn")
    subject.take_out(1, headers=[0])
    subject.take_out(2, entries=[1])
    assert subject.given() == set()


@pytest.mark.parametrize("version", LEVELS)
@pytest.mark.parametrize("depth", [0, 2])
def test_the_last_header_is_missing_after_a_level_with_more_bytes(version, depth):
    """Where the headers start is lost, and the save lacks no bytes: those that were put in make up for the header."""
    subject = Subject(version, pattern="nn")
    subject.take_out(depth, headers=[1])
    at = subject.patient.spans.levels[-2].objects[-1].data[1] - 20
    subject.edit(at, at, b"\7" * 700)
    assert_no_lies(subject)


@pytest.mark.parametrize("version", [41, 46, 58])
def test_sizes_that_are_wrong_by_different_numbers(version):
    """They are of several changes: that one entry is damaged, and the others are counted, is not certain."""
    subject = Subject(version, pattern="nn")
    patient = subject.patient
    first, last = subject.objects
    assert subject.level.data_size is not None
    for place in ((first.size_at, 4), subject.level.data_size, patient.spans.size):
        patient.numbers[place] = 2**31 - 1
    guest = patient.body[slice(*last.entry)].replace(b"mNumber", b"mOthers")
    end = last.entry[1] - 20
    subject.edit(end, end, patient.body[end : last.entry[1] - 2] + guest[: len(guest) - 20])
    assert_no_lies(subject)


@pytest.mark.parametrize("version", [version for version in LEVELS if version >= 51])
def test_bytes_after_the_objects_that_the_size_of_the_last_one_covers(version):
    """All sizes fit, and the tail is sound but for the SaveVersion of the level: that of no save."""
    subject = Subject(version, 0, "nnnn")
    last = subject.objects[-1]
    at = last.entry[1] + 4
    more = subject.patient.body[at : at + 10]
    subject.edit(at, at, more)
    delta = len(more)
    subject.patient.grow([((last.size_at, 4), delta), (subject.level.data_size, delta), (subject.patient.spans.size, delta)], 3)
    assert subject.given() == {0, 1, 2}


@pytest.mark.parametrize("version", LEVELS)
@pytest.mark.parametrize("which", [0, 1])
def test_an_entry_that_is_there_twice_in_a_streaming_level(version, which):
    """All have one size: as many as there should be end where the last one starts, and its zeros look like another level."""
    subject = Subject(version, 0, "nnnn")
    one = subject.objects[which]
    subject.edit(one.entry[1], one.entry[1], subject.patient.body[slice(*one.entry)])
    assert_no_lies(subject)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("out", ["headers", "entries"])
@pytest.mark.parametrize("at", [1, 8])
@pytest.mark.parametrize("depth", [1, 3])
def test_one_is_missing_and_another_is_broken(version, out, at, depth):
    """The numbers differ: both ends of the level are counted from anchors only."""
    for part in ("size", "header"):
        subject = Subject(version, pattern="nnnnbnnnnn")
        subject.take_out(depth, **{out: [at]})
        other = subject.objects[5]
        if part == "size":
            subject.patient.numbers[other.size_at, 4] = 1 << 20
        else:
            subject.edit(other.header[0], other.header[0] + 4, b"\7\7\7\7")
            subject.patient.new_headers.add(other)
        assert_no_lies(subject)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("less", [1, 4, 8])
def test_the_size_of_the_only_object_is_less(version, less):
    """What is left looks like a part of what follows; the object, like a whole one."""
    subject = Subject(version, pattern="n")
    place = subject.objects[0].size_at, 4
    subject.patient.numbers[place] = subject.patient.value(place) - less
    assert_no_lies(subject)
    data = (SATISFACTORY / "sv46-edited.sav").read_bytes()
    head, body = head_and_body(data)
    (header,) = (event for event in read(data) if isinstance(event, ObjectHeader))
    size = header.data_offset - 4
    cut = survived(deflate(head, body[:size] + i32(header.size - less) + body[size + 4 :]))
    assert ("object", header.instance_name) in losses(cut)


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
    with Traced() as memory:
        survived(data)
    assert memory.peak < 8 * MIB


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("new", [b"", b"\0\0"])
def test_the_zeros_that_start_a_header_are_more_or_fewer(version, new):
    """With a zero of the header before them, or without the first one, they start one elsewhere."""
    subject = Subject(version)
    one = subject.objects[8]
    start = one.header[0]
    subject.edit(start + 1, start + 2, new)
    subject.patient.new_headers.add(one)
    assert_no_lies(subject)
