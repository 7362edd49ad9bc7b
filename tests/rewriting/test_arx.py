"""Containers of Arx: entries and their table follow the edits, as the layout in FORMAT.md says."""

import struct
import zlib

import pytest
from field_edits import rewrite_at_random
from saves import VALID
from writer.arx import DEFLATE, DEFLATED, IMPLODE, LEGACY, NO_EXTENSION, RELEASE, STORED, Container, Entry, crypt
from writer.arx_entries import Globals

import streamsave
from streamsave import BlobSkip, Field, ObjectHeader, StructExit
from streamsave.errors import EditError
from streamsave.formats.arx.reader import STEERING_ROWS
from streamsave.input.implode import Exploder
from streamsave.rewriting import rewrite

SAMPLES = VALID / "arx"
VERSIONS = {LEGACY: "v1.0.sav", RELEASE: "v1.1-gaps.sav", DEFLATE: "v2.0.sav", NO_EXTENSION: "v2.1.sav"}


def container(data: bytes) -> tuple[int, list[tuple[bytes, int, int, list[tuple[int, int]]]], bytes]:
    """The version, the rows (name, size, codec, chunks from the start of the file), and what is after the table."""
    at = 4 + struct.unpack_from("<I", data)[0]
    version, count = struct.unpack_from("<II", data, at)
    at += 8
    rows = []
    for _ in range(count):
        end = data.index(b"\0", at)
        size, chunk_count, codec = struct.unpack_from("<III", data, end + 1)
        if version < DEFLATE:
            chunk_count = max(chunk_count, 1)
        chunks = [struct.unpack_from("<II", data, end + 13 + 8 * place) for place in range(chunk_count)]
        rows.append((data[at:end], size, codec, [(offset + 4, size) for size, offset in chunks]))
        at = end + 13 + 8 * chunk_count
    return version, rows, data[at:]


def packed(data: bytes) -> dict[bytes, bytes]:
    """The packed bytes of each entry, by its name in the table."""
    _, rows, _ = container(data)
    return {name: b"".join(data[at : at + size] for at, size in chunks) for name, _, _, chunks in rows}


def unpacked(data: bytes) -> dict[bytes, bytes]:
    version, rows, _ = container(data)
    found = {}
    for name, size, codec, _ in rows:
        raw = packed(data)[name]
        if version < DEFLATE or codec == IMPLODE:
            made = Exploder().decompress(crypt(raw), 1 << 24) if raw else b""
        else:
            made = zlib.decompress(raw) if codec == DEFLATED else raw
        assert version < DEFLATE or size in {len(made), 0xFFFFFFFF}
        found[name] = made
    return found


MARKERS_COUNT = slice(143952 - 396, 143956 - 396)  # of `player`, which comes after `pld`


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_inserted_at_the_end_of_an_entry(tmp_path, version):
    """It is a part of that entry: the next one starts at the same offset of the stream."""
    source, target = SAMPLES / VERSIONS[version], tmp_path / "new.sav"
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, StructExit) and event.name == "map_markers" and save.depth == 2:
                save.insert_copy(2)
    old, new = unpacked(source.read_bytes()), unpacked(target.read_bytes())
    player = next(name for name in old if name.lower().startswith(b"player"))
    data = bytearray(old[player] + old[player][-76:] * 2)
    data[MARKERS_COUNT] = struct.pack("<i", 3)
    assert new == old | {player: data}


@pytest.mark.parametrize("name", ["v1.0.sav", "v2.1.sav"])
def test_random_edits(tmp_path, name):
    assert sum(rewrite_at_random(SAMPLES / name, tmp_path / "out.sav", set(STEERING_ROWS), seed, 0.02) for seed in range(3)) > 5


@pytest.mark.parametrize("version", VERSIONS, ids=hex)
def test_entries(tmp_path, version):
    """One is left out, one is others' bytes, one has another value; all others are copied, without gaps."""
    source, target = SAMPLES / VERSIONS[version], tmp_path / "out.sav"
    dropped = whole = edited = ""
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.kind == "entity" and not dropped:
                dropped = event.instance_name
                save.drop()
            elif isinstance(event, ObjectHeader) and event.kind == "entity" and not whole:
                whole = event.instance_name
                data = save.raw()
                save.replace_raw(data + bytes(100))
            elif isinstance(event, ObjectHeader) and event.kind == "player":
                edited = event.instance_name
            elif isinstance(event, Field) and event.name == "gold":
                save.replace(save.build() + 1)
    assert dropped
    assert whole
    assert edited
    # An entry with more bytes than it counts would be lost with resync.
    assert {finding.kind for finding in save.findings} <= {"dangling", "unknown-bytes", "other-entry"}
    before, after = source.read_bytes(), target.read_bytes()
    (_, old_rows, _), (new_version, rows, stale) = container(before), container(after)
    assert (new_version, stale) == (version, b"")
    keys = {name.decode().lower().removesuffix(".sav"): name for name, *_ in old_rows}
    assert [row[0] for row in rows] == [row[0] for row in old_rows if row[0] != keys[dropped]]
    # Chunks are one after the other, up to the table.
    at = 4
    for name, *_, chunks in rows:
        for offset, size in chunks if name != b"save block" else []:
            assert offset == at
            at += size
    assert at == 4 + int.from_bytes(after[:4], "little")
    expected = {name: raw for name, raw in unpacked(before).items() if name != keys[dropped]}
    expected[keys[whole]] = data + bytes(100)
    number = int.from_bytes(expected[keys[edited]][556:560], "little") + 1
    expected[keys[edited]] = expected[keys[edited]][:556] + number.to_bytes(4, "little") + expected[keys[edited]][560:]
    assert unpacked(after) == expected
    changed = {keys[whole], keys[edited]}
    assert {name for name, raw in packed(after).items() if raw != packed(before)[name]} == changed
    old = {row[0]: row for row in old_rows}
    for name, size, codec, _ in rows:
        if name not in changed:
            assert (size, codec) == old[name][1:3]
        elif version < DEFLATE:
            assert (size, codec) == (len(packed(after)[name]), old[name][2])
        else:
            assert (size, codec) == (len(expected[name]), STORED if old[name][2] == STORED else DEFLATED)


