"""Arrays, sets and maps in slices: the elements are those of `build()`, whatever their number."""

import subprocess
import sys

import pytest
from cli_runs import environment, thing
from cursors import Uncounted, cursor_over
from gvas_saves import save as gvas_save
from saves import SATISFACTORY, VALID, deflate, file_with, head_and_body
from writer.primitives import Ref
from writer.satisfactory import VersionData, World, release_header, save_bytes
from writer.structs import VECTOR
from writer.tags import BOOL, BYTE, FLOAT, INT, INT8, OBJECT, STR, Array, Fields, Map, Prop, Set

import streamsave
from streamsave import ChunkStart, Field, LimitExceeded, Limits, PropertyTag, SaveError, StaleEvent
from streamsave.decode import codecs
from streamsave.decode.slices import SLICE_COUNT, SLICE_SIZE, slices_of

SAVES = sorted(path for path in VALID.glob("*/*") if path.is_file())


def world(*properties: Prop[object]) -> bytes:
    chest = thing("BP_Chest_C_1", *properties, Prop("mLast", INT, 7))
    return save_bytes(World(release_header(58), (), [chest], version_data=VersionData()))


def go_to(events, name, most=-1):
    """Go to the next event of a name; without the starts of chunks, it has to be among so many."""
    for event in events:
        if not isinstance(event, ChunkStart):
            most -= 1
            if getattr(event, "name", "") == name:
                return
            assert most != 0
    raise AssertionError(name)


def joined(slices):
    """All elements, and how many each slice has; each slice says where it starts."""
    counts = []
    values = []
    for first, part in slices:
        assert first == sum(counts)
        assert len(part) > 0
        counts.append(len(part))
        values.append(part)
    return counts, (b"".join(values) if values and isinstance(values[0], bytes) else [each for part in values for each in part])


def leaves(source, verb, limits=None):
    """What a verb gives for each leaf of a save, up to an error."""
    results = []
    try:
        with streamsave.open(source, limits=limits) as events:
            for event in events:
                if isinstance(event, (PropertyTag, Field)):
                    results.append((event.offset, verb(events)))  # noqa: PERF401 - up to an error
    except SaveError as error:
        results.append((type(error), str(error), error.offset, error.path))
    return results


def by_slices(events):
    """The value of a leaf from its slices; None if it has none."""
    if not events.is_leaf():
        return None
    slices = events.slices()
    return events.build() if slices is None else joined(slices)[1]


def built(events):
    return events.build() if events.is_leaf() else None


def as_lists(results):
    """As text, for NaN. An empty byte array has no slices, as an empty list has none."""
    return repr([(result[0], []) if result[1:] == (b"",) else result for result in results])


