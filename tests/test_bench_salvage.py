"""`tools/bench_salvage.py`: damage of known kinds, and whether what is given of a damaged save is right."""

import json
import os
import struct
import time
from collections import Counter
from functools import cache
from pathlib import Path

import bench_salvage
import pytest
from attrs import evolve
from bench_salvage import read_apart, saves_of
from click.testing import CliRunner
from salvaging.damages import CLASSES, Damaged, damage
from salvaging.judging import judged, sound_of, walked
from salvaging.places import key_of, places_of
from salvaging.wrappers import open_save
from saves import VALID, headers_of, inflate

import streamsave
from streamsave import SaveStart

#: One sample of each wrapper, and the family of the table that it is in.
SAMPLES = {
    "satisfactory/sv25.sav": "satisfactory",
    "satisfactory/sv46.sav": "satisfactory",
    "satisfactory/sv58.sbp": "blueprint",
    "gvas/ue4-522.sav": "gvas-values",
    "gvas/palworld-1.0.sav": "gvas-values",
    "gvas/wrapper-plz-32.sav": "gvas-values",
    "astroneer/full.savegame": "astroneer",
    "arx/v2.0.sav": "arx",
    "shapez2/checkpoints.spz2": "shapez2",
    "shapez2/buildings.spz2bp": "shapez2",
}
WORLD = "satisfactory/sv46.sav"

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="a trial is read in a process that is forked")


@cache
def sound(name):
    return sound_of(VALID / name, name)


def trial(one, data, touched=()):
    return judged(one, Damaged(data, "", list(touched)), given_of(one, data))


def given_of(one, data):
    return one.given_of(data, walked(data, "resync"))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sound_save_is_wholly_right_and_so_is_one_that_was_packed_anew(name):
    one = sound(name)
    assert one.family == SAMPLES[name]
    headers = [key_of(event) for event in headers_of(one.save.data)]
    assert Counter(headers) == Counter(thing.key for thing in one.places.objects)
    for data in (one.save.data, one.save.pack([])):
        found = trial(one, data)
        assert (found.right, found.lies, found.parts, found.changed, found.twice) == (one.total, 0, 0, 0, 0)
    assert one.total == (sum(one.given.values.values()) if one.of_values else len(headers))


def test_the_stream_is_what_the_chunks_inflate_to():
    save = open_save((VALID / WORLD).read_bytes())
    assert save.stream == inflate(save.data)


@pytest.mark.parametrize("name", SAMPLES)
def test_stored_sizes_and_numbers_are_where_the_bench_looks_for_them(name):
    save = open_save((VALID / name).read_bytes())
    places = places_of(save)
    for size in places.sizes:
        assert struct.unpack_from("<i", save.stream, size.at)[0] == size.end - size.start
    for at, count in places.counts:
        assert struct.unpack_from("<i", save.stream, at)[0] == count


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_name_kind_and_number_give_the_same_damage(name, kind):
    one = sound(name)
    made = [damage(one.save, one.places, kind, 3, name=name, of_values=one.of_values) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0] is None or made[0].data != one.save.data


def test_a_size_to_later_ends_where_another_object_ends():
    one = sound(WORLD)
    made = damage(one.save, one.places, "size-to-later", 0, name=WORLD, of_values=False)
    stream = open_save(made.data).stream
    size = next(size for size in one.places.sizes if stream[size.at : size.at + 4] != one.save.stream[size.at : size.at + 4])
    ends = {thing.end for thing in one.places.objects if thing.end > size.end}
    assert size.start + struct.unpack_from("<i", stream, size.at)[0] in ends
    assert made.touched == [size.owner.entry]


@pytest.mark.parametrize("index", [0, 1])
def test_in_every_other_place_all_sizes_around_a_missing_entry_are_right(index):
    one = sound(WORLD)
    stream = open_save(damage(one.save, one.places, "entry-missing", index, name=WORLD, of_values=False).data).stream
    assert (struct.unpack_from("<q", stream)[0] == len(stream) - 8) == (index == 1)


def test_foreign_bytes_under_a_header_are_a_lie_and_changed_ones_of_the_damaged_object_are_not():
    one = sound(WORLD)
    sizes = {size.owner.data: size for size in one.places.sizes}
    by_size = {}
    for thing in one.places.objects:
        data = one.save.stream[thing.data : thing.end]
        other = by_size.setdefault((thing.key[1], len(data)), thing)
        if thing.data in sizes and one.save.stream[other.data : other.end] != data:
            break
    else:
        pytest.fail("no two objects of one class and size differ")
    swapped = one.save.pack([(thing.data, thing.end, one.save.stream[other.data : other.end])])
    found = trial(one, swapped)
    assert (found.right, found.lies, found.changed) == (one.total - 1, 1, 0)
    assert found.examples == ["/".join(str(part) for part in thing.key[:3])]
    found = trial(one, swapped, [(thing.data, thing.end)])
    assert (found.right, found.lies, found.changed) == (one.total - 1, 0, 1)


