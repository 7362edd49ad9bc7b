"""The same events however a save is fed, whatever is skipped; in constant memory."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from saves import read, without_chunks
from tiling import Tiling
from writer.shapez2 import write_save
from writer.shapez2_samples import big_save, full_save, islands_blueprint, save_bytes

import streamsave
from streamsave import BlobSkip, ChunkStart, Event, Field, ObjectEnd, ObjectHeader, SaveEnd, StructEnter, StructExit


@pytest.fixture(scope="module")
def samples() -> dict[str, bytes]:
    return {
        "checkpoints": save_bytes(full_save()),
        "no-checkpoints": save_bytes(full_save(checkpoints=False, padded=False)),
        "islands": islands_blueprint(4).code().encode(),
        "islands-5": islands_blueprint(5).code().encode(),
    }


NAMES = ["checkpoints", "no-checkpoints", "islands", "islands-5"]


def opens(event: Event) -> bool:
    return isinstance(event, (Field, StructEnter, ObjectHeader))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", NAMES)
def test_verbs_leave_the_other_events_as_they_are(name, samples, seed):
    """What was not acted on comes as it would have come; what was passed over is claimed."""
    data = samples[name]
    everything = without_chunks(read(data))
    rng = random.Random(seed)
    tiling = Tiling()
    at = 0
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, ChunkStart):
                continue
            assert event == everything[at]
            tiling.feed(event)
            at += 1
            if not opens(event) or rng.random() < 0.7:
                continue
            verb = rng.choice(["skip", "build", "raw"])
            result = getattr(events, verb)()
            if isinstance(event, Field):
                continue
            depth = 1
            start = at
            while depth:
                depth += isinstance(everything[at], (StructEnter, ObjectHeader))
                depth -= isinstance(everything[at], (StructExit, ObjectEnd))
                at += 1
            at -= 1
            if verb == "skip":
                tiling.feed(result)
            else:
                if verb == "raw":
                    assert everything[at].offset == content_of(event) + len(result)
                for passed in everything[start:at]:
                    tiling.feed(passed)
        assert isinstance(event, SaveEnd)
    tiling.finish(event.offset)


def content_of(event: Event) -> int:
    return event.data_offset if isinstance(event, ObjectHeader) else event.offset + event.header_size


@pytest.mark.parametrize("name", NAMES)
def test_raw_of_every_leaf_is_its_place_in_the_stream(name, samples):
    with streamsave.open(samples[name]) as events:
        stream = bytearray()
        for event in events:
            if isinstance(event, StructEnter) and events.depth == 1:
                stream += bytes(event.offset + event.header_size - len(stream)) + events.raw()
    with streamsave.open(samples[name]) as events:
        for event in events:
            if isinstance(event, Field):
                assert events.raw() == stream[event.offset : event.offset + event.size]


@pytest.mark.parametrize("name", NAMES)
def test_locations(name, samples):
    chunks: list[ChunkStart] = []
    with streamsave.open(samples[name]) as events:
        for event in events:
            if isinstance(event, ChunkStart):
                chunks.append(event)
                assert events.location(event) == (event.index, 0, event.compressed_offset)
            elif isinstance(event, Field):
                index, inside, offset = events.location(event)
                assert (index, offset) == (chunks[-1].index, chunks[-1].compressed_offset)
                assert chunks[-1].offset + inside == event.offset


def test_paths_of_leaves(samples):
    paths = set()
    with streamsave.open(samples["checkpoints"]) as events:
        for event in events:
            if isinstance(event, Field):
                paths.add(events.path)
    assert ("savegame.json", "value", "Parameters", "Seed") in paths
    assert ("research.json", "value", "PlayerLevel", "Nested", 0, 1) in paths
    assert ("maps/main/resource-chunks.bin", "chunks", 1, "resources", "fluids", 1, "tiles") in paths
    assert ("maps/main/resource-chunks.bin", "chunks", 0, "resources", "shapes", 0, "position") in paths
    assert ("statistics.bin", "shapes", "trackers", 5, "value") in paths


@pytest.mark.slow
@pytest.mark.parametrize("checkpoints", [True, False])
def test_memory_does_not_grow_with_the_save(checkpoints, tmp_path):
    """Ten times the islands, the same peak: what is held is the table of strings and a few windows."""

    def peak(islands: int) -> int:
        path = tmp_path / f"{islands}.spz2"
        write_save(big_save(islands, islands * 20, checkpoints=checkpoints, bundle=200), path, level=1)
        with streamsave.open(path) as events:
            next(events)
            tracemalloc.start()
            count = sum(isinstance(event, ObjectHeader) and event.kind in {"island", "building"} for event in events)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert count == islands * 21
        return peak

    small, big = peak(40), peak(400)
    assert big < small + 1024 * 1024
    assert big < 4 * 1024 * 1024


@pytest.mark.slow
def test_a_big_blob_is_skipped_without_reading_it(tmp_path):
    path = tmp_path / "big.spz2"
    write_save(big_save(100, 5000, bundle=100), path)
    with streamsave.open(path) as events:
        islands = 0
        for event in events:
            if isinstance(event, ObjectHeader):
                islands += event.kind == "island"
                skipped = events.skip()
                assert isinstance(skipped, BlobSkip)
                assert (skipped.offset, skipped.size) == (event.data_offset, event.size)
    assert islands == 100
