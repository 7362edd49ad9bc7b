"""Attacks that know the objects of a save, and the oracles that watch what is given of it: each is right, and misses nothing.

The file is long because each cut and each lie of a stream has its own case.
"""

import io
import pickle
import random
import zipfile
from collections.abc import Callable, Iterator

import pytest
from attack import progress, surgery
from attack.containers import Contents, lies_of_entries, names_of
from attack.directory import Sound, break_directory, entries_of, shape_of, silence
from attack.edited import Edited, Piece
from attack.implode import implode_literals
from attack.layers import Assemble, take_apart, unpack
from attack.mutator import make_mutator
from attack.progress import too_much
from attack.spans import Spans, spans_of
from attack.surgery import Answer, Donor, Patient, Truth, data_bytes, operate, splice, swap_entries, swap_sizes, take_out
from attack.truth import lies
from attack.untouched import known_of_spans
from attack.untouched import truth_of as truth_in
from attrs import evolve
from level_surgery import Subject
from saves import VALID, headers_of, read
from writer.arx import IMPLODE, RELEASE, Container, Entry, crypt
from wrong_decoder import Around

import streamsave
from streamsave import Damage, DamagedSave, Event, ObjectEnd, ObjectHeader, values

SATISFACTORY = sorted(
    path.relative_to(VALID).as_posix() for path in (VALID / "satisfactory").iterdir() if path.suffix in {".sav", ".sbp"}
)
ARX = sorted(path.relative_to(VALID).as_posix() for path in (VALID / "arx").iterdir())
SAMPLE = "satisfactory/sv46.sav"


def parts_of(name: str = SAMPLE) -> tuple[bytes, Spans, Assemble]:
    data = (VALID / name).read_bytes()
    ((_, body), *_), assemble = unpack(data)
    return body, spans_of(data, body), assemble


def patient_of(seed: int, name: str = SAMPLE) -> Patient:
    body, spans, _ = parts_of(name)
    return Patient(body, spans, random.Random(seed), [Donor(body, spans)])


def truth_of(patient: Patient) -> tuple[bytes, Truth]:
    body, truth = patient.result()
    return parts_of()[2]([body], random.Random(0)), truth


# --- where the objects are ---


@pytest.mark.slow
@pytest.mark.parametrize("name", SATISFACTORY)
def test_objects_are_where_the_events_say(name):
    mine = [(*one.key, one.header, one.data) for level in parts_of(name)[1].levels for one in level.objects]
    assert mine == [
        (
            event.kind,
            event.class_name,
            event.level,
            event.instance_name,
            (event.offset, event.offset + event.header_size),
            (event.data_offset, event.data_offset + event.size),
        )
        for event in headers_of(VALID / name)
        if event.kind != "lightweight"
    ]


@pytest.mark.parametrize("name", SATISFACTORY)
def test_lengths_are_where_they_are(name):
    """Each size leads from its blob to the next; the first number is the size of the stream."""
    patient = patient_of(0, name)
    at, width = patient.spans.size
    assert patient.value(patient.spans.size) == len(patient.body) - at - width
    for level in patient.spans.levels:
        assert patient.value((level.toc_count, 4)) == patient.value((level.data_count, 4)) == len(level.objects)
        if level.toc_size is not None and level.data_size is not None:
            assert sum(level.toc_size) + patient.value(level.toc_size) == level.data_size[0]
            if level.objects:
                assert sum(level.data_size) + patient.value(level.data_size) == level.objects[-1].entry[1]


# --- operations ---


def done(operation: Callable[[Patient], bool], wanted: str = "") -> Iterator[Patient]:
    """Patients of many seeds; only those whose steps contain a text."""
    for seed in range(60):
        patient = patient_of(seed)
        assert operation(patient)
        if wanted in patient.steps[-1]:
            yield patient


def again(patient: Patient) -> Spans:
    body, _ = patient.result()
    return spans_of((VALID / SAMPLE).read_bytes(), body)