def test_a_foreign_value_in_a_part_of_an_object_is_counted_apart():
    one = sound(WORLD)
    key = next(thing for thing in one.places.objects if not thing.holds and thing.end > thing.data).key
    got = given_of(one, one.save.data)
    got.parts = [(key, [hash("foreign")]), (key, [])]
    found = judged(one, Damaged(one.save.data, ""), got)
    assert (found.right, found.lies, found.parts) == (one.total, 0, 1)


def test_what_is_given_twice_is_counted_apart():
    one = sound(WORLD)
    got = given_of(one, one.save.data)
    got.whole.update([next(iter(got.whole))])
    found = judged(one, Damaged(one.save.data, ""), got)
    assert (found.right, found.lies, found.twice) == (one.total, 0, 1)


def name_around_a_value(one):
    """Of a nesting with a value: the name, and where it is."""
    leaves = one.places.leaves
    nest = next(nest for nest in one.places.nests if any(nest.data <= leaf.start and leaf.end <= nest.end for leaf in leaves))
    return str(nest.key[-1]), nest.start, len(one.save.stream)


def name_in_a_table(one):
    ((start, end),) = one.places.tables
    return str(one.places.objects[-1].key[2]).split(".")[-1], start, end


@pytest.mark.parametrize(
    ("sample", "place"), [("gvas/ue4-522.sav", name_around_a_value), ("astroneer/full.savegame", name_in_a_table)]
)
def test_what_is_under_a_damaged_name_is_what_was_damaged(sample, place):
    one = sound(sample)
    name, start, end = place(one)
    at = one.save.stream.index(name.encode() + b"\0", start, end)
    renamed = one.save.pack([(at, at + 1, b"~")])
    found = trial(one, renamed, [(at, at + 1)])
    assert found.changed > 0
    assert found.lies == 0
    assert trial(one, renamed).lies == found.changed


@forks
def test_a_read_that_takes_too_long_or_raises_is_ended(monkeypatch):
    one = sound(WORLD)
    judgement, _, damages, end = read_apart(one, Damaged(one.save.data, ""), 60.0)
    assert (judgement.right, damages, end) == (one.total, 0, "read")
    monkeypatch.setattr(bench_salvage, "walked", lambda *_: time.sleep(60))
    assert read_apart(one, Damaged(one.save.data, ""), 0.01)[3] == "time limit"
    monkeypatch.setattr(bench_salvage, "walked", lambda *_: None.events)
    assert read_apart(one, Damaged(one.save.data, ""), 60.0)[3] == "crash"


@pytest.mark.slow
@forks
def test_what_is_lower_than_before_ends_with_exit_code_1(tmp_path):
    target = tmp_path / "new.json"
    arguments = ["--corpus", str(VALID), "--save", str(VALID / WORLD), "--class", "count", "--json", str(target)]
    ended = CliRunner().invoke(bench_salvage.main, arguments, catch_exceptions=False)
    assert ended.exit_code == 0
    rows = json.loads(target.read_text())
    assert {(row["file"], row["class"], row["family"]) for row in rows} == {(WORLD, "count", "satisfactory")}
    assert all(row["yield"] == round(100 * row["right"] / row["total"], 2) for row in rows)
    assert bench_salvage.compare(bench_salvage.read_json(target), bench_salvage.read_json(target), bench_salvage.Console()) == 0
    before = bench_salvage.read_json(target)
    before[0] = evolve(before[0], judgement=evolve(before[0].judgement, right=before[0].judgement.right + 1))
    bench_salvage.write_json(before, target)
    ended = CliRunner().invoke(bench_salvage.main, [*arguments[:-2], "--against", str(target)], catch_exceptions=False)
    assert ended.exit_code == 1
    assert f"lower: {WORLD} count {before[0].index} ({before[0].place})" in ended.stdout.replace("\n", " ")


def test_both_sets_of_real_saves_are_apart(corpus: Path):
    sets = [saves_of(corpus, held_back=held_back) for held_back in (False, True)]
    assert [len(each) for each in sets] == [20, 10]
    assert not set(sets[0]) & set(sets[1])
    with streamsave.open(sets[0][0]) as events:
        assert isinstance(next(events), SaveStart)
