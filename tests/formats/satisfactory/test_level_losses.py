"""What is given up is reported, as far as it is known what it was."""

from __future__ import annotations

import pytest
from damage import survived
from level_surgery import PATTERN, VERSIONS, Subject
from satisfactory_layouts import header_of
from saves import deflate, head_and_body
from tiling import assert_tiled
from writer.satisfactory import World, save_bytes

from streamsave import Damage


@pytest.mark.parametrize("version", [version for version in VERSIONS if version < 29])
@pytest.mark.parametrize("number", [3, 8])
def test_a_number_of_headers_that_nothing_else_shows(version, number):
    """No size says where they end: how many are lost is not known, and nothing of them is given."""
    subject = Subject(version)
    subject.patient.numbers[subject.level.toc_count, 4] = number
    assert subject.given() == set()
    data, _ = subject.result()
    losses = [event.lost for event in survived(data) if isinstance(event, Damage)]
    assert ("headers", -1) in {(lost.kind, lost.count) for lost in losses}


@pytest.mark.parametrize("version", VERSIONS)
def test_names_of_what_is_lost(version):
    """Headers are sound where entries are not: each object is reported by its name."""
    subject = Subject(version)
    subject.patient.numbers[subject.objects[4].size_at, 4] = 1 << 20
    given = subject.given()
    data, _ = subject.result()
    names = {event.lost.name for event in survived(data) if isinstance(event, Damage)}
    assert {subject.objects[at].name for at in range(len(PATTERN)) if at not in given} <= names


@pytest.mark.parametrize("version", [25, 28])
def test_a_loss_without_bytes_claims_none(version):
    """It is where the number of objects is, which was given already. No size says where headers end."""
    head, body = head_and_body(save_bytes(World(header_of(version), [], [])))
    cut = (8).to_bytes(4, "little") + body[4:12]
    seen = survived(deflate(head, cut))
    assert_tiled(seen, len(cut))
    assert any(isinstance(event, Damage) and event.lost.kind == "headers" and event.size == 0 for event in seen)
