"""Entries that name another object, or are those of another kind: they are lost, with what may have moved with them."""

from __future__ import annotations

import pytest
from level_surgery import PATTERN, PLACES, VERSIONS, Subject
from truth import given_by

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


@pytest.mark.parametrize("version", VERSIONS)
def test_a_header_and_the_entry_of_another_object_are_missing(version):
    """As many of both are left, and all sizes fit: what is between them has moved."""
    subject = Subject(version)
    subject.take_out(3, headers=[2], entries=[5])
    assert subject.given() == {0, 6, 7, 8, 9}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_name_that_no_object_has_costs_its_own(version):
    """It is damaged in place: nothing has moved."""
    subject = Subject(version)
    start, end = subject.objects[3].data
    at = subject.patient.body.index(b"One_3.Part", start, end)
    subject.edit(at, at + 5, b"One_x")
    assert subject.given() == ALL - {3}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_damaged_name_in_a_header(version):
    """Its entry names what was there; nothing shows which of them is right."""
    subject = Subject(version)
    start, end = subject.objects[3].header
    at = subject.patient.body.index(b"One_3", start, end)
    subject.edit(at, at + 5, b"One_x")
    subject.patient.new_headers.add(subject.objects[3])
    assert subject.given() == ALL - {3}
