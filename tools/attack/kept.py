"""Inputs that were found to be wrong once, kept as the edits that make them: what a seed makes, the parser and this tool decide.

A file has one input in each line, as JSON:

| name | what |
|---|---|
| `seed` | the seed that it was found with |
| `sample` | the sound save: a path in `corpora/`, or in the folder that `STREAMSAVE_CORPUS` names |
| `part` | which part is changed: 0 is the file, the others are what is in it, as `layers` takes it apart |
| `edits` | where in that part, how many bytes go, which bytes come in their place, in hexadecimal |
| `crc` | the CRC-32 of the changed part |
| `packing` | the seed with which the changed part is packed |
| `is_exact`, `is_moving` | see `Change` |
"""

from __future__ import annotations

import json
import os
import zlib
from functools import cache
from pathlib import Path
from typing import Final

from attrs import asdict, frozen

from attack.edited import Edited
from attack.fields import Recording
from attack.layers import take_apart_one
from attack.mutator import Change, Mutant, Mutator

ROOT: Final = Path(__file__).resolve().parents[2]
CORPORA: Final = ROOT / "corpora"
#: Where the files are that tests read.
KEPT: Final = ROOT / "tests" / "kept"


@frozen
class Kept:
    """An input that is kept."""

    seed: int
    sample: str
    part: int
    edits: list[tuple[int, int, str]]
    crc: int
    packing: int
    is_exact: bool
    is_moving: bool = False


def keep(mutant: Mutant) -> Kept:
    """Take from a mutant what makes it again."""
    change = mutant.change
    edits = [(at, size, new.hex()) for at, size, new in change.data.edits()]
    name = _short(Path(mutant.sample))
    crc = zlib.crc32(change.data)
    return Kept(mutant.seed, name, change.part, edits, crc, change.packing, change.is_exact, change.is_moving)


def remake(kept: Kept) -> Mutant:
    """Make a kept input again.

    Raises:
        ValueError: another input comes of its edits, as the sample has changed.
    """
    mutator = _mutator_of(kept.sample)
    changed = Edited(mutator.samples[0].parts[kept.part].data)
    for at, size, new in reversed(kept.edits):
        changed[at : at + size] = bytes.fromhex(new)
    if zlib.crc32(changed) != kept.crc:
        message = f"{kept.sample} is not the save that the input of seed {kept.seed} was made of"
        raise ValueError(message)
    return mutator.remake(kept.seed, Change(kept.part, changed, kept.packing, kept.is_exact, kept.is_moving))


def read_kept(path: Path) -> list[Kept]:
    """Read the inputs of a file."""
    return [Kept(**json.loads(line)) for line in path.read_text(encoding="ascii").splitlines()]


def add_kept(path: Path, kept: Kept) -> None:
    """Add an input to a file."""
    with path.open("a", encoding="ascii") as file:
        file.write(json.dumps(asdict(kept)) + "\n")


def _folders() -> list[Path]:
    """Return the folders that samples are in."""
    own = os.environ.get("STREAMSAVE_CORPUS")
    return [CORPORA, *([Path(own)] if own else [])]


def _short(sample: Path) -> str:
    for folder in _folders():
        if sample.absolute().is_relative_to(folder.absolute()):
            return sample.absolute().relative_to(folder.absolute()).as_posix()
    message = f"{sample} is neither in corpora/ nor in the folder that STREAMSAVE_CORPUS names"
    raise ValueError(message)


@cache
def _mutator_of(name: str) -> Mutator:
    path = next(path for folder in _folders() if (path := folder / name).exists())
    return Mutator([take_apart_one(path.as_posix(), path.read_bytes(), Recording())])
