"""Damage of which a campaign of random changes has shown that it was misread: nothing is given that is not certain."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from attack.layers import unpack
from attack.spans import spans_of
from attack.surgery import Patient, take_out
from attack.truth import lies
from damage import losses, survived
from level_surgery import LEVELS, VERSIONS, Subject
from saves import SATISFACTORY, deflate, head_and_body, read, read_to_error, without_chunks
from tiling import assert_tiled
from writer.primitives import i32

from streamsave import ObjectHeader, StructEnter

#: Of a number, more than any level has.
ABSURD = 0x7F7F7F7F
MIB = 1 << 20


def assert_no_lies(subject: Subject) -> None:
    """What is given is true, by its events and raw, and each byte is claimed once."""
    data, truth = subject.result()
    assert lies(data, truth, 0) == lies(data, truth, 4) == []
    assert_tiled(survived(data), len(truth.body))


@pytest.mark.parametrize("sample", ["sv25.sav", "sv28.sav", "sv52.sav", "sv51.sbp", "sv58.sbp"])
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_a_header_among_others_of_its_class_is_missing(sample, depth):
    """Some objects do not look like their class: that a pair does not fit says nothing of where the header was."""
    data = (SATISFACTORY / sample).read_bytes()
    head, body = head_and_body(data)
    contents, assemble = unpack(data)
    assert contents[0][1] == body
    level = spans_of(data, body).levels[-1]
    for one in level.objects:
        if "PlayerState" in one.name:
            patient = Patient(body, spans_of(data, body), random.Random(0), [])
            take_out(patient, level, one, "header", depth)
            made, truth = patient.result()
            assert lies(assemble([made], random.Random(0)), truth, 0) == [], one
    assert head


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("out", ["headers", "entries"])
@pytest.mark.parametrize("at", [1, 8])
@pytest.mark.parametrize("depth", [0, 1, 3])
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
        if depth:  # else the number is that of before, and nothing shows a second fault
            assert_no_lies(subject)


@pytest.mark.parametrize("version", LEVELS)
def test_the_level_before_is_broken_and_a_header_is_missing(version):
    """The level is found by its headers: the number before them is its own, and another one than its objects have."""
    subject = Subject(version, pattern="nnnn")
    subject.take_out(1, headers=[3])
    broken = subject.patient.spans.levels[1]
    subject.edit(broken.objects[1].data[0] + 20, broken.objects[1].data[0] + 26, b"")
    data, truth = subject.result()
    assert lies(data, truth, 0) == lies(data, truth, 4) == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("more", [-4, 8])
def test_the_size_of_an_object_leads_to_what_looks_like_an_entry(version, more):
    """The size of the next one looks like a SaveVersion; or zeros, like nothing at all."""
    subject = Subject(version, pattern="nnnn")
    one = subject.objects[1]
    subject.patient.numbers[one.size_at, 4] = one.data[1] - one.data[0] + more
    assert_no_lies(subject)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("less", [1, 4, 8])
def test_the_size_of_the_only_object_is_less(version, less):
    """What is left looks like a part of what follows; the object, like a whole one."""
    subject = Subject(version, pattern="n")
    one = subject.objects[0]
    place = one.size_at, 4
    subject.patient.numbers[place] = subject.patient.value(place) - less
    assert_no_lies(subject)
    data = (SATISFACTORY / "sv46-edited.sav").read_bytes()
    head, body = head_and_body(data)
    (header,) = (event for event in read(data) if isinstance(event, ObjectHeader))
    size = header.data_offset - 4
    cut = survived(deflate(head, body[:size] + i32(header.size - less) + body[size + 4 :]))
    assert ("object", header.instance_name) in losses(cut)


@pytest.mark.parametrize("version", LEVELS)
@pytest.mark.parametrize("change", [1, 40, 400])
def test_the_headers_reach_beyond_their_level(version, change):
    """As their size says: what the next level has is not claimed twice."""
    subject = Subject(version, 1)
    place = subject.level.toc_size
    assert place is not None
    end = subject.patient.spans.levels[-1].objects[-1].entry[1]
    subject.patient.numbers[place] = end - place[0] - place[1] - change
    assert_no_lies(subject)


@pytest.mark.parametrize("version", LEVELS)
def test_a_number_of_levels_that_is_too_large(version):
    """All that comes before the fault is as it is read without resync: levels have the numbers that they have there."""
    subject = Subject(version)
    _, body = head_and_body(subject.data)
    first = next(event for event in read(subject.data) if getattr(event, "name", "") == "level_count")
    data = deflate(subject.head, body[: first.offset] + i32(5) + body[first.offset + 4 :])
    sound, error = read_to_error(data)
    assert error is not None
    for events in (without_chunks(sound), survived(data)):
        levels = [event for event in events if isinstance(event, StructEnter) and event.type_name == "Level"]
        assert [(event.name, event.index) for event in levels[:2]] == [("Cell", 0), ("Next", 1)]


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


@pytest.mark.parametrize("version", LEVELS)
@pytest.mark.parametrize("count", [1, 5])
def test_bytes_that_are_there_twice_and_reach_into_headers(version, count):
    """Headers of both copies lead to where they should: of the one before the damage, or of the one after it."""
    subject = Subject(version)
    start = subject.patient.spans.levels[1].objects[-1].data[0] + 20
    end = subject.objects[count].header[1] - 10
    subject.edit(start, start, subject.patient.body[start:end])
    subject.patient.used.add(subject.patient.spans.levels[1].objects[-1])
    assert_no_lies(subject)


@pytest.mark.parametrize(("sample", "at"), [("sv28.sav", 0x4885), ("sv46.sbp", 0x29A8)])
def test_bytes_that_look_like_an_entry_up_to_the_end(sample, at):
    """Both ends claim the number of the one entry that is damaged: so it is lost."""
    data = (SATISFACTORY / sample).read_bytes()
    head, body = head_and_body(data)
    seen = survived(deflate(head, body[:at] + body[at + 4 :]))
    sizes, given = (
        {one.offset: one.size for one in events if isinstance(one, ObjectHeader) and one.kind != "lightweight"}
        for events in (read(data), seen)
    )
    assert losses(seen)
    assert given.items() <= sizes.items()


@pytest.mark.parametrize("version", VERSIONS)
def test_more_entries_up_to_the_end_than_the_level_has(version):
    """Whose they are, no number says."""
    subject = Subject(version, pattern="nnnn")
    _, end = subject.objects[0].entry
    subject.patient.numbers[subject.objects[0].size_at, 4] = 1 << 20
    subject.edit(end, end, subject.patient.body[slice(*subject.objects[1].entry)] * 8)
    data, _ = subject.result()
    assert losses(survived(data))


@pytest.mark.parametrize("version", LEVELS)
def test_headers_that_are_read_as_a_list(version):
    """What is left of them may look like the list that may follow them: the entries are reported as lost."""
    subject = Subject(version, 0, pattern="n")
    one = subject.objects[0]
    start = one.header[0]
    assert subject.level.data_size is not None
    end = subject.level.data_size[0]
    subject.edit(start, end, i32(0))
    subject.patient.grow([(subject.level.toc_size, start - end + 4), (subject.patient.spans.size, start - end + 4)], 2)
    subject.patient.answers[one] = None
    data, truth = subject.result()
    assert lies(data, truth, 0) == []
    assert losses(survived(data))


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


@pytest.mark.parametrize("version", LEVELS)
def test_the_last_object_lacks_as_many_bytes_as_an_empty_list_has(version):
    """It reaches into the list after it, and the last list of the save may be missing."""
    subject = Subject(version)
    _, end = subject.objects[-1].data
    subject.edit(end - 4, end, b"")
    assert_no_lies(subject)
