"""Real Satisfactory saves, against what an independent checker has counted in them."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from saves import expected, real_names
from tiling import Tiling

import streamsave
from streamsave import Field, ObjectHeader, PropertyTag, SaveEnd, SaveStart

#: Property lists that the checker takes for raw bytes: the payload of a mod's dynamic struct.
MORE_THAN_THE_CHECKER = {"v11-hv14-sv52-mods-3m.sav": Counter(StrProperty=2)}


@pytest.fixture(params=real_names("satisfactory/*.sav"))
def save(request: pytest.FixtureRequest, real_save: Callable[[str], Path]) -> Path:
    """A real save."""
    return real_save(f"satisfactory/{request.param}")


def destroyed_actors(path: Path) -> int:
    """How many actors the levels' lists of destroyed actors hold: the lists after the data, not their copies."""
    count = 0
    with streamsave.open(path) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                events.skip()
            elif isinstance(event, Field) and event.name == "destroyed_actors":
                built = events.build()
                count += sum(len(one[1]) for one in built) if event.type.startswith("{") else len(built)
    return count


@pytest.mark.slow
def test_counts_agree_with_the_independent_checker(save, corpus):
    """Objects, classes, property tags of each type at every depth; and nothing is unclaimed, or claimed twice."""
    told = expected(corpus / "satisfactory", save.name)
    checker = told["checker"]
    classes: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    instances = 0
    tiling = Tiling()
    with streamsave.open(save) as events:
        start = next(events)
        for event in events:
            tiling.feed(event)
            if isinstance(event, PropertyTag):
                tags[event.type] += 1
            elif isinstance(event, ObjectHeader) and event.kind == "lightweight":
                instances += 1
            elif isinstance(event, ObjectHeader):
                classes[event.class_name] += 1
    assert isinstance(start, SaveStart)
    versions = (start.header.save_header_version, start.version, start.header.build_version)
    assert versions == tuple(int(told[name]) for name in ("SaveHeaderVersion", "SaveVersion", "BuildVersion"))
    assert classes.total() == checker["objects"]
    assert classes == checker["classes"]
    # The checker does not look into the lightweight subsystem; another reader does.
    assert instances == told.get("peer", {}).get("lightweight", {}).get("instances", 0)
    assert tags - MORE_THAN_THE_CHECKER.get(save.name, Counter()) == checker["property_tags_by_type"]
    assert event == SaveEnd(int(told["body_size"]))
    tiling.finish(int(told["body_size"]))


def test_destroyed_actors_agree_with_the_independent_checker(save, corpus):
    told = expected(corpus / "satisfactory", save.name)
    if told["checker"]["destroyed"] is None:
        pytest.skip("the checker did not count them")
    assert destroyed_actors(save) == told["checker"]["destroyed"]
