"""The tools that attack the parser: a slice of their campaigns, and that they do what they say and miss nothing that is wrong.

The file is long because each module of the tools is small and has a part here.
"""

import multiprocessing
import random
import signal
import struct
import zlib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import fuzz
import mutate
import pytest
import wrong_decoder
from attack import campaign, contract
from attack.campaign import Campaign, Found, Task, run_watched, times_median
from attack.contract import LONG_WAIT, Finding, Verdict, Walk, judge, resynced, survives, walk
from attack.fields import FLOAT, INT, STRING, Place, record
from attack.inside import ways_into
from attack.layers import Part, unpack
from attack.minimise import minimise
from attack.mutations import AIMED, BLIND, Draft, amplify, exchange, graft, header, number, real, structure, text
from attack.mutator import make_mutator
from attack.surgery import Truth
from attack.truth import lies
from click.testing import CliRunner
from contract import SHAPES
from fuzz_atheris import unwrapped
from saves import ROOT, VALID, file_with, read, without_chunks
from writer.arx import NO_EXTENSION, STORED, Container, Entry
from writer.arx_entries import Globals
from writer.gvas import SaveGame
from writer.primitives import fstring, i32
from writer.tags import FLOAT as FLOAT_TYPE
from writer.tags import INT as INT_TYPE
from writer.tags import STR, Prop

import streamsave
from streamsave import Damage, DamagedSave, ObjectEnd, SaveEnd, StructExit

FORMATS = ("satisfactory", "gvas", "astroneer", "arx", "shapez2")
#: A slice of a campaign: so many inputs of each format.
SLICE = 200
FIRST_SEED = 4_000_000


def save_game(*more: Prop[Any]) -> bytes:
    return SaveGame(
        [Prop("Count", INT_TYPE, 770_077), Prop("Share", FLOAT_TYPE, 0.625), Prop("Label", STR, "needle"), *more]
    ).encode()


# --- a slice of the campaigns ---


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_a_slice_of_a_campaign(name, tmp_path):
    """The same inputs each time; `python tools/fuzz.py` reads others, and as many as there is time for."""
    mutator = make_mutator([VALID / name])
    outcomes: Counter[str] = Counter()
    for seed in range(FIRST_SEED, FIRST_SEED + SLICE):
        mutant = mutator.make(seed)
        verdict = judge(mutant.data, seed, tmp_path)
        if isinstance(mutant.truth, Truth):
            verdict.findings += lies(mutant.data, mutant.truth, seed)
        assert verdict.findings == [], f"python tools/mutate.py {name} --seed {seed}"
        outcomes[verdict.outcome] += 1
    assert outcomes["DamagedSave"] > SLICE // 20
    assert outcomes["TruncatedSave"] > 0
    assert 0 < outcomes["ok"] < SLICE * 9 // 10


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_what_coverage_has_reached(name, tmp_path):
    """The seeds of the campaigns that are guided by coverage."""
    ways = ways_into(VALID / name)
    seeds = sorted((ROOT / "corpora" / "fuzz" / name).iterdir())
    assert ways
    assert len(seeds) > 10
    for at, seed in enumerate(seeds):
        assert judge(unwrapped(seed.read_bytes(), ways), at, tmp_path).findings == [], seed.name


@pytest.mark.slow
def test_the_command(tmp_path):
    """Processes that are watched, and a table."""
    (tmp_path / "small.sav").write_bytes(save_game())
    ran = CliRunner().invoke(fuzz.main, ["--count", "20", "--jobs", "2", "-o", str(tmp_path / "found"), str(tmp_path)])
    assert (ran.exit_code, ran.exception) == (0, None)
    assert "samples │     20 │" in ran.stdout
    assert not (tmp_path / "found").exists()


@pytest.mark.slow
def test_it_is_counted_how_many_inputs_were_read_in_which_way(tmp_path):
    watched = Campaign(make_mutator([VALID / "satisfactory" / "sv29.sav"]), tmp_path, lambda _: None, lambda _: None)
    ways = watched.run(Task([], 0, 120)).ways
    assert ways["progress"] == len(range(0, 120, campaign.PROGRESS_EACH))
    assert ways["truth"] > 60
    assert 0 < ways["resync"] < 40 < ways["fed"] < 80
    assert 50 < ways["verbs"] < 100


# --- mutants ---


