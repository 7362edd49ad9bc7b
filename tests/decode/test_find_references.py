"""References that are found without building: the same ones, with the same errors and limits."""

from __future__ import annotations

import pytest
from saves import SATISFACTORY, VALID, deflate, head_and_body

import streamsave
from streamsave import Field, LimitExceeded, Limits, PropertyTag, SaveError, StructEnter
from streamsave.decode.references import references_in

SAVES = sorted(path for path in VALID.glob("*/*") if path.is_file())


def found_or_raised(events, limits, verb, kinds=(Field, PropertyTag)):
    """What a verb gives for the values of a save, or its error, which ends the save."""
    results = []
    with streamsave.open(events, limits=limits) as stream:
        try:
            results.extend(verb(stream) for event in stream if isinstance(event, kinds))
        except SaveError as error:
            results.append((type(error), str(error), error.offset))
    return results


@pytest.mark.parametrize("path", SAVES, ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.parametrize("kinds", [(Field, PropertyTag), (StructEnter,)], ids=["values", "nestings"])
def test_the_same_as_in_built_values(path, kinds):
    built = found_or_raised(path, None, lambda stream: references_in(stream.build()), kinds)
    assert found_or_raised(path, None, lambda stream: stream.references(), kinds) == built


@pytest.mark.parametrize("name", ["sv58.sav", "sv46.sav", "sv36.sbp"])
@pytest.mark.parametrize("most", [*range(0, 60, 3), 100, 1000])
def test_the_same_limits_as_for_building(name, most):
    for limits in (Limits(build_nodes=most), Limits(build_size=most), Limits(string_size=most)):
        built = found_or_raised(SATISFACTORY / name, limits, lambda stream: references_in(stream.build()))
        assert found_or_raised(SATISFACTORY / name, limits, lambda stream: stream.references()) == built


def test_limits_are_met():
    """Otherwise the test before this one would compare nothing."""
    results = found_or_raised(SATISFACTORY / "sv58.sav", Limits(build_nodes=3), lambda stream: stream.references())
    assert results[-1][0] is LimitExceeded


@pytest.mark.parametrize("seed", range(40))
def test_the_same_errors_as_building(seed):
    """Bytes of a save that was changed in one place: a fault is found in both ways, with the same text."""
    head, body = head_and_body((SATISFACTORY / "sv58.sav").read_bytes())
    changed = bytearray(body)
    changed[len(body) * (seed + 1) // 42] ^= 0xFF
    data = deflate(head, bytes(changed))
    built = found_or_raised(data, None, lambda stream: references_in(stream.build()))
    assert found_or_raised(data, None, lambda stream: stream.references()) == built
