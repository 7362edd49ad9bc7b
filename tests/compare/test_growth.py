"""What was added less what was removed is the growth of each class, as `ls` counts it, whatever the two saves are; and bytes."""

import random
from collections import Counter
from importlib.util import find_spec
from itertools import pairwise

import orjson
import pytest
from attack.spans import spans_of
from cli_runs import LEVEL, run, thing, write
from compared import differences
from equations import own_sizes
from gvas_saves import save
from lightweight_worlds import world
from saves import VALID, deflate, head_and_body, headers_of, needs_oodle, slow
from writer.tags import INT, STR, Array, Fields, Map, Prop

import streamsave
from streamsave import ObjectHeader

KINDS = {
    "satisfactory": "*.sav",
    "satisfactory ": "*.sbp",
    "arx": "*.sav",
    "astroneer": "*.savegame",
    "gvas": "*.sav",
    "shapez2": "*.spz2",
    "shapez2 ": "*.spz2bp",
}


def json_of(*args):
    """The lines of a command with `--json`; a warning about a version is no matter here."""
    result = run(*args, "--json")
    assert result.exit_code in {0, 1}
    return [orjson.loads(line) for line in result.stdout.splitlines()]


def classes(path, where):
    if where:
        return Counter(line["class_name"] for line in json_of("ls", "--where", where, path))
    return Counter({line["class_name"]: line["objects"] for line in json_of("ls", "--by-class", path)})


def grown(old, new, where=None):
    """By how many objects and bytes each class has grown: by `ls` and the events, and by `diff`."""
    rows = json_of("diff", "--all", "--summary", *(["--where", where] if where else []), old, new)
    # Where nothing differs, bytes are no matter: those of an object have the objects in it that are not selected.
    before, after = ((classes(path, where), own_sizes(path, where or "") if rows else Counter()) for path in (old, new))
    names = set().union(*before, *after)
    by_ls = {name: tuple(now[name] - then[name] for then, now in zip(before, after, strict=True)) for name in names}
    by_diff = {row["class_name"] or "": (row["added"] - row["removed"], row["bytes"]) for row in rows}
    return [{name: growth for name, growth in each.items() if any(growth)} for each in (by_ls, by_diff)]


@pytest.mark.parametrize("kind", KINDS)
def test_samples(kind):
    """Each one with the next one, which is no later state of it: all is otherwise."""
    paths = sorted((VALID / kind.strip()).glob(KINDS[kind]))
    for old, new in pairwise([*paths, paths[0]]):
        by_ls, by_diff = grown(old, new)
        assert by_diff == by_ls, (old.name, new.name)


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("name", ["sv52", "sv53"])
def test_real_pairs(corpus, name, old, new):
    if not (corpus / "pairs").is_dir():
        pytest.skip("these real saves have no pairs of one world")
    by_ls, by_diff = grown(*(corpus / "pairs" / f"{name}-{each}.sav" for each in (old, new)))
    assert by_diff == by_ls != {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gvas", "arx", "satisfactory/blueprints"])
def test_real_saves_of_one_format(corpus, kind):
    small = [path for path in (corpus / kind).glob("*.s*") if path.suffix != ".sbpcfg" and path.stat().st_size < 30_000]
    paths = sorted(path for path in small if not needs_oodle(path) or find_spec("ooz"))
    if not paths:
        pytest.skip(f"there are no real saves of {kind}")
    for old, new in pairwise([*paths, paths[0]]):
        by_ls, by_diff = grown(old, new)
        assert by_diff == by_ls, (old.name, new.name)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["class_name = *Foundation*", "class_name = *Lightweight*", "size > 200"])
def test_selected_ones(corpus, where, tmp_path):
    """The subsystem around foundations comes unselected."""
    with_one, without = tmp_path / "with.sav", tmp_path / "without.sav"
    with_one.write_bytes(world(52))
    assert run("edit", with_one, "-o", without, "--drop", "class_name = *Lightweight*").exit_code == 0
    pairs = [(with_one, without), (without, with_one), (with_one, with_one)]
    if (corpus / "pairs").is_dir():
        pairs.append((corpus / "pairs" / "sv53-a.sav", corpus / "pairs" / "sv53-b.sav"))
    for old, new in pairs:
        by_ls, by_diff = grown(old, new, where)
        assert by_diff == by_ls


