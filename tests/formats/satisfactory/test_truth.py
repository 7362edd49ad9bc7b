"""An object that is given of a damaged save is that of the sound save, byte for byte, or it is lost and reported so."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from random import Random

import pytest
from attack.kept import KEPT, read_kept, remake
from attack.surgery import Truth
from attack.truth import lies
from saves import SATISFACTORY
from truth import Given, Sound, given_by
from truth_worlds import SOUND

CASES = 4
REAL = ["hv14-sv52-pep-modtest-1.sav", "hv14-sv53-empty-save-before-1.2.sav"]


def assert_true(sound: Sound, data: bytes, edited: Given | None = None) -> None:
    """What is given is as it was; what is missing is reported.

    An object whose bytes were changed, and all sizes around them with these, may come as `edited`: the file is one that a game
    could have written.
    """
    given, losses, _ = given_by(data)
    found = Counter(one for one, _ in given)
    assert set(found - sound.given) <= {edited}
    assert losses or not sound.names - Counter(one[:2] for one in found)


def signed(value: int) -> bytes:
    """An i32, whatever is in its bits."""
    return (value & 0xFFFFFFFF).to_bytes(4, "little")


def wrong_sizes(sound: Sound, random: Random, at: int) -> None:
    """The size of an object is wrong."""
    place = sound.objects[at]
    size = place.end - place.data
    for change in {1, -1, 4, -4, random.randint(2, 40), -random.randint(2, size), random.getrandbits(31)} - {0}:
        assert_true(sound, sound.damaged([(place.size, 4, signed(size + change))]))


def covering_sizes(sound: Sound, random: Random, at: int) -> None:
    """The size of an object covers a few of the next ones, too."""
    place = sound.objects[at]
    for other in sound.objects[at + 1 : at + random.randint(3, 5)]:
        if other.level == place.level:
            assert_true(sound, sound.damaged([(place.size, 4, signed(other.end - place.data))]))


def swapped_sizes(sound: Sound, random: Random, at: int) -> None:
    """Two objects have each other's size."""
    place, other = sound.objects[at], random.choice(sound.objects)
    edits = [(place.size, 4, signed(other.end - other.data)), (other.size, 4, signed(place.end - place.data))]
    if place is not other:
        assert_true(sound, sound.damaged(edits))


def moved_bytes(sound: Sound, random: Random, at: int) -> None:
    """Bytes are missing in an object, or too many; all, some or none of the sizes around them are made right."""
    place = sound.objects[at]
    size = place.end - place.data
    for blob, body, own in ((-1, False, False), (-1, True, False), (place.level, True, False), (place.level, True, True)):
        offset = place.data + random.randrange(size)
        count = min(random.randint(1, 20), place.end - offset)
        for gone, new in ((count, b""), (0, bytes(count)), (0, random.randbytes(count))):
            edits = [(offset, gone, new)]
            edited = None
            if own:
                edits.append((place.size, 4, signed(size + len(new) - gone)))
                bytes_now = sound.body[place.data : offset] + new + sound.body[offset + gone : place.end]
                edited = (*sound.order[at][:3], sha256(bytes_now).digest())
            assert_true(sound, sound.damaged(edits, blob=blob, body=body), edited)


def moved_headers(sound: Sound, random: Random, at: int) -> None:
    """Bytes are missing in a header, or too many."""
    place = sound.objects[at]
    for blob, body in ((-1, False), (-1, True), (place.level, True)):
        offset = place.header + random.randrange(place.header_size)
        count = min(random.randint(1, 20), place.header + place.header_size - offset)
        for gone, new in ((count, b""), (0, bytes(count)), (0, random.randbytes(count))):
            assert_true(sound, sound.damaged([(offset, gone, new)], blob=blob, in_toc=True, body=body))


def wrong_blobs(sound: Sound, random: Random, at: int) -> None:
    """The size of a level's headers or objects is wrong."""
    if not sound.has_sizes:
        return
    blob = sound.blobs[sound.objects[at].level]
    width = 8 if sound.wide else 4
    for offset in (blob.toc, blob.data):
        size = int.from_bytes(sound.body[offset : offset + width], "little")
        for change in (1, -1, 4, -4, random.randint(5, 400), -random.randint(5, size - 4)):
            assert_true(sound, sound.damaged([(offset, width, (size + change).to_bytes(width, "little"))]))


DAMAGES = [wrong_sizes, covering_sizes, swapped_sizes, moved_bytes, moved_headers, wrong_blobs]


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(("make", "version"), SOUND)
def test_made_worlds(make, version, damage):
    sound = make(version)
    random = Random(f"{make.__name__} {version} {damage.__name__}")
    for at in random.sample(range(len(sound.objects)), CASES):
        damage(sound, random, at)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["sv25.sav", "sv60.sav", "sv46.sbp"])
def test_samples(name, damage):
    sound = Sound((SATISFACTORY / name).read_bytes())
    random = Random(f"{name} {damage.__name__}")
    damage(sound, random, random.randrange(len(sound.objects)))


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_saves(corpus, name):
    sound = Sound((corpus / "satisfactory" / name).read_bytes())
    random = Random(name)
    at = random.randrange(len(sound.objects))
    wrong_sizes(sound, random, at)
    covering_sizes(sound, random, at)


@pytest.mark.parametrize(("name", "at", "change"), [("sv28.sav", 17, 106), ("sv36.sav", 22, 98), ("sv29.sav", 5, 1676)])
def test_a_wrong_size_that_zeros_make_up_for(name, at, change):
    """Sizes lead to the end, perhaps in as many steps as there are headers: a few zeros look like objects without data."""
    sound = Sound((SATISFACTORY / name).read_bytes())
    place = sound.objects[at]
    assert_true(sound, sound.damaged([(place.size, 4, signed(place.end - place.data + change))]))


@pytest.mark.parametrize(("name", "one", "other"), [("sv46.sbp", 13, 1), ("sv51.sav", 31, 27)])
def test_two_wrong_sizes(name, one, other):
    """What leads to the end after the first of them has the second in it."""
    sound = Sound((SATISFACTORY / name).read_bytes())
    place, second = sound.objects[one], sound.objects[other]
    edits = [(place.size, 4, signed(second.end - second.data)), (second.size, 4, signed(place.end - place.data))]
    assert_true(sound, sound.damaged(edits))


@pytest.mark.slow
@pytest.mark.parametrize("kept", read_kept(KEPT / "satisfactory.jsonl"), ids=lambda kept: str(kept.seed))
def test_what_campaigns_have_found(kept):
    """Inputs that once gave a wrong object, or one that was missing without a report."""
    mutant = remake(kept)
    assert isinstance(mutant.truth, Truth)
    assert lies(mutant.data, mutant.truth, 0) == lies(mutant.data, mutant.truth, 4) == []  # by their events, and raw
