"""A function that chooses objects."""

from __future__ import annotations

import pytest
from saves import SATISFACTORY

import streamsave
from streamsave import ObjectHeader
from streamsave.query.asked_filter import AskedFilter


def test_it_is_asked_once_for_each_object():
    with streamsave.open(SATISFACTORY / "sv46.sav") as events:
        headers = [event for event in events if isinstance(event, ObjectHeader)]
    asked = []
    wanted = AskedFilter(lambda header: asked.append(header) or header is headers[1])
    answers = [(wanted.wants_header(header), wanted.takes(header)) for header in headers[:3]]
    assert answers == [(False, False), (True, True), (False, False)]
    assert asked == headers[:3]


@pytest.mark.parametrize("name", ["", "/Game/A.A"])
def test_a_header_is_needed_to_answer(name):
    wanted = AskedFilter(lambda _: False)
    assert wanted.wants_class(name)
    assert wanted.wants_names(name, name, name)
    assert wanted.needs_data