@pytest.mark.parametrize("codec", [STORED, IMPLODE, DEFLATED, 7], ids=str)
@pytest.mark.parametrize("size_is_known", [True, False])
def test_whole_entries_of_each_codec(tmp_path, codec, size_is_known):
    entry = Entry(b"other", b"0123456789", min(codec, 2) if codec < 3 else STORED, unknown_size=not size_is_known)
    data = bytearray(
        Container(NO_EXTENSION, [Entry(b"first", b"1" * 40, STORED), entry, Entry(b"last", b"2" * 40, STORED)]).encode()
    )
    if codec == 7:
        at = data.index(b"other\0") + 6 + 8
        data[at : at + 4] = (7).to_bytes(4, "little")
    source, target = tmp_path / "in.sav", tmp_path / "out.sav"
    source.write_bytes(data)
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.instance_name == "other":
                save.replace_raw(b"new")
                with pytest.raises(EditError, match="edited already"):
                    save.replace_raw(b"newer")
    _, rows, _ = container(target.read_bytes())
    assert [row[0] for row in rows] == [b"first", b"other", b"last"]
    assert packed(target.read_bytes())[b"first"] == b"1" * 40
    assert rows[1][2] == {STORED: STORED, IMPLODE: DEFLATED, DEFLATED: DEFLATED, 7: 7}[codec]
    made = packed(target.read_bytes())[b"other"]
    assert (zlib.decompress(made) if rows[1][2] == DEFLATED else made) == b"new"
    if codec != 7:
        assert rows[1][1] == 3


def test_an_entry_without_bytes_keeps_its_chunk(tmp_path):
    """In the versions of Arx Fatalis, no chunk would mean one."""
    source, target = tmp_path / "in.sav", tmp_path / "out.sav"
    entries = [Entry(b"one", b"x"), Entry(b"two", b"", packed=b""), Entry(b"three", b"y")]
    source.write_bytes(Container(RELEASE, entries).encode())
    with rewrite(source, target, verify=False) as save:
        for event in save:
            if isinstance(event, ObjectHeader):
                save.drop() if event.instance_name == "one" else save.skip()
    data = target.read_bytes()
    assert [(name, len(chunks)) for name, *_, chunks in container(data)[1]] == [(b"two", 1), (b"three", 1)]
    at = data.index(b"two\0") + 4
    assert (data[at + 4 : at + 8], data[at + 12 : at + 16]) == (b"\1\0\0\0", bytes(4))


def test_variables_without_a_name(tmp_path):
    """A field without a name is counted by what counts those with one."""
    source, target = tmp_path / "old.sav", tmp_path / "new.sav"
    globals_ = Globals([(4, "", 1), (4, "#two", 2), (4, "", 3), (4, "#four", 4)])
    source.write_bytes(Container(RELEASE, [Entry(b"globals.sav", globals_.encode())]).encode())
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, Field) and event.type == "Variable" and event.name == "":
                save.drop()
    with streamsave.open(target) as events:
        fields = {event.name: events.build() for event in events if isinstance(event, Field)}
    assert fields["nb_globals"] == 2
    assert [name for name in fields if name.startswith("#")] == ["#two", "#four"]


@pytest.mark.parametrize(
    "is_wanted", [lambda event: getattr(event, "name", "") == "version", lambda event: isinstance(event, BlobSkip)]
)
@pytest.mark.parametrize("change", [-1, 1])
def test_what_has_a_fixed_size_keeps_it(tmp_path, is_wanted, change):
    """A number, and padding: what follows would be read from other bytes."""
    with pytest.raises(EditError, match="wrong number of bytes"), rewrite(SAMPLES / "v2.1.sav", tmp_path / "new.sav") as save:
        event = next(filter(is_wanted, save))
        save.replace_raw(bytes(event.size + change))
    with rewrite(SAMPLES / "v2.1.sav", tmp_path / "new.sav") as save:
        event = next(filter(is_wanted, save))
        save.replace_raw(bytes(event.size))
    assert (tmp_path / "new.sav").exists()
