"""Real worlds of Palworld: how many `RawData` of each kind end at their last byte, against what an independent checker says."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from saves import real_names

import streamsave
from streamsave import BlobSkip, Event, PropertyTag, StructEnter
from streamsave.errors import PathStep
from streamsave.formats.palworld.layouts import PLACES

EMPTY = 4
#: What the checker does not know: its name of the kind -> ours. All of these end at their last byte.
READ_SINCE = {
    "(unknown) worldSaveData.MapObjectSaveData.#.Model.EffectMap.#.value.RawData": "effect",
    "connector": "connector",
    "concrete": "concrete",
}


@pytest.fixture(params=real_names("gvas/palworld-level-*.sav"))
def world(request: pytest.FixtureRequest, real_save: Callable[[str], Path]) -> Path:
    """A real world."""
    return real_save(f"gvas/{request.param}")


def place(path: tuple[PathStep, ...]) -> str:
    """The last two names of a path, without keys and values of maps."""
    return ".".join([step for step in path if isinstance(step, str) and step not in {"key", "value"}][-2:])


def outcome(tag: PropertyTag, after: Event | None, *, is_known: bool) -> str:
    """What became of a `RawData`, in the words of the checker."""
    if tag.size == EMPTY:
        return "empty"
    if isinstance(after, StructEnter) and after.offset == tag.value_offset:
        return "exact"
    assert isinstance(after, BlobSkip), "a value without a layout is passed over"
    return "wrong" if is_known else "not tried"


@pytest.mark.slow
def test_each_kind_ends_at_its_last_byte(world):
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    last: tuple[PropertyTag, tuple[PathStep, ...]] | None = None
    with streamsave.open(world) as events:
        for event in events:
            if last is not None:
                tag, path = last
                known = PLACES.get(place(path[:-1]))
                where = ".".join("#" if isinstance(step, int) else step for step in path)
                kind = f"(unknown) {where}" if known is None else known.kind
                counts[kind][outcome(tag, event, is_known=known is not None)] += 1
            last = (event, events.path) if isinstance(event, PropertyTag) and event.name == "RawData" else None
    expected = json.loads((world.parent / "expected" / f"{world.name}.json").read_text("utf-8"))["raw_data"]
    for kind in READ_SINCE.keys() & expected.keys():
        since: Counter[str] = Counter()
        for said, count in expected.pop(kind).items():
            since["empty" if said == "empty" else "exact"] += count
        expected[READ_SINCE[kind]] = dict(since)
    assert {kind: dict(count) for kind, count in counts.items()} == expected
