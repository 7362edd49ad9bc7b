"""Damage of which a campaign of random changes has shown that it was misread: nothing is given that is not certain."""

from __future__ import annotations

import tracemalloc

import pytest
from attack.truth import lies
from damage import losses, survived
from level_surgery import VERSIONS, Subject
from saves import SATISFACTORY, deflate, head_and_body, read
from tiling import assert_tiled
from writer.primitives import i32

from streamsave import ObjectHeader

#: Of a number, more than any level has.
ABSURD = 0x7F7F7F7F
MIB = 1 << 20


def assert_no_lies(subject: Subject) -> None:
    """What is given is true, by its events and raw, and each byte is claimed once."""
    data, truth = subject.result()
    assert lies(data, truth, 0) == lies(data, truth, 4) == []
    assert_tiled(survived(data), len(truth.body))


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
