"""Bools, whose values are in their tags."""

from __future__ import annotations

import pytest
from saves import VALID

import streamsave
from streamsave import PropertyTag
from streamsave.rewriting import rewrite

SAMPLES = [
    "satisfactory/sv46.sav",
    "satisfactory/sv60.sav",
    "gvas/ue4-440-version-1.sav",
    "gvas/ue5-1011.sav",
    "gvas/ue5-1018.sav",
]


def bools(path):
    with streamsave.open(path) as events:
        return [(event.name, event.flag) for event in events if isinstance(event, PropertyTag) and event.type == "BoolProperty"]


@pytest.mark.parametrize("sample", SAMPLES)
def test_all_bools_are_turned(tmp_path, sample):
    target = tmp_path / "out.sav"
    with rewrite(VALID / sample, target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.type == "BoolProperty":
                save.replace(not event.flag)
    before = bools(VALID / sample)
    assert {flag for _, flag in before} == {True, False}
    assert bools(target) == [(name, not flag) for name, flag in before]
