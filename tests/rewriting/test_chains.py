"""Chains of belts without those that were dropped at their ends."""

from __future__ import annotations

import pytest

from streamsave.rewriting.actors import shortened
from streamsave.values import ObjectReference


def belt(name):
    return ObjectReference("L", name)


def chain(*segments, room=10, lead=8):
    """A chain of segments `(name, length, items)`, whose items are in the middle of their segment."""
    at = sum(length for _, length, _ in segments)
    found, items, index = [], [], lead
    for number, (name, length, count) in enumerate(segments):
        at -= length
        found.append(
            {
                "conveyor_base": belt(name),
                "starts_at_length": at,
                "ends_at_length": at + length,
                "first_item_index": index % room if count else -1,
                "last_item_index": (index + count - 1) % room if count else -1,
                "index_in_chain_array": number,
            }
        )
        items += [{"item": f"{name}{each}", "offset": at + length / 2} for each in range(count)]
        index += count
    filled = [segment for segment in found if segment["first_item_index"] >= 0]
    return {
        "object_guid": None,
        "first_conveyor": belt(segments[0][0]),
        "last_conveyor": belt(segments[-1][0]),
        "chain_spline_segments": found,
        "total_length": sum(length for _, length, _ in segments),
        "num_items": room,
        "lead_item_index": filled[0]["first_item_index"] if filled else -1,
        "tail_item_index": filled[-1]["last_item_index"] if filled else -1,
        "conveyor_chain_items": items,
    }


A, B, C, D = ("a", 100.0, 3), ("b", 50.0, 2), ("c", 20.0, 0), ("d", 70.0, 4)


@pytest.mark.parametrize(
    ("segments", "kept", "lead"),
    [
        ((A, B, C, D), (B, C, D), 11),
        ((A, B, C, D), (C, D), 13),
        ((A, B, C, D), (A, B, C), 8),
        ((A, B, C, D), (A,), 8),
        ((A, B, C, D), (B,), 11),
        ((A, B, C, D), (C,), 0),
    ],
)
def test_it_is_as_if_they_had_never_been_there(segments, kept, lead):
    gone = {segment[0] for segment in segments} - {segment[0] for segment in kept}
    assert shortened(chain(*segments), gone.__contains__) == chain(*kept, lead=lead)


@pytest.mark.parametrize("gone", ["", "b", "bc", "abcd", "x"])
def test_chains_that_stay_as_they_are(gone):
    assert shortened(chain(A, B, C, D), frozenset(gone).__contains__) is None


@pytest.mark.parametrize(("field", "value"), [("first_item_index", 7), ("last_item_index", -1), ("last_item_index", 10)])
def test_items_that_are_somewhere_else_than_the_segments_say(field, value):
    damaged = chain(A, B, C, D)
    damaged["chain_spline_segments"][1][field] = value
    assert shortened(damaged, {"a"}.__contains__) is None
    assert shortened(None, {"a"}.__contains__) is None