@pytest.mark.slow
def test_places_are_where_the_parser_reads():
    data = save_game()
    (recording,) = record([data])
    places = {**recording.stream, **recording.file}
    assert places[data.index(i32(770_077))] == Place(data.index(i32(770_077)), 4, INT, 770_077, 4)
    assert places[data.index(struct.pack("<f", 0.625))].kind == FLOAT
    label = places[data.index(fstring("needle"))]
    assert (label.kind, label.value) == (STRING, len("needle") + 1)


def draft_of(data: bytes, *places: Place, seed: int = 0) -> Draft:
    part = Part("file", data, [*places])
    return Draft(part, [part], random.Random(seed))


def drafts(count: int) -> list[Draft]:
    data = save_game()
    (recording,) = record([data])
    places = recording.stream | recording.file
    part = Part("file", data, [places[at] for at in sorted(places)], [(0, 4)])
    return [Draft(part, [part], random.Random(seed)) for seed in range(count)]


def place_of(draft: Draft) -> Place:
    """The place that its only step says."""
    (step,) = draft.steps
    (place,) = [place for place in draft.part.places if place.offset == int(step.split(" at ")[1].split(":")[0], 16)]
    return place


def changed(draft: Draft) -> set[int]:
    assert len(draft.data) == len(draft.part.data)
    return {at for at, (new, old) in enumerate(zip(draft.data, draft.part.data, strict=True)) if new != old}


@pytest.mark.parametrize(("mutation", "kinds"), [(number, {INT, STRING}), (real, {FLOAT})])
def test_a_number_is_changed_where_the_step_says(mutation, kinds):
    for draft in drafts(100):
        mutation(draft)
        place = place_of(draft)
        assert place.kind in kinds
        assert changed(draft) <= set(range(place.offset, place.offset + place.size))
        if mutation is number:
            told = int(draft.steps[0].rsplit(" ", 1)[1])
            stored = int.from_bytes(draft.data[place.offset : place.offset + place.size], "little")
            assert stored == told & ((1 << 8 * place.size) - 1)


def test_a_header_is_changed_where_it_is():
    for draft in drafts(50):
        header(draft)
        assert changed(draft) <= set(range(8))  # eight bytes from its start at most


def test_other_text_takes_the_place_of_one():
    for draft in drafts(100):
        text(draft)
        place = place_of(draft)
        assert place.kind == STRING
        old, end = draft.part.data, place.offset + 4 + place.value
        # Lengths before it may have been made to fit; what is after it is as it was.
        assert draft.data[(len(draft.data) - (len(old) - end)) :] == old[end:]


def test_lengths_follow_what_is_in_them():
    data = i32(20) + bytes(20) + b"behind"
    draft = draft_of(data, Place(0, 4, INT, 20, 26), Place(4, 4, INT, 0, 16))
    draft.replace(8, 8, b"four", depth=1)
    assert bytes(draft.data) == i32(24) + bytes(4) + b"four" + bytes(16) + b"behind"
    assert (draft.at(4), draft.at(12)) == (4, 16)
    draft.replace(20, 24, b"", depth=0)
    assert int.from_bytes(draft.data[:4], "little") == 24


@pytest.mark.parametrize(("depth", "lengths"), [(0, (30, 20, 10)), (1, (30, 20, 12)), (2, (30, 22, 12)), (9, (32, 22, 12))])
def test_lengths_follow_up_to_a_depth(depth, lengths):
    """The innermost first."""
    data = i32(30) + i32(20) + i32(10) + bytes(100)
    draft = draft_of(data, *(Place(at, 4, INT, size, 100) for at, size in ((0, 30), (4, 20), (8, 10))))
    draft.replace(14, 14, b"xy", depth=depth)
    assert struct.unpack_from("<iii", draft.data) == lengths


def test_numbers_are_swapped():
    data = i32(30) + i32(20) + bytes(8)
    draft = draft_of(data, Place(0, 4, INT, 30, 100), Place(4, 4, INT, 20, 100), Place(8, 8, INT, 0, 100))
    exchange(draft)
    assert draft.data in (i32(20) + i32(30) + bytes(8), data)


def test_a_graft_is_of_another_save():
    one = Part("file", b"a" * 12, [Place(at, 4, INT, 0, 9) for at in (0, 4, 8)])
    other = Part("file", b"b" * 12, [Place(at, 4, INT, 0, 9) for at in (0, 4, 8)])
    for seed in range(20):
        draft = Draft(one, [other], random.Random(seed))
        graft(draft)
        assert bytes(draft.data).strip(b"a") in {b"b" * 4, b"b" * 8}