@pytest.mark.slow
@pytest.mark.parametrize("where", ["kind = actor", "class_name ~ ^/Game/FactoryGame/Buildable"])
def test_two_halves_have_all_differences(corpus, where):
    """Also where only one half has the foundations, and the other one the subsystem around them."""
    if not (corpus / "pairs").is_dir():
        pytest.skip("these real saves have no pairs of one world")
    pair = [corpus / "pairs" / f"sv52-{each}.sav" for each in "ab"]
    halves = [run("diff", "--json", "--where", each, *pair).stdout.splitlines() for each in (where, f"not ({where})")]
    whole = [line for line in run("diff", "--json", *pair).stdout.splitlines() if '"instance_name":' in line]
    assert sorted(halves[0] + halves[1]) == sorted(whole)
    assert all(halves)


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize(("old", "new"), [(1100, 1200), (200, 1200), (1200, 200), (1, 1200), (1200, 1)])
def test_objects_of_more_than_a_mebibyte(tmp_path, old, new, moved):
    """What is in one is of this one, also if it is that large in one of the saves alone."""
    paths = []
    for labels, order in ((old, 1), (new, -1 if moved else 1)):
        props = [Prop("mLabel", STR, "x" * 1000, index=at) for at in range(labels)]
        large = [thing("Large", *props, Prop("mCount", INT, labels)), *(thing(f"A_{at}") for at in range(3))]
        paths.append(write(tmp_path, f"{labels}.sav", *large[::order]))
    by_ls, by_diff = grown(*paths)
    assert by_diff == by_ls
    (changed,) = (row["changed"] for row in json_of("diff", "--summary", *paths) if row["class_name"])
    assert changed == 1
    rows = [row for row in differences(*paths) if row[1] is not None]
    assert {row[:2] for row in rows} == {("~", f"{LEVEL}Large")}
    if moved and min(old, new) < 1048 < max(old, new):
        assert [row[2] for row in rows] == ["@data"]
    else:
        assert ("~", f"{LEVEL}Large", "mCount", str(old), str(new)) in rows
        assert len(rows) == abs(new - old) + 1


def reordered(data, seed):
    """The same objects in another order, in each level."""
    chance = random.Random(seed)
    head, body = head_and_body(data)
    pieces, at = [], 0
    for level in spans_of(data, body).levels:
        order = [*level.objects]
        chance.shuffle(order)
        for part in ("header", "entry"):
            places = [getattr(one, part) for one in level.objects]
            if not places:
                continue
            pieces += [body[at : places[0][0]], *(body[slice(*getattr(one, part))] for one in order)]
            at = places[-1][1]
    moved = b"".join([*pieces, body[at:]])
    assert len(moved) == len(body)
    return deflate(head, moved)


NAMES = [f"sv{version}" for version in (25, 28, 29, 36, 41, 46, 52, 58, 60)]
REAL = ["u7-hv10-sv36-216k", "v12-ported-sv58-250k", "hv13-sv42-freshstartu8001-vehicles-2"]


@pytest.mark.parametrize("name", [*NAMES, *REAL])
def test_another_order(any_save, name):
    data = any_save(f"satisfactory/{name}.sav").read_bytes()
    moved = reordered(data, len(name))
    assert moved != data
    assert differences(data, moved) == []


@pytest.mark.parametrize(
    ("name", "seed", "count"),
    [*((name, seed, 3) for name in ("sv46", "sv58") for seed in range(3)), *slow((name, 1, 40) for name in REAL[:2])],
)
def test_some_dropped_and_in_another_order(any_save, tmp_path, name, seed, count):
    """What was dropped is what went, and came from the other side: no other object."""
    path = any_save(f"satisfactory/{name}.sav")
    chance = random.Random(seed)
    with streamsave.open(path) as events:
        names = [event.instance_name for event in events if isinstance(event, ObjectHeader) and not events.holds_objects(event)]
    gone = set(chance.sample([name for name, times in Counter(names).items() if times == 1], count))
    fewer = tmp_path / "fewer.sav"
    with streamsave.rewrite(path, fewer) as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.instance_name in gone:
                save.drop()
    moved = reordered(fewer.read_bytes(), seed)
    assert {row[1] for row in differences(path, moved) if row[0] == "-"} == gone
    assert {row[1] for row in differences(moved, path) if row[0] == "+"} == gone
    assert not [row for row in differences(path, moved) if row[0] == "+"]


THING = Fields("Thing")
THINGS = [[Prop("Count", INT, at)] for at in range(3)]


@pytest.mark.parametrize(("kind", "values"), [(Map(INT, THING), list(enumerate(THINGS[:2]))), (Array(THING), [])])
def test_a_container_of_objects_that_becomes_another(kind, values):
    """No object may be lost in a value that is built whole."""
    old = save(Prop("Things", Array(THING), THINGS), Prop("After", INT, 1))
    new = save(Prop("Things", kind, values), Prop("After", INT, 2))
    counts = [len(headers_of(data, objects_at=["Things[*]"])) for data in (old, new)]
    for first, second, growth in ((old, new, counts[1] - counts[0]), (new, old, counts[0] - counts[1])):
        signs = Counter(row[0] for row in differences(first, second, objects_at=["Things[*]"]))
        assert signs["+"] - signs["-"] == growth
        assert any(row[2] == "After" for row in differences(first, second, objects_at=["Things[*]"]))
