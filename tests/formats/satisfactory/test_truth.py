"""An object that is given of a damaged save is that of the sound save, byte for byte, or it is lost and reported so."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest
from attack.kept import KEPT, read_kept, remake
from attack.spans import Span, Spans, spans_of
from attack.surgery import OPERATIONS, Donor, Patient, Truth, operate, take_out
from attack.truth import lies
from level_surgery import FOLDER, PLACES, Subject
from saves import SATISFACTORY, deflate, head_and_body
from truth_worlds import SOUND
from writer.blueprint import Blueprint
from writer.primitives import Ref
from writer.satisfactory import Object
from writer.tags import INT, STR, Prop
from writer.trailers import Opaque

#: Levels with many components that are alike, of which none names what it belongs to.
REAL = "u7-hv10-sv36-216k.sav"


@cache
def sound_parts(data: bytes) -> tuple[bytes, bytes, Spans]:
    """The header of a save, its inflated stream, and where the objects are in that."""
    head, body = head_and_body(data)
    return head, body, spans_of(data, body)


def assert_true(data: bytes, truth: Truth, steps: object = None) -> None:
    """What is given is true, by its events and raw."""
    assert lies(data, truth, 0) == lies(data, truth, 4) == [], steps


def assert_operations_are_survived(data: bytes, operation: str, seeds: int) -> None:
    head, body, spans = sound_parts(data)
    for seed in range(seeds):
        made = operate(body, spans, [Donor(body, spans)], Random(seed), only=operation)
        damaged, truth, steps = made
        assert_true(deflate(head, bytes(damaged)), truth, steps)


operations = pytest.mark.parametrize("operation", sorted({one.__name__ for one in OPERATIONS}))


@pytest.mark.slow
@operations
@pytest.mark.parametrize(("make", "version"), SOUND)
def test_made_worlds(make, version, operation):
    sound = make(version)
    assert_operations_are_survived(deflate(sound.head, sound.body), operation, 6)


@operations
@pytest.mark.parametrize("name", ["sv25.sav", "sv60.sav", "sv46.sbp"])
def test_samples(name, operation):
    assert_operations_are_survived((SATISFACTORY / name).read_bytes(), operation, 2)


# --- sizes and entries that lead on as if all were well ---


def covers(patient: Patient, level: int, at: int, count: int) -> None:
    """Let an object end where a later one ends."""
    objects = patient.spans.levels[level].objects
    one, last = objects[at], objects[at + count]
    patient.numbers[one.size_at, 4] = last.data[1] - one.data[0]


def gone(patient: Patient, level: int, at: int, depth: int) -> None:
    """Take out an entry, and let so many of the numbers around it fit."""
    inside = patient.spans.levels[level]
    take_out(patient, inside, inside.objects[at], "entry", depth)


def twice(patient: Patient, level: int, at: int, depth: int) -> None:
    """Put an entry in once more, and let so many of the sizes around it fit."""
    inside = patient.spans.levels[level]
    one: Span = inside.objects[at]
    start, end = one.entry
    patient.edits.append((end, end, patient.body[start:end]))
    patient.grow([(inside.data_size, end - start), (patient.spans.size, end - start)], depth)


Change = Callable[[Patient, int, int, int], None]
CHANGES: list[tuple[Change, int]] = [
    *((covers, count) for count in (1, 2, 5)),
    *((gone, depth) for depth in (0, 1, 2, 3)),
    *((twice, depth) for depth in (0, 1, 2)),
]


@pytest.mark.parametrize(("change", "amount"), CHANGES)
@pytest.mark.parametrize(("version", "where"), PLACES)
def test_entries_that_lead_on(version, where, change, amount):
    for at in (0, 1, 2, 4):
        subject = Subject(version, where)
        change(subject.patient, where, at, amount)
        assert_true(*subject.result())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "amount", "level", "at"),
    [
        *((change, amount, -1, at) for change, amount in ((covers, 1), (gone, 0)) for at in (3136, 3238, 3392)),
        *((twice, sizes, *place) for sizes in (0, 1) for place in ((-1, 3238), (11, 286), (12, 0))),
    ],
)
def test_entries_of_a_real_save_that_lead_on(corpus: Path, level, at, change, amount):
    head, body, spans = sound_parts((corpus / "satisfactory" / REAL).read_bytes())
    patient = Patient(body, spans, Random(0), [])
    change(patient, level, at, amount)
    damaged, truth = patient.result()
    assert_true(deflate(head, damaged), truth)


# --- two sizes of a blueprint, in which four zeros are an entry ---


@cache
def blueprint(version: int) -> bytes:
    """A blueprint whose components end with an empty list."""
    actors = []
    components = []
    for at in range(4):
        name = f"{FOLDER}Belt_{at}"
        parts = [Ref("Persistent_Level", f"{name}.ConveyorAny{end}") for end in range(2)]
        actors.append(Object("/Game/Belt.Belt_C", name, [Prop("mNumber", INT, at)], components=parts))
        kind = "/Script/FactoryGame.FGFactoryConnectionComponent"
        props = [Prop("mName", STR, "y" * 100)] if at == 2 else []
        components += [Object(kind, part.path, props, outer=name, trailer=Opaque(bytes(4))) for part in parts]
    return Blueprint(version, actors + components).encode()


def assert_two_sizes_are_survived(data: bytes, one: int, other: int) -> None:
    """One object leaves its last four bytes as an entry of no bytes; a later one swallows the entry after it."""
    head, body, spans = sound_parts(data)
    patient = Patient(body, spans, Random(0), [])
    place = patient.spans.levels[0].objects[one].size_at, 4
    patient.numbers[place] = patient.value(place) - 4
    covers(patient, 0, other, 1)
    damaged, truth = patient.result()
    assert_true(deflate(head, damaged), truth)


@pytest.mark.parametrize("version", [46, 51, 58])
@pytest.mark.parametrize(("one", "other"), [(4, 5), (4, 8), (6, 9)])
def test_two_sizes(version, one, other):
    assert_two_sizes_are_survived(blueprint(version), one, other)


@pytest.mark.parametrize(
    ("name", "one", "other"), [("u1-1-single-container.sbp", 2, 3), ("elevated-straight-road-1.0.sbp", 146, 155)]
)
def test_two_sizes_of_a_real_blueprint(corpus: Path, name, one, other):
    assert_two_sizes_are_survived((corpus / "satisfactory" / "blueprints" / name).read_bytes(), one, other)


@pytest.mark.slow
@pytest.mark.parametrize("kept", read_kept(KEPT / "satisfactory.jsonl"), ids=lambda kept: str(kept.seed))
def test_what_campaigns_have_found(kept):
    """Inputs that once gave a wrong object, or one that was missing without a report."""
    mutant = remake(kept)
    assert isinstance(mutant.truth, Truth)
    assert_true(mutant.data, mutant.truth)