@pytest.mark.parametrize(
    ("operation", "depth", "difference"), [(data_bytes, 3, 0), (splice, 3, 1), (swap_entries, None, 0), (swap_sizes, None, None)]
)
def test_where_all_lengths_fit_the_save_is_sound_again(operation, depth, difference):
    patients = list(done(operation, "" if depth is None else f"depth {depth}"))
    assert len(patients) > 5
    for patient in patients:
        if difference is None:
            sizes = sorted(patient.numbers.values())
            assert sizes == sorted(int.from_bytes(patient.body[at : at + width], "little") for at, width in patient.numbers)
        else:
            count = sum(len(level.objects) for level in again(patient).levels)
            assert count == sum(len(level.objects) for level in patient.spans.levels) + difference


@pytest.mark.parametrize("name", ["satisfactory/sv25.sav", "satisfactory/sv36.sbp", SAMPLE, "satisfactory/sv60.sav"])
def test_each_operation_changes_something_and_says_what(name):
    patient = patient_of(0, name)
    donors = [Donor(patient.body, patient.spans)]
    for operation in surgery.OPERATIONS:
        changes = 0
        for seed in range(20):
            body, truth, steps = operate(patient.body, patient.spans, donors, random.Random(seed), only=operation.__name__)
            assert set(truth.operations) == {operation.__name__}
            assert len(steps) == len(truth.operations)
            assert truth.body == body
            changes += body != patient.body
        assert changes > 14, operation.__name__


def test_answers_are_the_bytes_under_each_header():
    """Where a save is sound again, its own parser finds what the answers say."""
    for operation in (data_bytes, splice, swap_entries):
        for patient in done(operation, "" if operation is swap_entries else "depth 3"):
            body, truth = patient.result()
            objects = [one for level in again(patient).levels for one in level.objects]
            assert {one.header[0] for one in objects} == set(truth.answers)
            for one in objects:
                answer = truth.answers[one.header[0]]
                assert one.key in answer.keys
                assert body[slice(*one.data)] in answer.data


@pytest.mark.slow
def test_the_same_seed_operates_alike():
    one, other = make_mutator([VALID / SAMPLE]), make_mutator([VALID / SAMPLE])
    made = [one.make(seed) for seed in range(60)]
    assert [other.make(seed) for seed in range(60)] == made
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - they go from process to process
    assert sum(isinstance(mutant.truth, Truth) for mutant in made) > 10
    assert sum(mutant.truth is None for mutant in made) > 2  # the file itself was changed
    assert len({mutant.truth.name for mutant in made if mutant.truth is not None}) > 5


# --- the truth ---


class Liar(Around):
    """A stream that does one thing wrong at the third object."""

    _objects = 0
    _inside = False

    def __iter__(self) -> Iterator[Event]:
        for event in self._events:
            if isinstance(event, ObjectHeader):
                self._objects += 1
                self._inside = self._objects == 3
            if not self._inside:
                yield event
                continue
            if isinstance(event, ObjectHeader):
                yield from self._header(event)
            elif self._fault not in {"silence", "report"}:
                yield event
            self._inside = not isinstance(event, ObjectEnd)

    def _header(self, event: ObjectHeader) -> Iterator[Event]:
        values_of = {name: getattr(event, name) for name in event.__match_args__}
        if self._fault == "data":
            yield ObjectHeader(**{**values_of, "data_offset": event.data_offset + 1})
        elif self._fault == "name":
            yield ObjectHeader(**{**values_of, "instance_name": "other"})
        elif self._fault == "invented":
            yield ObjectHeader(**{**values_of, "offset": event.offset + 1})
        elif self._fault == "report":
            lost = values.Loss("object", event.instance_name, (), event.size)
            yield Damage(event.data_offset, event.size, DamagedSave("lost"), lost)
        elif self._fault == "":
            yield event


@pytest.mark.parametrize(
    ("fault", "kinds"),
    [
        ("", set()),
        ("data", {"lie data none"}),
        ("name", {"lie header none"}),
        ("invented", {"lie invented none", "untold none"}),
        ("silence", {"untold none"}),
        ("report", set()),
    ],
)
def test_a_parser_that_lies_is_found_out(fault, kinds, monkeypatch):
    data, truth = truth_of(patient_of(0))
    monkeypatch.setattr(Truth, "name", "none")
    monkeypatch.setattr("attack.truth.RAW_SHARE", 0.0)
    monkeypatch.setattr(streamsave, "open", lambda source, **options: Liar(fault, source, options))
    assert {finding.key for finding in lies(data, truth, 0)} == kinds


