"""Paths of leaves; what is skipped is not read; constant memory."""

import pytest
from memory import Traced
from writer.shapez2 import write_save
from writer.shapez2_samples import big_save, full_save, save_bytes

import streamsave
from streamsave import BlobSkip, Field, ObjectHeader


def test_paths_of_leaves():
    with streamsave.open(save_bytes(full_save())) as events:
        paths = {events.path for event in events if isinstance(event, Field)}
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
            with Traced() as memory:
                count = sum(isinstance(event, ObjectHeader) and event.kind in {"island", "building"} for event in events)
        assert count == islands * 21
        return memory.peak

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
