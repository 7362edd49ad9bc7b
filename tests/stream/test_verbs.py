"""The stream's verbs: what they give, when they are stale, and that the rest of the stream does not mind them."""

import pytest
from large_saves import big_save, damaged_save
from saves import SATISFACTORY, VALID, chunks_of, deflate, head_and_body, inflate, read, without_chunks
from writer.primitives import Ref
from writer.satisfactory import Object, VersionData, World, release_header, save_bytes
from writer.structs import FIN_TRACE, Trace
from writer.tags import INT, Array, Map, Prop
from writer.trailers import Opaque as TrailerBytes

import streamsave
from streamsave import BlobSkip, DamagedSave, Field, LimitExceeded, Limits, ObjectHeader, PropertyTag, StaleEvent, StructEnter
from streamsave.values import Opaque

SAMPLES = sorted(SATISFACTORY.glob("*.sav"))
SAMPLE = (SATISFACTORY / "sv58.sav").read_bytes()
VERBS = ("skip", "build", "raw")
names = pytest.mark.parametrize("verb", VERBS)


def until(events: streamsave.EventStream, kind: type[streamsave.Event], name: str = "", *, nth: int = 0) -> streamsave.Event:
    """Go to the event of a kind, and of a name where it has one."""
    for event in events:
        if isinstance(event, kind) and (not name or name in (getattr(event, "name", ""), getattr(event, "class_name", ""))):
            if nth == 0:
                return event
            nth -= 1
    raise AssertionError(f"no {kind.__name__} {name}")


@names
def test_a_verb_acts_once(verb):
    with streamsave.open(SAMPLE) as events:
        until(events, ObjectHeader)
        getattr(events, verb)()
        for other in VERBS:
            with pytest.raises(StaleEvent, match=rf"{other}\(\): nothing is open"):
                getattr(events, other)()
        assert isinstance(next(events), (streamsave.ObjectEnd, streamsave.ChunkStart))


@names
@pytest.mark.parametrize(
    "kind",
    [streamsave.SaveStart, streamsave.ChunkStart, streamsave.StructExit, streamsave.ObjectEnd, BlobSkip, streamsave.SaveEnd],
)
def test_what_opens_nothing_is_stale(verb, kind):
    with streamsave.open(SAMPLE) as events:
        until(events, kind)
        with pytest.raises(StaleEvent, match=f"{kind.__name__} opens nothing"):
            getattr(events, verb)()
        rest = list(events)
    # Misuse is no fault of the save: the stream goes on.
    assert kind is streamsave.SaveEnd or isinstance(rest[-1], streamsave.SaveEnd)


@names
def test_nothing_is_open_before_the_first_event_nor_after_the_last_nor_after_close(verb):
    with streamsave.open(SAMPLE) as events:
        with pytest.raises(StaleEvent, match=rf"{verb}\(\): nothing is open"):
            getattr(events, verb)()
        until(events, ObjectHeader)
    with pytest.raises(StaleEvent, match="the stream is closed"):
        getattr(events, verb)()
    with pytest.raises(StaleEvent, match="the stream is closed"):
        next(events)
    with streamsave.open(SAMPLE) as events:
        list(events)
        assert next(events, None) is None
        with pytest.raises(StaleEvent):
            getattr(events, verb)()


def test_skip_of_what_has_no_size():
    """An element of an array ends at its terminator: `skip` walks there."""
    with streamsave.open(SAMPLE) as events:
        until(events, PropertyTag, "mInventoryStacks")
        until(events, StructEnter, "mInventoryStacks")
        element = next(events)
        assert isinstance(element, StructEnter)
        assert (element.type_name, element.size, element.index) == ("InventoryStack", -1, 0)
        skipped = events.skip()
        leave = next(events)
        following = next(events)
    assert leave == streamsave.StructExit(skipped.offset + skipped.size, "mInventoryStacks", 9)
    assert isinstance(following, StructEnter)
    assert following.index == 1


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_peek_gives_the_bytes_of_each_value_and_object_and_no_verb_has_acted(path):
    body = inflate(path.read_bytes())
    with streamsave.open(path) as events:
        for event in events:
            is_value = isinstance(event, (PropertyTag, Field))
            seen = events._peek(1000)
            size = len(events._peek(1 << 30))
            assert seen == (events._peek(1 << 30) if size <= 1000 else b"")
            if is_value:
                assert size == event.size
                assert events._peek(1 << 30) == events.raw()
                assert events._peek(1 << 30) == b""
            elif isinstance(event, ObjectHeader):
                assert size == max(event.size, 0)
            elif isinstance(event, BlobSkip):
                assert events._peek(1 << 30) == body[event.offset : event.offset + event.size]
            else:
                assert size == 0
    with streamsave.open(path) as events:
        for event in events:
            if isinstance(event, ObjectHeader) and event.size >= 0:
                assert events._peek(1 << 30) == events.raw()