def test_raw_bytes_that_lie_are_found_out(monkeypatch):
    data, truth = truth_of(patient_of(0))
    monkeypatch.setattr("attack.truth.RAW_SHARE", 1.0)
    assert lies(data, truth, 0) == []
    at = next(iter(truth.answers))
    truth.answers[at] = Answer(truth.answers[at].keys, (b"other",))
    assert [finding.kind for finding in lies(data, truth, 0)] == ["lie"]


def closed_up(pattern: str, depth: int, entry_depth: int = -1) -> tuple[bytes, Truth]:
    """The header of the last object and the entry of the first one are gone."""
    subject = Subject(46, pattern=pattern)
    take_out(subject.patient, subject.level, subject.objects[0], "entry", depth if entry_depth < 0 else entry_depth)
    take_out(subject.patient, subject.level, subject.objects[-1], "header", depth)
    return subject.result()


@pytest.mark.parametrize(("depth", "entry_depth"), [(2, 2), (3, 3)])
def test_other_entries_that_fit_like_their_own(depth, entry_depth):
    """The bytes are those of a save in which other entries belong to the headers.

    Only the size of the body may be wrong, and that of all entries: what follows these says where they end.
    """
    data, truth = closed_up("nnn", depth, entry_depth)
    assert lies(data, truth, 0) == []
    assert {found.key for found in lies(data, evolve(truth, others=tuple), 0)} == {"lie data several"}


@pytest.mark.parametrize(
    ("pattern", "depth", "entry_depth"),
    [("nnn", 1, 1), ("nnn", 3, 0), ("nnc", 3, 3), ("bbn", 3, 3), ("nnc", 3, 1), ("bbn", 3, 1)],
)
def test_other_entries_that_show_what_they_are(pattern, depth, entry_depth):
    """A number does not fit, the classes differ, or an entry names its header."""
    data, truth = closed_up(pattern, depth, entry_depth)
    assert list(truth.others()) == []
    assert lies(data, truth, 0) == []


def test_the_size_of_all_objects_shows_that_an_entry_is_gone():
    """That of the save says so, too, and by as many bytes: that the headers are as many as the entries is no proof."""
    data, truth = closed_up("nnn", 3, 1)
    assert lies(data, evolve(truth, others=tuple), 0) == []


def test_a_size_that_does_not_know_what_was_put_in(monkeypatch):
    """The bytes from the start of the data on are still those under the header; others are not."""
    monkeypatch.setattr("attack.truth.RAW_SHARE", 0.0)
    data, truth = truth_of(patient_of(0))
    for at, answer in truth.answers.items():
        truth.answers[at] = Answer(answer.keys, (b"other",), answer.data[0] + b"more")
    assert lies(data, truth, 0) == []
    at = next(iter(truth.answers))
    truth.answers[at] = Answer(truth.answers[at].keys, (b"other",), b"wrong" + truth.answers[at].longer)
    assert [finding.kind for finding in lies(data, truth, 0)] == ["lie"]


# --- changes of which the same bytes come ---


def places(stream: Edited, before: bytes) -> list[list[tuple[int, int, int]]]:
    return [[(piece.now, piece.before, piece.size) for piece in other.pieces] for other in stream.slid(before)]


@pytest.mark.parametrize(
    ("before", "edits", "elsewhere", "count"),
    [
        pytest.param(b"xabcdy", [(5, 5, b"abcd")], [(0, 0, 1), (5, 1, 5)], 4, id="doubled"),
        pytest.param(b"xabcdy", [(5, 5, b"abcd")], [(0, 0, 3), (7, 3, 3)], 4, id="doubled-from-the-middle-on"),
        # The other of the two has the old number: it may be the one that was kept.
        pytest.param(b"xab7cdy", [(6, 6, b"ab7cd"), (3, 4, b"9")], [(0, 0, 1), (6, 1, 6)], 5, id="a-number-in-what-was-doubled"),
        pytest.param(b"abcdefg", [(6, 7, b"123efg")], [(0, 0, 4), (9, 4, 3)], 3, id="the-same-end-of-another-save"),
        *(pytest.param(b"abcdef", [(2, 4, new)], None, 0, id=f"nothing-is-alike-{new}") for new in (b"", b"1", b"12", b"123")),
    ],
)
def test_where_else_the_same_change_may_have_been(before, edits, elsewhere, count):
    stream = Edited(before)
    for start, end, new in edits:
        stream[start:end] = new
    found = places(stream, before)
    assert (len(found), elsewhere in found) == (count, elsewhere is not None)