def test_lengths_lie_with_the_count_that_is_in_them():
    data = i32(20) + i32(3) + bytes(16) + b"behind"
    seen = set()
    for seed in range(100):
        draft = draft_of(data, Place(0, 4, INT, 20, 26), Place(4, 4, INT, 3, 16), seed=seed)
        amplify(draft)
        length, count = (int.from_bytes(draft.data[at : at + 4], "little") for at in (0, 4))
        assert draft.data[8:] == data[8:]
        seen.add((length, count))
    assert (20 + 64 * 4096, 4096) in seen
    assert (2**31 - 1, 2**30) in seen
    assert (4096, 3) in seen


@pytest.mark.parametrize("mutation", dict.fromkeys((*AIMED, *BLIND)))
def test_every_mutation_changes_something_and_says_what(mutation):
    seen = 0
    for draft in drafts(40):
        mutation(draft)
        assert len(draft.steps) == 1
        seen += bytes(draft.data) != draft.part.data
    assert seen > 20


def test_what_has_no_places_is_changed_blindly():
    for mutation in (number, amplify, header, real, text, structure, exchange, graft):
        draft = draft_of(bytes(50), seed=1)
        mutation(draft)
        assert len(draft.steps) == 1


# --- taken apart and put together ---


@pytest.mark.parametrize("name", [name for name in SHAPES if unpack((VALID / name).read_bytes())])
def test_what_is_put_together_again_is_the_same_save(name):
    data = (VALID / name).read_bytes()
    contents, assemble = unpack(data)
    again = assemble([None] * len(contents), random.Random(3))
    if name.startswith("arx/"):  # entries may be left out
        assert read(again)[-1:] == [SaveEnd(read(again)[-1].offset)]
    else:
        assert [type(event) for event in without_chunks(read(again))] == [type(event) for event in without_chunks(read(data))]
        assert read(again)[-1] == read(data)[-1]


@pytest.mark.parametrize("name", ["gvas/archive-block-size-0.sav", "gvas/archive-blocks-most.sav", "gvas/plz-cut.sav"])
def test_what_is_not_sound_is_not_taken_apart(name):
    assert unpack((ROOT / "corpora" / "invalid" / name).read_bytes()) is None


# --- smaller inputs ---


def test_a_smaller_input_with_the_same_finding():
    data = random.Random(1).randbytes(3000) + b"needle" + random.Random(2).randbytes(500)
    assert minimise(data, lambda less: b"needle" in less, seconds=600) == b"needle"


def test_a_smaller_input_under_its_compression():
    def shows(data: bytes) -> bool:
        try:
            return b"needle" in zlib.decompress(data)
        except zlib.error:
            return False

    assert zlib.decompress(minimise(zlib.compress(save_game()), shows, seconds=600)) == b"needle"


def test_when_there_is_no_time_nothing_is_taken_out():
    assert minimise(b"x" * 1000, lambda less: True, seconds=-1) == b"x" * 1000  # noqa: ARG005


# --- what is wrong is found ---


class Wrong(wrong_decoder.Around):
    """A stream that does one thing wrong."""

    _count = 0
    _failed = False

    def __init__(self, fault: str, source: Any, options: dict[str, Any]) -> None:
        super().__init__(fault, source, options)
        self._skips_one = fault == ("resync" if "on_damage" in options else "feeds" if not isinstance(source, bytes) else "")

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> streamsave.Event:
        if self._failed and self._fault == "again":
            raise DamagedSave("another")
        self._count += 1
        if self._fault == "crash" and self._count == 3:
            raise IndexError("no such byte")
        try:
            event = next(self._events)
        except streamsave.SaveError:
            self._failed = True
            raise
        if (self._skips_one and self._count == 4) or (self._fault == "nesting" and isinstance(event, StructExit)):
            return next(self._events)
        return event

    def skip(self) -> object:
        return None if self._fault == "verb" else self._events.skip()


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["crash", "again", "feeds", "nesting", "verb", "resync"])
def test_a_parser_that_is_wrong_is_found_out(fault, tmp_path, monkeypatch):
    """Each in some of the inputs; the same parser without the fault in none."""
    mutator = make_mutator([VALID / "satisfactory" / "v6.sbpcfg", VALID / "satisfactory" / "sv29.sav"])
    mutants = [mutator.make(seed) for seed in range(30)]
    assert [judge(mutant.data, mutant.seed, tmp_path).findings for mutant in mutants] == [[]] * len(mutants)
    monkeypatch.setattr(streamsave, "open", lambda source, **options: Wrong(fault, source, options))
    found = {finding.kind for mutant in mutants for finding in judge(mutant.data, mutant.seed, tmp_path).findings}
    assert fault in found


