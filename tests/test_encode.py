"""Each leaf of each sample is encoded to the bytes that it was decoded from."""

from collections import Counter

import pytest
from edits import family_of
from saves import VALID

import streamsave
from streamsave import Field, PropertyTag
from streamsave.decode.cursor import Cursor
from streamsave.errors import EditError
from streamsave.input.windows import BytesWindows

SAMPLES = [
    path
    for folder in ("satisfactory", "gvas", "astroneer", "arx", "shapez2")
    for path in sorted((VALID / folder).iterdir())
    if path.suffix in {".sav", ".savegame", ".sbp", ".spz2"}
]

#: What has several forms, of which a value keeps only the meaning: an empty text with its NUL, zeros after a value, packed
#: vectors of more bits than they need, a text of Arx that older games did not write as UTF-8.
SEVERAL_FORMS = {"mNulStr", "mTextNoNamespace", "mStray", "location", "name"}
#: What values do not say all of: the types of arguments of a text, and the tags of properties; and the JSON of shapez 2.
ONLY_AS_BYTES = (
    "a text with this history",
    "no SizedProperties",
    "no PropertyList",
    *[f"no {kind} can be made" for kind in ("Guid?", "zlib", "str[]")],
    *[f"no {kind} can be made" for kind in ("int", "str", "null", "float", "bool")],
)


def test_there_are_samples():
    assert len(SAMPLES) > 40


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_each_leaf_is_encoded_to_its_bytes(path):
    leaves: Counter[str] = Counter()
    with streamsave.open(path) as events:
        reader = events._reader
        family = family_of(events)
        for event in events:
            if not isinstance(event, (Field, PropertyTag)) or not events.is_leaf():
                continue
            cursor = reader.cursor
            here = cursor.tell()
            cursor.seek(event.value_offset if isinstance(event, PropertyTag) else event.offset)
            stored = cursor.take(event.size)
            cursor.seek(here)
            value = events.build()
            try:
                encoded = family.encode(event, value)
            except EditError as error:
                leaves["bytes" if error.message.startswith(ONLY_AS_BYTES) else error.message] += 1
                continue
            leaves["same" if encoded == stored else "other form"] += 1
            assert encoded == stored or event.name in SEVERAL_FORMS, f"{event}: {value!r}"
            if isinstance(event, Field) and encoded != stored:
                assert reader.leaf.codec.decode(Cursor(BytesWindows(encoded), reader.limits), reader) == value
    assert leaves["other form"] <= 3
    assert leaves.keys() <= {"same", "other form", "bytes"}


@pytest.mark.slow
def test_soft_paths_of_a_real_save_are_encoded_to_their_bytes(real_save):
    """In a save of engine 5.6, the path inside of an asset is UTF-8 and has no NUL."""
    inside = 0
    path = real_save("more/archive-v2-ue561.sav")
    with streamsave.open(path) as events, streamsave.open(path) as others:
        family = family_of(events)
        for event, other in zip(events, others, strict=True):
            if isinstance(event, PropertyTag) and event.type == "SoftObjectProperty":
                value = events.build()
                inside += value.sub_path != ""
                assert family.encode(event, value) == others.raw(), other
    assert inside == 87  # 48 of them in arrays called ByteData