def test_either_of_two_may_have_been_taken_out():
    before = b"xababy"
    stream = Edited(before)
    del stream[3:5]
    assert [(0, 0, 1), (1, 3, 3)] in places(stream, before)


def doubled(after: int) -> tuple[bytes, Truth]:
    """A save whose last object is so much bigger: bytes up to `after` its end are put in again after that."""
    body, spans, assemble = parts_of()
    level = spans.levels[-1]
    one = level.objects[-1]
    stream = Edited(body)
    end = one.data[1] + after
    new = body[one.data[1] - 20 : end]
    stream[end:end] = new
    for place in ((one.size_at, 4), level.data_size, spans.size):
        at, width = place
        stream[at : at + width] = (int.from_bytes(body[at : at + width], "little") + len(new)).to_bytes(width, "little")
    return assemble([bytes(stream)], random.Random(0)), truth_in(known_of_spans(spans), body, stream)


def test_bytes_that_may_have_been_put_into_an_object():
    """They were put in after it, but the same bytes come if they are put into it. What is given is the one or the other."""
    data, truth = doubled(4)
    assert lies(data, truth, 0) == []
    assert lies(data, evolve(truth, others=tuple), 0) != []


@pytest.mark.parametrize("new", [b"", b"more"])
def test_bytes_that_may_have_been_put_into_an_object_that_is_the_last_thing_left(new):
    """What comes after them is gone: nothing shows to which they belong."""
    body, spans, assemble = parts_of()
    one = spans.levels[-1].objects[-1]
    stream = Edited(body)
    stream[one.size_at : one.size_at + 4] = (one.data[1] - one.data[0] + len(new)).to_bytes(4, "little")
    stream[one.data[1] :] = new
    truth = truth_in(known_of_spans(spans), body, stream)
    answer = truth.answers[one.header[0]]
    assert answer.data is not None
    assert bytes(stream[one.data[0] :]) in answer.data
    assert lies(assemble([bytes(stream)], random.Random(0)), truth, 0) == []


def test_an_entry_that_came_in_whole():
    """Nothing is left of the old one, and nothing shows that. But where old bytes are in it, something does."""
    data, truth = truth_of(patient_of(0))
    start, answer = next((start, one) for start, one in truth.answers.items() if one.data and one.data[0])
    gone = evolve(answer, data=(b"other",), is_gone=True)
    whole = Piece(0, 0, len(truth.body))
    for kept, kinds in (((), set()), ((whole,), {"lie"})):
        other = evolve(truth, answers={**truth.answers, start: gone}, kept=kept)
        assert {found.kind for found in lies(data, other, 0)} == kinds


# --- containers ---


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 4097, 55_192, 140_000])
def test_what_is_imploded_without_matches_comes_back(size):
    content = random.Random(size).randbytes(size)
    data = Container(RELEASE, [Entry(b"x", content, IMPLODE, packed=crypt(implode_literals(content)))]).encode()
    with streamsave.open(data) as events:
        assert [events.raw() for event in events if isinstance(event, ObjectHeader)] == [content]


@pytest.mark.parametrize("name", ARX)
def test_names_of_a_container(name):
    data = (VALID / name).read_bytes()
    assert names_of(data) == [event.instance_name for event in headers_of(data)]


@pytest.mark.slow
def test_mutants_of_containers_keep_their_version():
    """Entries of all versions are mutated; what was imploded still is."""
    mutator = make_mutator([VALID / "arx"])
    versions = set()
    for seed in range(80):
        mutant = mutator.make(seed)
        if isinstance(mutant.truth, Contents):
            before, after = ((VALID.parent.parent / mutant.sample).read_bytes(), mutant.data)
            version, kept = (data[int.from_bytes(data[:4], "little") + 4 :][:4] for data in (before, after))
            assert version == kept
            versions.add(version)
            assert lies_of_entries(mutant.data, mutant.truth) == []
    assert len(versions) == 4


