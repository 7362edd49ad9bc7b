"""What a reader may ask a selection, and what it may take for granted."""

from __future__ import annotations

import pytest

from streamsave import ObjectHeader
from streamsave.decode.reader import Selecting

HEADER = ObjectHeader(0, "actor", "C", "A", "L", "", None, 0, 0, 4, 0, 4, 0)


def test_everything_is_needed_and_may_match_unless_a_selection_says_otherwise():
    """A reader leaves out data, levels and objects only for a selection that allows it."""
    made = Selecting()
    assert (made.needs_data, made.needs_rest) == (True, True)
    assert made.wants_kind("actor")
    assert made.wants_class("C")
    assert made.wants_names("C", "A", "L")


@pytest.mark.parametrize("question", ["wants_header", "takes"])
def test_whether_an_object_matches_needs_an_answer(question):
    """No answer by default: "yes" would cost time, "no" would lose objects, both unseen."""
    with pytest.raises(NotImplementedError):
        getattr(Selecting(), question)(HEADER)
