"""Saves to read, and what the standard library alone can say about them."""

import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

import streamsave
from streamsave import ChunkStart, Event, Limits, ObjectHeader, SaveError, SaveStart
from streamsave.input.source import SourceLike

ROOT = Path(__file__).resolve().parent.parent
VALID = ROOT / "corpora" / "valid"
SATISFACTORY = VALID / "satisfactory"
#: Real saves, which are not ours to ship: `STREAMSAVE_CORPUS`, or a folder `shared/corpus` beside the checkout.
CORPUS = Path(os.environ.get("STREAMSAVE_CORPUS") or ROOT.parent / "shared" / "corpus")

CHUNK_TAG = struct.pack("<I", 0x9E2A83C1)
V1 = struct.Struct("<IIqqqqq")
V2 = struct.Struct("<IIqBqqqq")


#: For tests that compare packed bytes with recorded ones. Python 3.14 says so if it packs with zlib-ng, as on Windows.
same_zlib = pytest.mark.skipif(hasattr(zlib, "ZLIBNG_VERSION"), reason="this Python packs with zlib-ng, to other bytes")


@frozen
class Chunk:
    """A chunk as it is in the file: where its header starts, where its payload starts, and that payload, inflated."""

    offset: int
    payload_offset: int
    compressed_size: int
    data: bytes


def real_names(pattern: str) -> list[str]:
    """The names of real saves, for parameters of tests; one that no save has where there are none."""
    return sorted(path.name for path in CORPUS.glob(pattern)) or ["(none here)"]


def slow(rows: Iterable[Any]) -> list[Any]:
    """Parameters with which a test takes long: real saves, after samples with which it does not."""
    return [pytest.param(*(row if isinstance(row, tuple) else (row,)), marks=pytest.mark.slow) for row in rows]


def needs_oodle(path: Path) -> bool:
    """Whether a file is compressed with Oodle, so that only the extra `oodle` can read it: Palworld's wrapper PlM says so."""
    with path.open("rb") as file:
        return b"PlM" in file.read(24)


def file_with(path: Path, data: bytes) -> Path:
    """Write a file."""
    path.write_bytes(data)
    return path


def save_version(data: bytes) -> int:
    """The SaveVersion of a Satisfactory save."""
    return int.from_bytes(data[4:8], "little", signed=True)


def chunks_of(data: bytes) -> list[Chunk]:
    """All chunks of a Satisfactory save."""
    at = data.index(CHUNK_TAG)
    found = []
    while at < len(data):
        layout = V2 if data[at + 4 : at + 8] == b"\x22" * 4 else V1
        compressed_size, inflated_size = layout.unpack_from(data, at)[-2:]
        start = at + layout.size
        inflated = zlib.decompress(data[start : start + compressed_size])
        assert len(inflated) == inflated_size
        found.append(Chunk(at, start, compressed_size, inflated))
        at = start + compressed_size
    return found


def inflate(data: bytes) -> bytes:
    """The whole inflated stream of a Satisfactory save."""
    return b"".join(chunk.data for chunk in chunks_of(data))


def deflate(head: bytes, body: bytes, chunk_size: int = 131072) -> bytes:
    """A Satisfactory save of a header and an inflated stream, whatever is in it."""
    return head + b"".join(chunk(body[at : at + chunk_size]) for at in range(0, len(body), chunk_size))


def chunk(data: bytes, packed: bytes | None = None, **fields: Any) -> bytes:
    """One chunk of version 2 (or of 1, if `archive_header` is 0); the fields of its header may lie."""
    packed = zlib.compress(data, 1) if packed is None else packed
    told = {
        "tag": 0x9E2A83C1,
        "archive_header": 0x22222222,
        "max_chunk_size": 131072,
        "compressor": 3,
        "compressed_total": len(packed),
        "inflated_total": len(data),
        "compressed_size": len(packed),
        "inflated_size": len(data),
    } | fields
    if told["archive_header"] == 0:
        del told["compressor"]
        return V1.pack(*told.values()) + packed
    return V2.pack(*told.values()) + packed


def head_and_body(data: bytes) -> tuple[bytes, bytes]:
    return data[: data.index(CHUNK_TAG)], inflate(data)


def read(source: SourceLike, limits: Limits | None = None, **options: Any) -> list[Event]:
    with streamsave.open(source, limits=limits, **options) as events:
        return list(events)


def start_of(source: SourceLike) -> SaveStart:
    with streamsave.open(source) as events:
        start = next(events)
    assert isinstance(start, SaveStart)
    return start


def headers_of(source: SourceLike, **options: Any) -> list[ObjectHeader]:
    with streamsave.open(source, **options) as events:
        return [event for event in events if isinstance(event, ObjectHeader)]


def without_chunks(events: Iterable[Event]) -> list[Event]:
    """The events that do not depend on what was inflated, and when."""
    return [event for event in events if not isinstance(event, ChunkStart)]


def read_to_error(source: SourceLike, limits: Limits | None = None, **options: Any) -> tuple[list[Event], SaveError | None]:
    """All events before the fault, and the fault; any other exception passes."""
    seen: list[Event] = []
    try:
        with streamsave.open(source, limits=limits, **options) as events:
            seen.extend(events)  # keeps what came before an exception
    except SaveError as error:
        return seen, error
    return seen, None


@contextmanager
def raises(kind: type[Exception], match: str | None = None, **said: object) -> Iterator[None]:
    """Expect an error, and of its attributes that they have these values."""
    with pytest.raises(kind, match=match) as caught:
        yield
    assert {name: getattr(caught.value, name) for name in said} == said


def told(error: SaveError | None) -> tuple[object, ...]:
    if error is None:
        return ()
    state = {name: str(value) for name, value in sorted(vars(error).items())}
    return (type(error).__name__, str(error), tuple(state.items()))


def expected(folder: Path, name: str) -> dict[str, Any]:
    """What the independent checker says of a real save."""
    checked: dict[str, Any] = json.loads((folder / "expected" / f"{name}.json").read_text(encoding="utf-8"))
    return checked
