"""Real save games of some 20 games, against what an independent checker has counted in them."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from saves import real_names
from tiling import Tiling

import streamsave
from streamsave import (
    ChunkStart,
    Event,
    EventStream,
    Limits,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.input.source import ForwardSource

WRAPPERS = {"raw": "raw", "PlZ31": "PlZ 0x31 (zlib)", "PlZ32": "PlZ 0x32 (zlib, zlib)", "PlM31": "PlM 0x31 (Oodle)"}
NEVER = 1 << 30
#: Inflated bytes.
LARGE = 8 << 20
#: What is built of a large world is more than the default allows.
ALL = Limits(build_nodes=1 << 40, build_size=1 << 40)


@pytest.fixture(params=real_names("gvas/*.sav"))
def save(request: pytest.FixtureRequest, real_save: Callable[[str], Path]) -> Path:
    """A real save game."""
    return real_save(f"gvas/{request.param}")


def expected(path: Path) -> dict[str, object]:
    return json.loads((path.parent / "expected" / f"{path.name}.json").read_text("utf-8"))


@pytest.fixture
def spooled(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each time that a source could have written to a temporary file, whether it has."""
    kept = []
    spool = ForwardSource._spool_tail

    def watched(self: ForwardSource, size: int) -> None:
        spool(self, size)
        kept.append(self._spool is not None)

    monkeypatch.setattr(ForwardSource, "_spool_tail", watched)
    return kept


def pieces(data: bytes) -> Iterator[bytes]:
    """A save as a pipe gives it."""
    for at in range(0, len(data), 5000):
        yield data[at : at + 5000]


def but_chunks(events: EventStream) -> Iterator[Event]:
    """The events that are the same from a file and from a pipe."""
    return (event for event in events if not isinstance(event, ChunkStart))


@pytest.mark.slow
def test_counts_and_tiling(save, spooled):
    """Tags by type at every depth, the order of names at the top, the header; every byte is claimed once.

    From a pipe, which is not spooled, come the same events as from a file. In the largest saves nothing is in another way than in
    others of their wrapper.

    The limits are the default ones: most places of `palworld-dps-plm-1.0.sav` are empty, so it has 1,993 inflated bytes, and 37
    events, for each byte of the file.
    """
    known = expected(save)
    counts: Counter[str] = Counter()
    top = []
    tiling = Tiling()
    start: Event | None = None
    #: How many nestings are open in the `RawData` of Palworld that is open: the checker has counted no tags in there.
    decoded = NEVER
    same = None
    with streamsave.open(save) as events, ExitStack() as piped:
        if known["inflated_size"] <= LARGE:
            same = but_chunks(piped.enter_context(streamsave.open(pieces(save.read_bytes()))))
        for event in events:
            tiling.feed(event)
            if same is not None and not isinstance(event, ChunkStart):
                assert next(same) == event
            if isinstance(event, StructEnter) and event.name == "RawData":
                decoded = events.depth
            elif isinstance(event, StructExit) and events.depth < decoded:
                decoded = NEVER
            elif isinstance(event, PropertyTag) and events.depth < decoded:
                counts[event.type] += 1
                if events.depth == 1:
                    top.append(event.name)
            elif isinstance(event, SaveStart):
                start = event
        assert same is None or next(same, None) is None
    assert not any(spooled)
    assert dict(counts) == known["property_tags_by_type"]
    assert top == known["top_level"]
    assert isinstance(event, SaveEnd)
    assert event.offset == known["inflated_size"]
    tiling.finish(known["inflated_size"])
    header, fields = start.header, known["header"]
    assert header.wrapper == WRAPPERS[known["wrapper"]]
    assert header.save_game_version == fields["sgv"]
    assert (header.package_version_ue4, header.package_version_ue5) == (fields["ue4"], fields["ue5"])
    assert (list(header.engine_version), header.changelist, header.branch) == (fields["eng"], fields["cl"], fields["branch"])
    assert (header.custom_version_format, header.save_game_class) == (fields["cvf"], fields["cls"])


@pytest.mark.slow
def test_everything_can_be_built(save):
    known = expected(save)
    with streamsave.open(save, limits=ALL, objects_at=[]) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                built = events.build()
                assert list(dict.fromkeys(name.partition("[")[0].partition("#")[0] for name in built["properties"])) == list(
                    dict.fromkeys(known["top_level"])
                )


def test_oodle_is_named_where_it_is_missing(corpus, monkeypatch):
    """Without the extra, the error says what to install."""
    monkeypatch.setitem(sys.modules, "ooz", None)
    path = corpus / "gvas" / "palworld-level-plm-oodle.sav"
    with streamsave.open(path) as events, pytest.raises(streamsave.UnsupportedSave, match=r'pip install "streamsave\[oodle\]"'):
        list(events)