def test_a_loss_that_is_no_fault_is_no_finding(tmp_path):
    """The bytes of an entry that the table has lost: without resync, nothing is wrong with what is left."""
    data = (VALID / "arx" / "v2.1-duplicates.sav").read_bytes()
    table = 4 + int.from_bytes(data[:4], "little")
    data = data[: table + 4] + i32(0)  # the number of entries
    strict = walk(data)
    assert strict.error is None
    assert any(isinstance(event, Damage) for event in resynced(data).events)
    assert survives(data, strict, random.Random(0), tmp_path) == []


def test_an_entry_that_only_a_proof_refuses_is_a_loss(tmp_path):
    """The walk reads a save's data under another name; with resync, they are not given."""
    data = Container(NO_EXTENSION, [Entry(b"pld", Globals([(8, "§quest", 2)]).encode(), STORED)]).encode()
    strict = walk(data)
    assert strict.error is None
    assert [type(event) for event in resynced(data).events][-3:] == [Damage, ObjectEnd, SaveEnd]
    assert survives(data, strict, random.Random(0), tmp_path) == []


def test_what_waits_for_another_process_is_read_once(tmp_path, monkeypatch):
    """All ways of reading would take longer than a process may be without progress."""
    now = 0.0
    reads = 0

    def slow(data: bytes) -> tuple[Walk, float]:
        nonlocal now
        now += LONG_WAIT + (0.1 if data == b"waits" else -0.1)
        return Walk(), 0.0

    def other(*_: object) -> Walk:
        nonlocal reads
        reads += 1
        return Walk()

    monkeypatch.setattr(contract, "timed", slow)
    monkeypatch.setattr(contract, "walk", other)
    monkeypatch.setattr(contract.time, "monotonic", lambda: now)
    for seed in range(20):
        assert judge(b"waits", seed, tmp_path).findings == []
    assert reads == 0
    for seed in range(20):
        judge(b"does not", seed, tmp_path)
    assert reads > 3


def campaign_over(data: bytes, folder: Path) -> tuple[Campaign, list[Found]]:
    """A campaign with one sample, and what it reports."""
    path = file_with(folder / "sample.sav", data)
    told: list[Found] = []
    return Campaign(make_mutator([path]), folder, told.append, lambda seed: None), told  # noqa: ARG005


def test_what_is_slow_is_found_out(tmp_path, monkeypatch):
    """Once: it is tried again, and what was slow by chance is none."""
    watched, told = campaign_over(save_game(), tmp_path)
    times = dict.fromkeys(range(40), 0.001)
    monkeypatch.setattr(campaign, "judge", lambda data, seed, folder: Verdict(seconds=times[seed]))  # noqa: ARG005
    monkeypatch.setattr(campaign, "timed", lambda data: (None, 0.001))  # noqa: ARG005
    times[20] = 5.0
    assert watched.run(Task([], 0, 30)).findings == Counter()
    assert watched.tally.worst[0] < 20
    monkeypatch.setattr(campaign, "timed", lambda data: (None, 4.0))  # noqa: ARG005
    times[30] = 5.0
    watched.run(Task([], 30, 1))
    assert [(found.finding.kind, found.mutant.seed) for found in told] == [("slow", 30)]
    assert watched.tally.worst == (times_median(4.0, told[0].mutant.size, watched._median), 30)


def test_times_the_median():
    """Where the median says next to nothing, the floor counts."""
    assert times_median(2.0, 1000, 0.0001) == pytest.approx(20)
    assert times_median(campaign.SLOW_FLOOR, 0, 1.0) == pytest.approx(campaign.SLOW_FACTOR)
    assert times_median(campaign.SLOW_FLOOR, 1, 1e-12) == pytest.approx(campaign.SLOW_FACTOR)


