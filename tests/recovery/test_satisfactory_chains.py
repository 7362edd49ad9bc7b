"""Whether headers and entries lead to their ends, and where they break off."""

from __future__ import annotations

import pytest
from level_surgery import PATTERN, VERSIONS, Subject

ALL = set(range(len(PATTERN)))


@pytest.mark.parametrize("version", [version for version in VERSIONS if version < 41])
def test_a_size_that_leads_to_the_next_entry_but_one(version):
    """Entries have no version: what is in an object may look like one, and lead to the right place."""
    subject = Subject(version)
    one, other = subject.objects[4], subject.objects[5]
    at = one.data[1] - 20
    subject.edit(at, at + 4, (other.entry[1] - at - 4).to_bytes(4, "little"))
    subject.patient.numbers[one.size_at, 4] = at - one.data[0]
    assert subject.given() == ALL - {4, 5}
