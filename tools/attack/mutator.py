"""A seed -> a save with a few things wrong. The same seed on the same samples makes the same bytes."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Final

from attrs import field, frozen

from attack.arx_table import Rows, break_table, truth_of_rows
from attack.containers import Contents
from attack.directory import Sound, break_directory, entries_of, shape_of
from attack.edited import Edited
from attack.layers import Sample, take_apart
from attack.mutations import AIMED, BLIND, JSON, Draft
from attack.stream_truth import TABLES, TAGLESS, Reading, StreamTruth, has_other_names, reading_of
from attack.surgery import Truth, operate
from attack.untouched import exact, known_of_spans, truth_of

#: How often the file itself is changed, where there is something under its compression.
FILE_SHARE: Final = 0.15
#: How often a mutation knows where the objects of a save are, where that is known.
SURGERY_SHARE: Final = 0.4
#: How often a mutation knows where things are, in a part whose places are known.
AIMED_SHARE: Final = 0.7
#: How often the directory of a zip archive or the table of a container is broken, where there is one.
DIRECTORY_SHARE: Final = 0.3
#: How often there is one more mutation.
MORE_SHARE: Final = 0.4
#: Saves below the one size come more rarely the smaller they are: there is little in them; above the other, the bigger they are.
TINY: Final = 2000
SMALL: Final = 20_000
#: Bigger files, and files that inflate to more, are no good samples: too slow.
MOST_FILE: Final = 32 * 1024
MOST_INFLATED: Final = 1 << 20
#: Most entries of a container are left out of its mutants.
ENTRY_SHARE: Final = 0.1

#: Operations after which an object may be another one.
MOVING: Final = frozenset(("splice", "swap_entries"))
#: Formats of the saves all of whose events are compared.
COMPARED: Final = ("gvas", "astroneer", *TAGLESS)

JSON_STARTS: Final = (b"{", b"[")


@frozen
class Change:
    """What was changed in a save."""

    #: Which of its parts: 0 is the file itself.
    part: int
    data: Edited
    #: The seed that it was packed with.
    packing: int
    #: Of the file itself: only its directory or its table was changed. Of what is in it: what may be given is judged by where the
    #: changes were made, not by where else the same bytes could come from.
    is_exact: bool = False
    #: An object may have come in, or taken the place of another.
    is_moving: bool = False


@frozen
class Mutant:
    """A save with something wrong: from which sample, and what was done."""

    seed: int
    sample: str
    steps: tuple[str, ...]
    data: bytes
    #: Bytes that a parser has to look at: inflated, where that is more.
    size: int
    change: Change = field(repr=False)
    #: What may be given of it, if that is known.
    truth: Truth | Contents | Sound | Rows | StreamTruth | None = field(default=None, repr=False)


class Mutator:
    """Makes mutants of samples."""

    def __init__(self, samples: list[Sample]) -> None:
        self.samples = samples
        sizes = [
            sum(len(part.data) for part in sample.parts) * (ENTRY_SHARE if sample.has_entries else 1.0) for sample in samples
        ]
        weights = [min(size + 1, TINY) / max(size, SMALL) ** 1.5 for size in sizes]
        self._weights = list(accumulate(weights))
        self._files = [sample.parts[0] for sample in samples]
        self._sound: dict[str, Sound] = {}
        for sample in samples:
            if entries_of(sample.parts[0].data):
                shape, reported = shape_of(sample.parts[0].data, "raise")
                if not reported:
                    self._sound[sample.name] = Sound(shape)
        self._rows = {sample.name: truth_of_rows(sample.parts[0].data) for sample in samples if sample.has_entries}
        self._readings = {sample.name: reading for sample in samples if (reading := _reading_of(sample)) is not None}
        self._donors = [sample.donor for sample in samples if sample.donor is not None]
        self._insides = [part for sample in samples for part in sample.parts[1:]]

    def make(self, seed: int) -> Mutant:
        """Make the mutant of a seed."""
        draw = random.Random(seed)
        sample = draw.choices(self.samples, cum_weights=self._weights)[0]
        if sample.donor is not None and draw.random() < SURGERY_SHARE:
            operated = operate(sample.donor.body, sample.donor.spans, self._donors, draw)
            if operated is not None:
                body, truth, steps = operated
                is_exact, is_moving = not any(truth.others()), not MOVING.isdisjoint(truth.operations)
                return self._mutant(seed, sample, Change(1, body, draw.getrandbits(32), is_exact, is_moving), steps, truth)
        for known, break_one in ((self._sound, break_directory), (self._rows, break_table)):
            if sample.name in known and draw.random() < DIRECTORY_SHARE:
                broken = break_one(sample.parts[0].data, draw)
                if broken is not None:
                    data, step = broken
                    return self._mutant(seed, sample, Change(0, _changed(sample.parts[0].data, data), 0, is_exact=True), (step,))
        index = 0
        if len(sample.parts) > 1 and draw.random() >= FILE_SHARE:
            index = draw.randrange(1, len(sample.parts))
        part = sample.parts[index]
        draft = Draft(part, self._insides if index else self._files, draw)
        self._change(draft)
        steps = [f"{part.name}: {step}" for step in draft.steps]
        return self._mutant(seed, sample, Change(index, draft.data, draw.getrandbits(32)), steps)

    def remake(self, seed: int, change: Change) -> Mutant:
        """Make a mutant of the first sample, of what was changed before."""
        return self._mutant(seed, self.samples[0], change, ("kept",))

    def _mutant(self, seed: int, sample: Sample, change: Change, steps: Iterable[str], truth: Truth | None = None) -> Mutant:
        new: list[bytes | None] = [None] * len(sample.parts)
        new[change.part] = bytes(change.data)
        data = sample.assemble(new, random.Random(change.packing))
        grown = len(change.data) - change.data.size_before if change.part else 0
        size = max(len(data), _size(sample) + grown)
        return Mutant(seed, sample.name, tuple(steps), data, size, change, truth or self._truth(sample, change))

    def _truth(self, sample: Sample, change: Change) -> Truth | Contents | Sound | Rows | StreamTruth | None:
        """Return what may be given of a sample one of whose parts was changed."""
        index, changed = change.part, change.data
        if change.is_exact and not index:
            return self._sound.get(sample.name) or self._rows[sample.name]
        if sample.has_entries:
            return _contents(sample, index, bytes(changed)) if index else None
        if index and sample.donor is not None:
            truth = truth_of(known_of_spans(sample.donor.spans), sample.donor.body, changed)
            return exact(truth, is_moving=change.is_moving) if change.is_exact else truth
        reading = self._readings.get(sample.name)
        if reading is not None and (index or len(sample.parts) == 1):
            before, after = (
                b"".join(part.data for part in parts) for parts in (sample.parts[1:index], sample.parts[index + 1 :])
            )
            part = sample.parts[index]
            stream = changed.within(before, after)
            is_table = sample.parts[index].name in TABLES or has_other_names(reading, stream)
            return StreamTruth(reading, stream, is_table, before + part.data + after)
        return None

    def _change(self, draft: Draft) -> None:
        draw = draft.draw
        is_json = draft.part.data[:1] in JSON_STARTS
        while True:
            if is_json and draw.random() < AIMED_SHARE:
                mutation = draw.choice(JSON)
            elif (draft.part.places or draft.part.headers) and draw.random() < AIMED_SHARE:
                mutation = draw.choice(AIMED)
            else:
                mutation = draw.choice(BLIND)
            if draft.data or mutation in BLIND:
                mutation(draft)
            if draw.random() >= MORE_SHARE:
                return


def _changed(before: bytes, after: bytes) -> Edited:
    """Return bytes with the change that is between what they begin and end with in common."""
    pairs = zip(before, after, strict=False)
    start = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(after)))
    most = min(len(before), len(after)) - start
    rest = next((at for at in range(most) if before[-1 - at] != after[-1 - at]), most)
    changed = Edited(before)
    changed[start : len(before) - rest] = after[start : len(after) - rest]
    return changed


def _size(sample: Sample) -> int:
    """Return the size of what is in a sample."""
    return sum(len(part.data) for part in sample.parts[1:])


def _reading_of(sample: Sample) -> Reading | None:
    """Return what a sound save gives, if its stream is all of its parts in a row: the file, or what is in it."""
    if sample.donor is not None or sample.has_entries:
        return None
    reading = reading_of(sample.parts[0].data, COMPARED)
    size = sum(len(part.data) for part in sample.parts[1:] or sample.parts)
    return reading if reading is not None and reading.size == size else None


def _contents(sample: Sample, index: int, changed: bytes) -> Contents:
    """Return what the entries of a container hold, one of them changed."""
    found: dict[str, set[bytes]] = {}
    for part in sample.parts[1:]:
        found.setdefault(part.name, set()).add(part.data)
    found[sample.parts[index].name].add(changed)
    return Contents(found)


def read_files(folders: Iterable[Path]) -> dict[str, bytes]:
    """Read the files of folders that are small enough, or single files; by their names, in order."""
    found: dict[str, bytes] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if path.is_file() and path.stat().st_size <= MOST_FILE and path.suffix not in {".toml", ".tsv"}:
                found[path.as_posix()] = path.read_bytes()
    return found


def make_mutator(folders: Iterable[Path]) -> Mutator:
    """Make a mutator of all saves in folders."""
    samples = take_apart(read_files(folders))
    return Mutator([sample for sample in samples if sum(len(part.data) for part in sample.parts) <= MOST_INFLATED])
