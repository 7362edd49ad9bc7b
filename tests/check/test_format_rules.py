"""Rules for formats whose events do not show everything: `test_check` and the tests of the formats have the cases."""

from __future__ import annotations

import pytest
from saves import VALID

import streamsave
from streamsave import Limits
from streamsave.check.format_rules import format_findings
from streamsave.input.source import open_source


@pytest.mark.parametrize(
    ("name", "expected"), [("gvas/ue5-1018.sav", False), ("arx/v1.1.sav", False), ("arx/v1.1-gaps.sav", True)]
)
def test_only_what_is_odd_is_told(name, expected):
    with streamsave.open(VALID / name) as events:
        header = next(events).header
    source = open_source(VALID / name)
    found = {finding.kind for finding in format_findings(header, source, Limits(), None)}
    source.close()
    assert ("unclaimed" in found) == expected
