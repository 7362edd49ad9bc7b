"""One measurement in a process of its own: `python bench_worker.py CASE FILE REPEATS` prints JSON.

| case | what is timed |
|---|---|
| inflate | stdlib zlib over all chunks, each at once: the reference of all ratios |
| every | all events, nothing built |
| skip | all events, every object skipped |
| one | every object skipped but the storage containers' inventories, whose stacks are built |
| count | the constructors are counted, with `streamsave.objects` |
| field | the same, and their recipe is built |
"""

from __future__ import annotations

import json
import resource
import struct
import sys
import time
import zlib
from collections.abc import Callable

PACKAGE_FILE_TAG = b"\xc1\x83\x2a\x9e"
CONSTRUCTORS = "class_name = *Build_ConstructorMk1_C"
RECIPE = "mCurrentRecipe"


def inflate(path: str) -> tuple[float, int]:
    """Inflate a save's chunks with nothing around it; the time is that of zlib alone."""
    with open(path, "rb") as file:  # noqa: PTH123
        data = file.read()
    at = data.index(PACKAGE_FILE_TAG)
    chunks = []
    while at < len(data):
        compressor = 1 if data[at + 4 : at + 8] == b"\x22" * 4 else 0
        (size,) = struct.unpack_from("<q", data, at + 32 + compressor)
        start = at + 48 + compressor
        chunks.append(data[start : start + size])
        at = start + size
    started = time.perf_counter()
    total = 0
    for chunk in chunks:
        total += len(zlib.decompress(chunk))
    return time.perf_counter() - started, total


def every(path: str) -> tuple[float, int]:
    """Walk all events."""
    import streamsave

    started = time.perf_counter()
    count = 0
    with streamsave.open(path) as events:
        for _event in events:
            count += 1
    return time.perf_counter() - started, count


def skip(path: str) -> tuple[float, int]:
    """Skip every object."""
    import streamsave

    started = time.perf_counter()
    count = 0
    with streamsave.open(path) as events:
        for event in events:
            if isinstance(event, streamsave.ObjectHeader):
                events.skip()
                count += 1
    return time.perf_counter() - started, count


def one(path: str) -> tuple[float, int]:
    """Build one property of one class."""
    import streamsave

    started = time.perf_counter()
    count = 0
    with streamsave.open(path) as events:
        for event in events:
            match event:
                case streamsave.ObjectHeader() if "StorageInventory" not in event.instance_name:
                    events.skip()
                case streamsave.PropertyTag(name="mInventoryStacks"):
                    events.build()
                    count += 1
    return time.perf_counter() - started, count


def count(path: str) -> tuple[float, int]:
    """Count the objects of one class."""
    import streamsave

    started = time.perf_counter()
    found = sum(1 for _ in streamsave.objects(path, CONSTRUCTORS, sizes=False))
    return time.perf_counter() - started, found


def field(path: str) -> tuple[float, int]:
    """Build one property of the objects of one class."""
    import streamsave

    started = time.perf_counter()
    found = sum(len(each.fields) for each in streamsave.objects(path, CONSTRUCTORS, [RECIPE]))
    return time.perf_counter() - started, found


CASES: dict[str, Callable[[str], tuple[float, int]]] = {
    "inflate": inflate,
    "every": every,
    "skip": skip,
    "one": one,
    "count": count,
    "field": field,
}


def main() -> None:
    """Measure and print."""
    case, path, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
    runs = [CASES[case](path) for _ in range(repeats)]
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"seconds": min(run[0] for run in runs), "count": runs[0][1], "rss_mb": usage.ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
