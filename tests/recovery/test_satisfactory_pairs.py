"""Headers or entries that are missing or too many: what is bound shows which of the others belong to each other."""

from __future__ import annotations

import pytest
from level_surgery import PLACES, VERSIONS, Subject


@pytest.mark.parametrize(("version", "where"), PLACES)
@pytest.mark.parametrize("kind", ["headers", "entries"])
def test_one_is_missing_and_all_lengths_fit(version, where, kind):
    """It is one of those between two bound ones."""
    subject = Subject(version, where)
    subject.take_out(3, **{kind: [4]})
    assert subject.given() == {0, 1, 2, 3, 6, 7, 8, 9}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["headers", "entries"])
def test_where_nothing_is_bound_nothing_is_certain(version, kind):
    """Any of them may be the one that is missing."""
    subject = Subject(version, pattern="n" * 8)
    subject.take_out(3, **{kind: [4]})
    assert subject.given() == set()
