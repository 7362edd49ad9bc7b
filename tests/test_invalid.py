"""Saves with one thing wrong each: what they raise, and where, however they are fed.

`corpora/invalid/MANIFEST.toml` has a table for each file: its format, the class of attack, what is wrong in words, and class and
offset of the error that walking it and building every leaf ends with; class "" for a save that is odd, and yet can be read.
`pytest --update-manifest` writes class and offset anew; words for a new file are to be written by hand.
"""

import tomllib
from collections import Counter
from contextlib import nullcontext

import orjson
import pytest
from attack.contract import tiling
from attack.feeds import PIPE_SIZE, pipe
from contract import assert_tells
from feeding import FEEDS, FEW_FEEDS, pieces
from saves import ROOT, read_to_error, same_zlib, told
from writer.faults import invalid

import streamsave
from streamsave import Damage, Event, Field, ObjectHeader, PropertyTag, SaveEnd, SaveError

INVALID = ROOT / "corpora" / "invalid"
MANIFEST = INVALID / "MANIFEST.toml"
ENTRIES = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))
CLASSES = {"framing", "lengths", "strings", "nesting", "tables", "stream", "values"}
#: A format without what could be attacked: Satisfactory has no tables, the structs of Arx nest nothing.
WITHOUT = {("satisfactory", "tables"), ("arx", "nesting")}
#: So many files of each class.
FEWEST = 3
#: Bigger ones are not read byte by byte.
BYTEWISE = 20_000
#: An index of pieces names files beside it: by its path, it is another save.
BY_PATH = {"astroneer/index-alone.32", "astroneer/index-cut.32", "astroneer/index-longer.32"}


#: What needs the extra `oodle`: without it, another error says so.
OODLE = {"gvas/plm-junk.sav", "gvas/plm-deadly.sav"}


def read(source) -> tuple[list[Event], SaveError | None]:
    """Walk a save and build every leaf: all events, and the error; any other exception passes."""
    seen: list[Event] = []
    try:
        with streamsave.open(source) as events:
            for event in events:
                seen.append(event)
                if isinstance(event, (PropertyTag, Field)) and events.is_leaf():
                    events.build()
    except SaveError as error:
        return seen, error
    return seen, None


def found(name: str) -> tuple[str, int]:
    seen, error = read((INVALID / name).read_bytes())
    if error is None:
        assert isinstance(seen[-1], SaveEnd)
        return "", 0
    return type(error).__name__, error.offset


def text_of(name: str, entry: dict[str, object]) -> str:
    """One table of the manifest. A string of JSON is one of TOML."""
    lines = [f"{key} = {orjson.dumps(value).decode()}" for key, value in entry.items()]
    return "\n".join([f"[{orjson.dumps(name).decode()}]", *lines, ""])


@pytest.fixture(scope="module", autouse=True)
def _updated(pytestconfig):
    if pytestconfig.getoption("--update-manifest"):
        for name, entry in ENTRIES.items():
            entry["error"], entry["offset"] = found(name)
        MANIFEST.write_text("\n".join(text_of(name, ENTRIES[name]) for name in sorted(ENTRIES)), encoding="utf-8", newline="\n")


@pytest.mark.slow
@same_zlib
def test_the_files_are_what_the_writer_makes():
    """Deflated bytes may differ between builds of zlib, so those of Arx are not compared."""
    made = invalid()
    files = {path.relative_to(INVALID).as_posix(): path.read_bytes() for path in INVALID.rglob("*") if path.is_file()}
    del files["MANIFEST.toml"]
    assert files.keys() == made.keys(), "python tools/make_corpora.py"
    assert [name for name, data in made.items() if data != files[name] and not name.startswith("arx/deflate")] == []
    assert sum(map(len, files.values())) < 1 << 20


@pytest.mark.slow
def test_the_manifest_is_whole():
    assert set(ENTRIES) == set(invalid())
    for name, entry in ENTRIES.items():
        assert list(entry) == ["format", "attack", "what", "error", "offset"], name
        assert name.startswith(f"{entry['format']}/")
        assert entry["attack"] in CLASSES
        assert entry["what"]


def test_each_class_of_attack_is_there_for_each_format():
    count = Counter((entry["format"], entry["attack"]) for entry in ENTRIES.values())
    formats = {entry["format"] for entry in ENTRIES.values()}
    assert formats == {"satisfactory", "gvas", "astroneer", "arx", "shapez2"}
    wanted = {(name, attack) for name in formats for attack in CLASSES} - WITHOUT
    assert {each: count[each] for each in wanted if count[each] < FEWEST} == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_what_it_raises(name):
    if name in OODLE:
        pytest.importorskip("ooz", reason="the extra `oodle` is not installed")
    assert found(name) == (ENTRIES[name]["error"], ENTRIES[name]["offset"])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_however_it_is_fed(name):
    data = (INVALID / name).read_bytes()
    seen, error = read(data)
    if error is not None:
        assert_tells(error, seen)
    feeds = {way: nullcontext(feed(data)) for way, feed in FEEDS.items()}
    if name not in BY_PATH:
        feeds["path"] = nullcontext(INVALID / name)
    if len(data) <= BYTEWISE:
        feeds["byte by byte"] = nullcontext(pieces(data, 1))
    if len(data) <= PIPE_SIZE:
        feeds["pipe"] = pipe(data)
    short = [(type(event), event.offset) for event in seen]
    for way, opened in feeds.items():
        with opened as source:
            other, fault = read(source)
        assert told(fault) == told(error), way
        assert [(type(event), event.offset) for event in other] == short, way


def shown(events: list[Event]) -> list[str]:
    """All that events say; the error of a `Damage` with its words."""
    return [f"{event!r} {event.error}" if isinstance(event, Damage) else repr(event) for event in events]


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_damage_survived(name):
    """Claims tile the stream up to its end, no `Damage` is of unknown size, and every feed gives the same events."""
    data = (INVALID / name).read_bytes()
    seen, error = read_to_error(data, on_damage="resync")
    if error is None:
        assert isinstance(seen[-1], SaveEnd)
        assert tiling(seen) == []
        assert [event for event in seen if isinstance(event, Damage) and event.size < 0] == []
    feeds = {way: nullcontext(feed(data)) for way, feed in FEW_FEEDS.items() if way != "byte by byte" or len(data) <= BYTEWISE}
    if name not in BY_PATH:
        feeds["path"] = nullcontext(INVALID / name)
    if len(data) <= PIPE_SIZE:
        feeds["pipe"] = pipe(data)
    for way, opened in feeds.items():
        with opened as source:
            other, fault = read_to_error(source, on_damage="resync")
        assert told(fault) == told(error), way
        assert shown(other) == shown(seen), way


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_skipped_and_left_early(name):
    """What is skipped is not looked at, and may pass; whatever is raised is a `SaveError`, the same again."""
    data = (INVALID / name).read_bytes()
    faults: list[SaveError] = []
    try:
        events = streamsave.open(data)
    except SaveError as error:
        with pytest.raises(type(error)):
            streamsave.open(data)
        return
    with events:
        try:
            for event in events:
                if isinstance(event, ObjectHeader):
                    events.skip()
        except SaveError as error:
            faults.append(error)
        for fault in faults:
            for call in (lambda: next(events), events.skip, events.build, events.raw, events.is_leaf):
                with pytest.raises(SaveError) as again:
                    call()
                assert again.value is fault