def test_raw_obeys_the_limit():
    with streamsave.open(SAMPLE, limits=Limits(build_size=100)) as events:
        until(events, ObjectHeader, "/Game/Oracle/BP_Museum.BP_Museum_C")
        with pytest.raises(LimitExceeded, match="build_size = 100") as caught:
            events.raw()
    assert (caught.value.limit, caught.value.allowed) == ("build_size", 100)


def test_build_obeys_the_limits_anew_each_time():
    """The budget is that of one `build()`, not of the stream."""
    limits = Limits(build_nodes=4)
    with streamsave.open(SAMPLE, limits=limits) as events:
        for event in events:
            if isinstance(event, PropertyTag) and event.type == "IntProperty":
                assert isinstance(events.build(), int)
    with streamsave.open(SAMPLE, limits=limits) as events:
        until(events, ObjectHeader, "/Game/Oracle/BP_Museum.BP_Museum_C")
        with pytest.raises(LimitExceeded, match="build_nodes") as caught:
            events.build()
        with pytest.raises(LimitExceeded) as again:
            next(events)
    assert again.value is caught.value


def test_a_leaf_stays_open_after_a_look():
    with streamsave.open(SAMPLE) as events:
        until(events, PropertyTag, "mInt")
        assert events.is_leaf()
        assert events.is_leaf()
        assert events.build() == -123456
        with pytest.raises(StaleEvent):
            events.is_leaf()
        until(events, PropertyTag, "mInventoryStacks")
        assert not events.is_leaf()
        with pytest.raises(StaleEvent):  # what its value opens comes next
            events.build()
        assert isinstance(next(events), StructEnter)
        assert isinstance(events.build(), list)


def test_passed_over_bytes_can_be_had():
    body = inflate(SAMPLE)
    with streamsave.open(SAMPLE) as events:
        blob = until(events, BlobSkip)
        assert isinstance(blob, BlobSkip)
        assert events.opaque(blob) == Opaque(body[blob.offset : blob.offset + blob.size], blob.reason)
        assert events.opaque(blob) == events.opaque(blob)
        next(events)
        with pytest.raises(StaleEvent, match="moved on"):
            events.opaque(blob)
        rest = list(events)
    assert rest == read(SAMPLE)[-len(rest) :]


def test_no_other_event_has_passed_over_bytes():
    """It is no fault of the save: the stream goes on."""
    with streamsave.open(SAMPLE) as events:
        start = next(events)
        with pytest.raises((StaleEvent, TypeError), match="BlobSkip"):  # compiled, it is a TypeError
            events.opaque(start)
        assert [start, *events] == read(SAMPLE)


def test_passed_over_bytes_obey_the_limit():
    one = Object("/Script/Oracle.Unknown", "One", (), TrailerBytes(bytes(200)))
    with streamsave.open(save_bytes(World(release_header(52), objects=[one])), limits=Limits(build_size=199)) as events:
        blob = next(event for event in events if isinstance(event, BlobSkip))
        with pytest.raises(LimitExceeded) as caught:
            events.opaque(blob)
        with pytest.raises(LimitExceeded) as again:
            next(events)
    assert again.value is caught.value


def test_a_walk_has_no_budget():
    """Values that are passed over by decoding them count one by one: a large save is not the work of one `build()`."""
    trace = Trace(Ref("Level", "Path"), Trace(Ref("Level", "Path")), "step")
    props = [Prop("mTraces", Array(FIN_TRACE), [trace] * 50), Prop("mMap", Map(INT, FIN_TRACE), [(1, trace)] * 2)]
    one = Object("/Script/Oracle.One", "One", props)
    save = save_bytes(World(release_header(58), objects=[one] * 3, version_data=VersionData()))
    limits = Limits(build_nodes=20, build_size=200)
    assert read(save, limits) == read(save)
    with streamsave.open(save, limits=limits) as events:
        for event in events:
            if isinstance(event, Field) and event.name == "mTraces":
                assert isinstance(events.build(), dict)
    with streamsave.open(save, limits=limits) as events:
        until(events, PropertyTag, "mTraces")
        with pytest.raises(LimitExceeded):
            events.build()


SIZE = 3 * 1024 * 1024