def test_entries_that_lie_are_found_out():
    data = (VALID / "arx" / "v2.1-duplicates.sav").read_bytes()
    contents, _ = unpack(data)
    truth: dict[str, set[bytes]] = {}
    for name, content in contents:
        truth.setdefault(name, set()).add(content)
    assert lies_of_entries(data, Contents(truth)) == []
    assert [finding.key for finding in lies_of_entries(data, Contents({**truth, "note": {b"other"}}))] == ["lie entry"]


def test_what_is_packed_in_an_unknown_way_does_not_end_early():
    """It is given as packed: what was cut off would be a lie of the attack, not of the parser."""
    contents, assemble = unpack((VALID / "arx" / "v2.1-duplicates.sav").read_bytes())
    new = bytes(range(200))
    truth = Contents({name: {content, new} for name, content in contents} | {"note": {content for _, content in contents}})
    for seed in range(60):
        made = assemble([new if name == "secret" else None for name, _ in contents], random.Random(seed))
        assert lies_of_entries(made, truth) == []


# --- directories ---


def test_entries_of_a_directory():
    data = (VALID / "shapez2" / "no-checkpoints.spz2").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        sizes = [46 + len(info.filename) + len(info.extra) + len(info.comment) for info in opened.infolist()]
        assert [end - start for start, end in entries_of(data)] == sizes
    assert entries_of((VALID / SAMPLE).read_bytes()) == []
    assert break_directory(b"PK", random.Random(0)) is None


def test_a_broken_directory_differs_in_one_entry_or_two():
    data = (VALID / "shapez2" / "no-checkpoints.spz2").read_bytes()
    entries = entries_of(data)
    kinds = set()
    for seed in range(100):
        made, step = break_directory(data, random.Random(seed))
        touched = {index for index, (start, end) in enumerate(entries) if made[start:end] != data[start:end]}
        assert made[: entries[0][0]] == data[: entries[0][0]]
        assert len(touched) <= (2 if "swap" in step else 1)
        kinds |= {step.rsplit(" ", 1)[1]} if touched else set()
    assert kinds == {"zeros", "field", "swap", "name", "copy"}


def test_what_is_hidden_is_found_out(monkeypatch):
    data = (VALID / "shapez2" / "no-checkpoints.spz2").read_bytes()
    shape, reported = shape_of(data, "raise")
    assert not reported
    assert silence(data, Sound(shape)) == []
    assert [finding.key for finding in silence(data, Sound((*shape, ("Field", "more"))))] == ["silent raise"]
    assert silence(data[:100], Sound(shape)) == []  # an error says so
    monkeypatch.setattr("attack.directory.shape_of", lambda data, mode: (shape[: mode == "raise" and None], False))  # noqa: ARG005
    assert [finding.key for finding in silence(data, Sound(shape))] == ["silent resync"]


# --- what it costs ---


def test_what_costs_too_much_is_found_out(monkeypatch):
    data = (VALID / SAMPLE).read_bytes()
    size = 40_000
    assert too_much(data, size, 1e-6) == []
    monkeypatch.setattr(progress, "READ_FLOOR", 0)
    monkeypatch.setattr(progress, "READS", 0.5)
    monkeypatch.setattr(progress, "EVENTS", 0)
    monkeypatch.setattr(progress, "EVENT_FLOOR", 100)
    monkeypatch.setattr(progress, "TIME_FLOOR", -1.0)
    monkeypatch.setattr(progress, "TIMES", 0)
    assert [finding.key for finding in too_much(data, size, 0.0)] == ["progress events", "progress reads", "progress time"]


@pytest.mark.slow
def test_bytes_that_are_read_are_counted():
    cost = progress.effort((VALID / SAMPLE).read_bytes(), 10**6)
    assert cost.events == len(read((VALID / SAMPLE).read_bytes()))
    assert cost.read >= (VALID / SAMPLE).stat().st_size


def test_the_pace_is_that_of_sound_saves():
    assert 0 < progress.pace(take_apart({SAMPLE: (VALID / SAMPLE).read_bytes()})) < 1e-3
    assert progress.pace([]) == 0
