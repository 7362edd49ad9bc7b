"""Sizes are where `Family.lengths` says: what is read there is what the walk has seen."""

import pytest
from edits import family_of
from saves import VALID

import streamsave
from streamsave import SaveStart, StructEnter, StructExit

SAMPLES = [
    path
    for folder in ("satisfactory", "gvas", "astroneer")
    for path in sorted((VALID / folder).iterdir())
    if path.suffix in {".sav", ".savegame", ".sbp"}
]
#: Theirs are those of their objects, and of their voxels.
OTHERS = {"Level", "VoxelBlock"}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_sizes_are_what_the_walk_sees(path):
    opened = []
    with streamsave.open(path) as events:
        family = family_of(events)

        def ends(event):
            """Where what has a size ends, counted from the start of the size."""
            lengths = [length for length in family.lengths(event) if not length.counts]
            taken = [(length.width, family.cursor_at(length.offset).take(length.width)) for length in lengths]
            return [width + int.from_bytes(data, "little", signed=True) for width, data in taken]

        for event in events:
            if isinstance(event, SaveStart):
                whole = ends(event)
            elif isinstance(event, StructEnter):
                opened.append((event, ends(event)))
            elif isinstance(event, StructExit):
                enter, seen = opened.pop()
                header = enter.header_size
                if enter.type_name not in OTHERS:
                    assert ends(enter) == seen
                    assert [end - 4 for end in seen] in ([], [event.offset + event.size - enter.offset - header])
    assert whole in ([], [event.offset])
