"""One hash of all that reading the samples gives: events, values, errors; also of samples with bytes that are wrong.

    python tests/digest.py FOLDER

Prints a line a file: its name, and the hash. Two builds that print the same do the same.
"""

import hashlib
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))  # a safe path has no folder of the script

from saves import CHUNK_TAG, deflate, head_and_body

import streamsave
from streamsave import Field, ObjectHeader, PropertyTag, SaveError, StructEnter

#: Damaged copies of each file.
DAMAGED = 12

VERBS = ("skip", "build", "raw")


def lines(data: bytes, seed: int) -> list[str]:
    """What reading gives: every event; then again with verbs used here and there."""
    told = []
    for share in (0.0, 0.2):
        draw = random.Random(seed)
        try:
            with streamsave.open(data) as events:
                for event in events:
                    told.append(f"{event!r} {events.depth} {events.path}")
                    if isinstance(event, (Field, ObjectHeader, PropertyTag, StructEnter)) and draw.random() < share:
                        told.append(repr(getattr(events, draw.choice(VERBS))()))
        except SaveError as error:
            told.append(f"{type(error).__name__} {error} {sorted(vars(error).items(), key=str)}")
    return told


def damaged(data: bytes, draw: random.Random, *, chunked: bool) -> bytes:
    """The file with a byte changed, or cut; where it has the chunks of a Satisfactory save, rather its inflated stream."""
    if chunked and draw.random() < 0.7:
        head, body = head_and_body(data)
        return deflate(head, damaged(body, draw, chunked=False))
    broken = bytearray(data)
    if draw.random() < 0.3:
        del broken[draw.randrange(len(broken)) :]
    else:
        broken[draw.randrange(len(broken))] ^= 1 << draw.randrange(8)
    return bytes(broken)


def digests(folder: Path) -> list[str]:
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        draw = random.Random(len(data))
        chunked = path.parent.name == "satisfactory" and CHUNK_TAG in data
        told = lines(data, 1)
        for seed in range(DAMAGED):
            told += lines(damaged(data, draw, chunked=chunked), seed)
        digest = hashlib.sha256("\n".join(told).encode("utf-8", "surrogatepass")).hexdigest()
        found.append(f"{path.relative_to(folder).as_posix()} {len(told)} {digest}")
    return found


if __name__ == "__main__":
    print("\n".join(digests(Path(sys.argv[1]))))  # noqa: T201 - its purpose
