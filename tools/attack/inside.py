"""Where the bytes of an input that is guided by coverage go: no blind change survives a checksum.

| format | ways |
|---|---|
| Satisfactory, GVAS, Astroneer, shapez 2 | a part of a sample, under its compression, with the other parts as they are |
| Arx | one entry alone in a container, stored; a small one also imploded and deflated; of a large one, some bytes of a block |

Entries of Arx are large, and nearly all of their bytes are zeros. So an input goes over the bytes of such an entry from an offset
on, and the rest of the entry stays as it is; blocks of zeros have no way.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from attrs import field, frozen
from writer.arx import DEFLATE, DEFLATED, IMPLODE, LEGACY, NO_EXTENSION, RELEASE, STORED, Container, Entry, crypt

from attack.implode import implode_literals
from attack.layers import Assemble, unpack
from attack.mutator import read_files

#: The number of a way is one byte of an input.
MOST_WAYS: Final = 255
#: Parts of a sample that have a way.
MOST_PARTS: Final = 6
#: Larger entries are changed block by block.
WHOLE_ENTRY: Final = 8 * 1024
BLOCK: Final = 4 * 1024
#: Bytes of a block that are a seed: more take longer, and show the same.
BLOCK_SEED: Final = 256
#: Larger entries come only alone.
SMALL_ENTRY: Final = 2 * 1024


@frozen
class Way:
    """A place for the bytes of an input in a save, and what is there in the sample."""

    name: str
    seed: bytes = field(repr=False)
    put: Callable[[bytes], bytes] = field(repr=False)


def ways_into(folder: Path) -> list[Way]:
    """Find the ways into the samples of a format."""
    samples = read_files([folder])
    found = list(_entries(samples) if folder.name == "arx" else _parts(samples))
    return found[:MOST_WAYS]


def small_files(folder: Path) -> dict[str, bytes]:
    """Return samples to be changed as they are; of Arx, each kind of container with its small entries alone."""
    samples = {Path(path).name: data for path, data in read_files([folder]).items()}
    if folder.name != "arx":
        return samples
    contents = [(name, content) for name, content in _contents(samples).items() if len(content) <= SMALL_ENTRY]
    versions = {LEGACY: (IMPLODE,), RELEASE: (IMPLODE,), DEFLATE: (STORED, IMPLODE, DEFLATED), NO_EXTENSION: (DEFLATED, STORED)}
    return {
        f"small-{version:#x}.sav": Container(
            version,
            [_entry(name, content, codecs[at % len(codecs)], chunks=1 + at % 2) for at, (name, content) in enumerate(contents)],
        ).encode()
        for version, codecs in versions.items()
    }


def _parts(samples: dict[str, bytes]) -> Iterator[Way]:
    for path, data in samples.items():
        unpacked = unpack(data)
        contents, assemble = unpacked or ([], None)
        for index, (_, content) in enumerate(contents[:MOST_PARTS]):
            if assemble is not None:
                yield Way(f"{Path(path).name}.{index}", content, _one_of(assemble, index, len(contents)))


def _one_of(assemble: Assemble, index: int, count: int) -> Callable[[bytes], bytes]:
    return lambda new: assemble([new if at == index else None for at in range(count)], random.Random(0))


def _contents(samples: dict[str, bytes]) -> dict[str, bytes]:
    """Return the entries of all containers by their names; of several with the same name, the first."""
    found: dict[str, bytes] = {}
    for data in samples.values():
        unpacked = unpack(data)
        for name, content in unpacked[0] if unpacked else []:
            found.setdefault(name, content)
    return found


def _entries(samples: dict[str, bytes]) -> Iterator[Way]:
    for name, content in _contents(samples).items():
        if len(content) <= WHOLE_ENTRY:
            yield Way(name, content, _alone(name, STORED, NO_EXTENSION))
        else:
            for start in _block_starts(content):
                yield Way(f"{name}.{start:x}", content[start : start + BLOCK_SEED], _over(name, content, start))
        if len(content) <= SMALL_ENTRY:
            yield Way(f"{name}.imploded", content, _alone(name, IMPLODE, RELEASE))
            yield Way(f"{name}.deflated", content, _alone(name, DEFLATED, DEFLATE))


def _block_starts(content: bytes) -> Iterator[int]:
    """Find the first byte that is not zero in each block that has one."""
    for block in range(0, len(content), BLOCK):
        for at in range(block, min(block + BLOCK, len(content))):
            if content[at]:
                yield at - at % 4
                break


def _alone(name: str, codec: int, version: int) -> Callable[[bytes], bytes]:
    return lambda new: Container(version, [_entry(name, new, codec)]).encode()


def _over(name: str, content: bytes, start: int) -> Callable[[bytes], bytes]:
    put = _alone(name, STORED, NO_EXTENSION)
    return lambda new: put(content[:start] + new + content[start + len(new) :])


def _entry(name: str, content: bytes, codec: int, *, chunks: int = 1) -> Entry:
    packed = content
    if codec == IMPLODE:
        packed = crypt(implode_literals(content))
    elif codec == DEFLATED:
        packed = zlib.compress(content, 1)
    return Entry(name.encode("latin-1"), content, codec, chunks, packed=packed)