@pytest.mark.parametrize("path", SAVES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_same_as_built(path):
    assert as_lists(leaves(path, by_slices)) == as_lists(leaves(path, built))


@pytest.mark.slow
def test_the_same_as_built_in_real_saves(corpus):
    """Those that are small enough to keep all values of."""
    paths = [path for path in sorted(corpus.rglob("*")) if path.suffix in {".sav", ".sbp"} and path.stat().st_size < 200_000]
    assert paths
    for path in paths:
        assert as_lists(leaves(path, by_slices)) == as_lists(leaves(path, built)), path


def with_a_byte_changed(name, seed, of):
    head, body = head_and_body((SATISFACTORY / name).read_bytes())
    changed = bytearray(body)
    changed[len(body) * (seed + 1) // of] ^= 0xFF
    return deflate(head, bytes(changed))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("name", ["sv58.sav", "sv46.sav"])
def test_the_same_errors(name, seed):
    data = with_a_byte_changed(name, seed, 62)
    assert as_lists(leaves(data, by_slices)) == as_lists(leaves(data, built))


def after_faults(data, verb):
    """The events of a damaged save, if a verb acts on each leaf, and its errors."""
    results = []
    with streamsave.open(data, on_damage="resync") as events:
        for event in events:
            results.append((type(event), event.offset))
            if isinstance(event, (PropertyTag, Field)):
                try:
                    verb(events)
                except SaveError as error:
                    results.append(str(error))
    return results


@pytest.mark.parametrize("seed", range(20))
def test_the_same_goes_on_after_a_fault(seed):
    data = with_a_byte_changed("sv58.sav", seed, 22)
    assert after_faults(data, by_slices) == after_faults(data, built)


MANY = 3 * SLICE_COUNT + 1
TEXTS = [f"text {number}" for number in range(MANY)]
CASES = {
    "int": (Array(INT), list(range(MANY))),
    "int8": (Array(INT8), [number % 100 for number in range(MANY)]),
    "float": (Array(FLOAT), [number / 2 for number in range(MANY)]),
    "bool": (Array(BOOL), [number % 3 == 0 for number in range(MANY)]),
    "bytes": (Array(BYTE), bytes(number % 256 for number in range(3 * SLICE_SIZE + 1))),
    "text": (Array(STR), TEXTS),
    "long text": (Array(STR), [letter * (SLICE_SIZE + 1) for letter in "abcd"]),
    "reference": (Array(OBJECT), [Ref("Level", text) for text in TEXTS]),
    "vector": (Array(VECTOR), [(number, 0.0, 1.0) for number in range(MANY)]),
    "set": (Set(INT), list(range(MANY))),
    "set of text": (Set(STR), TEXTS),
    "map": (Map(INT, FLOAT), [(number, 0.5) for number in range(MANY)]),
    "map of text": (Map(STR, STR), list(zip(TEXTS, reversed(TEXTS), strict=True))),
    "empty": (Array(INT), []),
    "empty map": (Map(STR, INT), []),
}


@pytest.mark.parametrize(
    ("write", "name"),
    [*((world, name) for name in CASES), *((gvas_save, name) for name in CASES if name != "reference")],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_made(write, name):
    kind, values = CASES[name]
    data = write(Prop("mMany", kind, values))
    with streamsave.open(data) as events:
        go_to(events, "mMany")
        whole = events.build()
    with streamsave.open(data) as events:
        go_to(events, "mMany")
        assert events.is_leaf()
        counts, elements = joined(events.slices())
        assert elements == whole
        assert len(elements) == len(values)
        assert max(counts, default=0) <= (SLICE_SIZE if name == "bytes" else SLICE_COUNT)
        assert len(counts) >= 3 or not values
        if name == "long text":
            assert counts == [1, 1, 1, 1]
        if write is world:
            go_to(events, "mLast", 1)
            assert events.build() == 7


def test_what_has_events_inside_goes_on_with_them():
    with streamsave.open(world(Prop("mMany", Array(Fields("Stack")), [[Prop("Name", STR, "iron")]]))) as events:
        go_to(events, "mMany")
        assert events.slices() is None
        with pytest.raises(StaleEvent):
            events.build()
        assert next(events).type_name == "ArrayProperty"


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_the_rest_is_skipped(taken):
    with streamsave.open(world(Prop("mMany", Array(STR), TEXTS))) as events:
        go_to(events, "mMany")
        slices = events.slices()
        for _ in range(taken):
            next(slices)
        assert events.path[-1] == "mMany"
        with pytest.raises(StaleEvent):
            events.build()
        go_to(events, "mLast", 1)
        with pytest.raises(StaleEvent, match=r"slices\(\): the stream has moved on"):
            next(slices)
        assert events.build() == 7


def test_limits_hold_for_each_slice():
    data = world(Prop("mMany", Array(STR), TEXTS))
    enough = Limits(build_nodes=SLICE_COUNT + 10, build_size=SLICE_SIZE)
    with streamsave.open(data, limits=enough) as events:
        go_to(events, "mMany")
        assert joined(events.slices())[1] == TEXTS
    with streamsave.open(data, limits=enough) as events:
        go_to(events, "mMany")
        with pytest.raises(LimitExceeded):
            events.build()
    with streamsave.open(data, limits=Limits(build_nodes=0)) as events:
        go_to(events, "mMany")
        with pytest.raises(LimitExceeded):
            next(events.slices())


def test_codecs():
    """Of a field: its elements, and None of what has none, without a move."""
    array = codecs.Array(codecs.U16)
    cursor = cursor_over(b"\2\0\0\0\1\0\2\0")
    slices = slices_of(array, cursor)
    assert slices.left == 2
    assert slices.take(cursor, Uncounted()) == [1, 2]
    assert (slices.left, slices.done) == (0, 2)
    for codec in (codecs.U8, codecs.STRING, codecs.Struct("Two", None, one=array, other=array)):
        cursor = cursor_over(b"\2\0\0\0\1\0\2\0")
        assert slices_of(codec, cursor) is None
        assert cursor.tell() == 0


PROGRAM = """
import resource, sys
import streamsave
with streamsave.open(sys.argv[1]) as events:
    for event in events:
        if getattr(event, "name", "") == "mMany":
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(sum(len(part) for _, part in events.slices()))
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
def test_memory(tmp_path):
    """Two million numbers take no more than one slice of them."""
    path = file_with(tmp_path / "many.sav", world(Prop("mMany", Array(INT), range(2_000_000))))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True, env=environment()
    )
    count, grown = map(int, done.stdout.split())
    assert count == 2_000_000
    assert grown * (1 if sys.platform == "darwin" else 1024) < 8 * 1024 * 1024
