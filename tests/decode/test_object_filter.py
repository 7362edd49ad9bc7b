"""The interface of a selection: what a reader may take for granted, and what a subclass has to answer."""

from __future__ import annotations

import pytest

from streamsave import ObjectHeader
from streamsave.decode.object_filter import ObjectFilter

HEADER = ObjectHeader(0, "actor", "C", "A", "L", "", None, 0, 0, 4, 0, 4, 0)


def test_a_filter_needs_everything_unless_it_says_otherwise():
    """A reader leaves out data and levels only for a filter that allows it."""
    made = ObjectFilter()
    assert (made.needs_data, made.needs_rest) == (True, True)


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("wants_class", ("C",)),
        ("wants_names", ("C", "A", "L")),
        ("wants_header", (HEADER,)),
        ("takes", (HEADER,)),
    ],
)
def test_each_question_needs_an_answer(question, arguments):
    """No answer by default: "yes" would cost time, "no" would lose objects, both unseen."""
    with pytest.raises(NotImplementedError):
        getattr(ObjectFilter(), question)(*arguments)
