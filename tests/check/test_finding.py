"""What a check reports."""

from __future__ import annotations

import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError

from streamsave.check import FATAL, FINDING, NOTE, Finding


def test_a_finding_is_a_value():
    """Findings compare by what they say, may be members of a set, and do not change."""
    found = Finding(FINDING, "md5", "MD5 differs")
    assert (found.offset, found.path) == (None, ())
    assert len({found, evolve(found), evolve(found, offset=0)}) == 2
    with pytest.raises(FrozenInstanceError):
        found.severity = NOTE


def test_severities():
    """Programs may have stored them."""
    assert (FATAL, FINDING, NOTE) == ("fatal", "finding", "note")