@pytest.mark.slow
@pytest.mark.parametrize("kind", [StructEnter, ObjectHeader, PropertyTag])
def test_chunks_that_are_skipped_whole_are_never_inflated(kind):
    data = big_save(SIZE)
    chunk_count = len(chunks_of(data))
    entered = 0
    with streamsave.open(data) as events:
        for event in events:
            entered += isinstance(event, streamsave.ChunkStart)
            if isinstance(event, kind) and (kind is not StructEnter or event.name == "Cell"):
                events.skip()
        chunks = events._reader.chunks
    assert chunk_count > 3 * SIZE // 131072
    assert len(chunks.starts) == chunk_count
    if kind is StructEnter:  # only the streaming level was skipped
        assert chunks.inflated_chunks <= chunk_count - SIZE // 131072 + 2
    else:
        assert chunks.inflated_chunks <= 10
    assert entered <= chunks.inflated_chunks


@pytest.mark.slow
def test_leaves_that_are_not_asked_for_are_never_inflated():
    with streamsave.open(big_save(SIZE)) as events:
        list(events)
        assert events._reader.chunks.inflated_chunks <= 12


def test_what_is_left_half_read_is_skipped():
    """A consumer that only looks at the tags gets the same as one that skips each value."""
    data = big_save()
    with streamsave.open(data) as events:
        skipped = []
        for event in events:
            skipped.append(event)
            if isinstance(event, PropertyTag):
                events.skip()
    assert without_chunks(skipped) == without_chunks(read(data))


@names
def test_the_same_error_again(verb):
    with streamsave.open(damaged_save()) as events:
        with pytest.raises(DamagedSave) as first:
            list(events)
        for _ in range(2):
            with pytest.raises(DamagedSave) as again:
                next(events)
            assert again.value is first.value
            with pytest.raises(DamagedSave) as of_verb:
                getattr(events, verb)()
            assert of_verb.value is first.value
    with pytest.raises(DamagedSave) as closed:
        next(events)
    assert closed.value is first.value


@names
def test_a_verb_that_meets_damage_ends_the_stream(verb):
    """The element of an array has no size, so even `skip` has to walk it, and finds the damage inside."""
    head, body = head_and_body(SAMPLE)
    at = body.index(b"NumItems\0\x0c\0\0\0IntProperty\0")
    broken = bytearray(body)
    broken[at + 9 : at + 13] = b"\xff\xff\xff\x7f"
    with streamsave.open(deflate(head, bytes(broken))) as events:
        until(events, StructEnter, "mInventoryStacks", nth=1)
        with pytest.raises(DamagedSave) as first:
            getattr(events, verb)()
        with pytest.raises(DamagedSave) as again:
            next(events)
    assert again.value is first.value
    assert first.value.path[:3] == ("Persistent_Level", "Persistent_Level:PersistentLevel.BP_Museum_C_1", "mInventoryStacks")


def test_a_skip_that_reads_sizes_raises_what_is_wrong_with_them():
    """`skip` of a level reads the sizes of its parts, and here the stream ends before them."""
    head, body = head_and_body(SAMPLE)
    with streamsave.open(SAMPLE) as events:
        level = until(events, StructEnter, "Persistent_Level")
    with streamsave.open(deflate(head, body[: (level.offset + level.header_size) + 2])) as events:
        until(events, StructEnter, "Persistent_Level")
        with pytest.raises(streamsave.TruncatedSave) as first:
            events.skip()
        with pytest.raises(streamsave.TruncatedSave) as again:
            next(events)
    assert again.value is first.value


@pytest.mark.parametrize(
    ("source", "message"), [(b"", "empty"), (b"\0", "too short"), (SAMPLE[:3], "too short"), (SAMPLE[:11], "too short")]
)
def test_too_short_to_recognise(source, message):
    with pytest.raises(streamsave.TruncatedSave, match=message):
        streamsave.open(source)


def test_a_path_is_closed_when_opening_fails(tmp_path):
    """A file left open would be a ResourceWarning, and warnings are errors."""
    path = tmp_path / "page.sav"
    path.write_bytes(b"<!DOCTYPE html><html>")
    with pytest.raises(streamsave.UnsupportedSave):
        streamsave.open(path)


@pytest.mark.parametrize("name", ["satisfactory/sv60.sav", "gvas/deltas.sav"])
def test_the_path_of_a_leaf_is_known_after_a_verb(name):
    """And a field of numbers alone, or of empty strings, refers to nothing."""
    indexed = 0
    with streamsave.open(VALID / name) as events:
        for event in events:
            if isinstance(event, Field) or (isinstance(event, PropertyTag) and events.is_leaf()):
                before, is_textless = events.path, events._is_textless()
                assert not (events.references() and is_textless)
                assert events._path_of(event) == before
                indexed += isinstance(event, Field) and event.index >= 0
    assert indexed