@pytest.mark.slow
def test_lies_are_findings(tmp_path, monkeypatch):
    """Of inputs of which it is known what may be given; they are kept as they are."""
    monkeypatch.setattr(campaign, "lies", lambda data, truth, seed: [Finding("lie", "text", "lie of a parser")])  # noqa: ARG005
    watched, told = campaign_over((VALID / "satisfactory" / "sv46.sav").read_bytes(), tmp_path)
    known = [seed for seed in range(20) if make_mutator([tmp_path / "sample.sav"]).make(seed).truth is not None]
    assert 2 < len(known) < 20  # the file itself was changed in the others
    assert watched.run(Task([], 0, 20)).findings == Counter({"lie of a parser": len(known)})
    assert [found.mutant.seed for found in told] == known  # each may have another cause
    assert all(found.smallest == found.mutant.data for found in told)


def test_what_survival_costs_is_looked_at(tmp_path, monkeypatch):
    """In one of three inputs; a smaller input must cost as much."""
    seen: list[int] = []

    def costs(data: bytes, size: int, pace: float) -> list[Finding]:
        assert 0 <= pace < 1
        seen.append(size)
        return [Finding("progress", "text", "progress reads")] if b"needle" in data else []

    monkeypatch.setattr(campaign, "too_much", costs)
    watched, told = campaign_over(save_game(), tmp_path)
    assert 0 < watched.run(Task([], 0, 20)).findings["progress reads"] <= 7 < len(seen)
    assert told[0].mutant.seed % campaign.PROGRESS_EACH == 0
    assert told[0].smallest == b"needle"


@pytest.mark.slow
def test_what_takes_memory_is_found_out(tmp_path, monkeypatch):
    watched, told = campaign_over(save_game(), tmp_path)
    monkeypatch.setattr(campaign, "judge", lambda data, seed, folder: Verdict())  # noqa: ARG005
    used = 100.0
    monkeypatch.setattr(campaign, "peak", lambda: used)
    watched.run(Task([], 0, campaign.WARM + 1))
    assert told == []

    def judge_and_hold(*_: object) -> Verdict:
        nonlocal used
        used += campaign.MEMORY_STEP + 1
        return Verdict()

    monkeypatch.setattr(campaign, "judge", judge_and_hold)
    tally = watched.run(Task([], 5000, 2))
    assert [(found.finding.kind, found.mutant.seed) for found in told] == [("memory", 5000), ("memory", 5001)]
    assert tally.findings == Counter({"memory": 2})
    assert tally.memory == 2 * (campaign.MEMORY_STEP + 1)


def test_each_finding_is_reported_and_the_first_of_a_kind_made_smaller(tmp_path, monkeypatch):
    """The same may have another cause in another input."""

    def wrong(data: bytes, seed: int, folder: Path) -> Verdict:  # noqa: ARG001
        return Verdict(findings=[Finding("crash", "text", "crash of a needle")] if b"needle" in data else [])

    monkeypatch.setattr(campaign, "judge", wrong)
    watched, told = campaign_over(save_game(), tmp_path)
    tally = watched.run(Task([], 0, 20))
    assert tally.findings["crash of a needle"] > 5
    assert len({found.mutant.seed for found in told}) == tally.findings["crash of a needle"]
    found, other = told[:2]
    assert (found.smallest, other.smallest) == (b"needle", other.mutant.data)
    assert fuzz.write_finding(found, tmp_path / "found", "gvas").read_bytes() == b"needle"
    assert sorted(path.suffixes[-1] for path in (tmp_path / "found").iterdir()) == [".sav", ".sav", ".txt"]
    assert fuzz.write_finding(other, tmp_path / "other", "gvas").read_bytes() == other.mutant.data
    assert sorted(path.suffixes[-1] for path in (tmp_path / "other").iterdir()) == [".sav", ".txt"]
    assert f"seed {found.mutant.seed} of " in next((tmp_path / "found").glob("*.txt")).read_text()


def test_a_machine_that_is_suspended_is_no_hang(monkeypatch):
    """Neither process ran, or only the one that is watched: time alone does not show it."""
    now = 0.0
    monkeypatch.setattr(campaign.time, "monotonic", lambda: now)
    watched = object.__new__(campaign.Watched)
    watched._beats, watched._last, watched._looks = SimpleNamespace(value=7), (7, now), 0
    now = 10 * campaign.HANG
    assert [watched.hangs() for _ in range(campaign.LOOKS)] == [False] * (campaign.LOOKS - 1) + [True]
    watched._beats.value += 1
    assert not watched.hangs()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "kind", "code"),
    [(wrong_decoder.work_and_hang, "hang", -signal.SIGKILL), (wrong_decoder.work_and_die, "died", -signal.SIGABRT)],
)
def test_what_hangs_or_takes_the_process_with_it_is_found_out(work, kind, code, tmp_path, monkeypatch):
    """Each such input is reported, with all that is needed to see it again; those between them are read."""
    (tmp_path / "sample.sav").write_bytes(save_game())
    mutator = make_mutator([tmp_path / "sample.sav"])
    bad = [seed for seed in range(1, 20, 2) if wrong_decoder.is_bad(mutator.make(seed).data)][:2]
    count = bad[1] // 2 + 1
    monkeypatch.setattr(campaign, "_work", work)
    monkeypatch.setattr(campaign, "HANG", 0.9)
    told: list[Found] = []
    tally = run_watched([Task([tmp_path / "sample.sav"], 1, count, 2)], told.append)
    assert [found.mutant for found in told] == [mutator.make(seed) for seed in bad]
    assert {found.finding for found in told} == {Finding(kind, f"exit code {code}", kind)}
    assert all(found.smallest == found.mutant.data for found in told)
    assert tally.findings == Counter({kind: 2})
    assert tally.inputs == count
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_the_command_reports_what_ends_the_process(tmp_path, monkeypatch):
    """The seed and the input are written down; the seed makes the input again."""
    sample = file_with(tmp_path / "sample.sav", save_game())
    mutator = make_mutator([sample])
    first = 3 * campaign.SEEDS
    seed = next(seed for seed in range(first, first + 99) if wrong_decoder.is_bad(mutator.make(seed).data))
    monkeypatch.setattr(campaign, "_work", wrong_decoder.work_and_die)
    args = ["--seed", "3", "--count", str(seed - first + 1), "-o", str(tmp_path / "found"), str(sample)]
    ran = CliRunner().invoke(fuzz.main, args)
    assert ran.exit_code == 1
    stem = f"samples-died-{seed}"
    assert f"samples: died, seed {seed}: {tmp_path / 'found' / stem}.sav" in ran.stderr
    data = (tmp_path / "found" / f"{stem}.sav").read_bytes()
    assert wrong_decoder.is_bad(data)
    assert (tmp_path / "found" / f"{stem}.txt").read_text().startswith(f"died\nseed {seed} of {sample}\n")
    again = CliRunner().invoke(mutate.main, ["--seed", str(seed), "-o", str(tmp_path / "again"), str(sample)])
    assert (again.exit_code, again.exception) == (0, None)
    assert (tmp_path / "again" / f"{seed}.sav").read_bytes() == data


@pytest.mark.slow
def test_processes_that_do_nothing_end_the_campaign(tmp_path, monkeypatch):
    """Others in their place would do no more."""
    (tmp_path / "sample.sav").write_bytes(save_game())
    monkeypatch.setattr(campaign, "_work", wrong_decoder.no_work)
    with pytest.raises(RuntimeError, match="before its first input, with exit code 0"):
        run_watched([Task([tmp_path], 5, 10)], pytest.fail)
    assert not multiprocessing.active_children()


def test_a_mutator_takes_files_that_are_no_saves(tmp_path):
    (tmp_path / "text.sav").write_bytes(b"no save at all")
    mutant = make_mutator([tmp_path]).make(1)
    assert mutant.data != b"no save at all"
    assert mutant.steps


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["satisfactory/sv46.sav", "satisfactory/sv60.sav", "astroneer/full.savegame", "gvas/ue5-1012.sav"]
)
def test_wide_numbers_at_their_extremes(name, tmp_path):
    """Where offsets are native, a position and a number that is too large are together a negative one."""
    (sample,) = make_mutator([VALID / name]).samples
    wide = [
        (index, place) for index, part in enumerate(sample.parts) for place in part.places if (place.size, place.kind) == (8, INT)
    ]
    assert wide
    for index, place in random.Random(5).sample(wide, min(len(wide), 40)):
        part = sample.parts[index]
        for value in (-(1 << 63), (1 << 63) - 1, (1 << 63) - 9, 1 << 62):
            draft = Draft(part, [part], random.Random(0))
            draft.set(place, value)
            new: list[bytes | None] = [None] * len(sample.parts)
            new[index] = bytes(draft.data)
            assert judge(sample.assemble(new, random.Random(0)), 0, tmp_path).findings == [], (place, value)
