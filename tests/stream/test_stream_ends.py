"""With resync, the claims of all events end where the stream does, whatever sizes a save states, and from any feed."""

import base64
import gzip
import io
import re
import struct
import zlib
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest
from damage import is_part, losses, survived, whole_objects
from feeding import pieces
from saves import VALID, chunk, head_and_body, read, without_chunks
from tiling import assert_tiled
from writer.astroneer import Save
from writer.faults import number_behind
from writer.gvas import SaveGame, archive, plz
from writer.tags import BYTE, INT, Array, Prop

import streamsave
from streamsave import Damage, Event, PropertyTag, SaveEnd, SaveError, SaveStart, StructEnter, StructExit, TruncatedSave
from streamsave.check import FATAL, check

#: More bytes than any save here has.
FAR = 1_900_000_000
#: A code of shapez 2: what is around its base64.
CODE = re.compile(rb"(SHAPEZ2-\d+-)([A-Za-z0-9+/]+=*)(.*)", re.DOTALL)


def seen_from(data: bytes) -> list[Event]:
    """All events, the same from bytes, from a file and from a pipe."""
    seen = [survived(source) for source in (data, io.BytesIO(data), pieces(data, 999))]
    assert repr(seen[1]) == repr(seen[0])
    assert repr(seen[2]) == repr(seen[0])
    return seen[0]


def ends_where(seen: list[Event], size: int) -> None:
    """The events tile what is there, and no event claims more."""
    assert_tiled(seen, size)
    assert seen[-1].offset == size


def test_an_error_is_inside_of_the_file():
    """Once its place was where the value would have ended."""
    data = number_behind(SaveGame([Prop("Bytes", Array(BYTE), bytes(range(9)))]).encode(), "ArrayProperty", FAR)
    with pytest.raises(TruncatedSave, match=f"ends at {len(data):#x}") as caught, streamsave.open(data) as events:
        list(events)
    assert caught.value.offset < len(data)


@pytest.mark.slow
def test_the_stated_size_is_no_claim():
    """A wrapper says how many bytes there were; only those that are left are claimed."""
    data = SaveGame([Prop(f"Number{at}", INT, at * 7919) for at in range(9000)]).encode()
    seen = survived(plz(data)[:9000])
    (damage,) = [event for event in seen if isinstance(event, Damage)]
    assert_tiled(seen, seen[-1].offset)
    assert isinstance(seen[-1], SaveEnd)
    assert seen[-1].offset < len(data)
    assert losses(seen) == [("rest of the save", "")]
    assert damage.lost.size == len(data) - damage.offset
    assert sum(isinstance(event, PropertyTag) for event in seen) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("lie", [0.0, 0.5, -1, 1, 2.0, 1 << 28])
@pytest.mark.parametrize("kind", [0x30, 0x31, 0x32])
def test_the_size_of_a_palworld_save_lies(kind, lie):
    """What there is of the stream is read, and it ends there or where its header says."""
    data = SaveGame([Prop(f"Number{at}", INT, at * 7919) for at in range(9000)]).encode()
    stated = int(lie * len(data)) if isinstance(lie, float) else len(data) + lie
    packed = zlib.compress(data)
    bodies = {0x30: data, 0x31: packed, 0x32: zlib.compress(packed)}
    compressed_size = len(data) if kind == 0x30 else len(packed)
    made = struct.pack("<II", stated, compressed_size) + b"PlZ" + bytes([kind]) + bodies[kind]
    if stated < 1000:
        with pytest.raises(SaveError):
            survived(made)
        return
    seen = seen_from(made)
    left = min(stated, len(data))
    ends_where(seen, left)
    (damage,) = [event for event in seen if isinstance(event, Damage)]
    assert damage.lost.size == stated - damage.offset
    assert sum(isinstance(event, PropertyTag) for event in seen) >= 9000 * (left / len(data)) - 2


@pytest.mark.slow
@pytest.mark.parametrize("prefix", [b"", struct.pack("<II", 9, 9) + b"CNK0"])
@pytest.mark.parametrize("difference", [-1, 1, 9000])
def test_the_inner_stream_of_a_palworld_save_lies(difference, prefix):
    """All that it holds comes first: once the last window was lost with it, and all of a small save."""
    for count in (60, 9000):
        data = SaveGame([Prop(f"Number{at}", INT, at * 7919) for at in range(count)]).encode()
        packed = zlib.compress(data)
        head = prefix + struct.pack("<II", len(data), len(packed) + difference) + b"PlZ\x32"
        seen = seen_from(head + zlib.compress(packed))
        ends_where(seen, len(data))
        assert losses(seen) == [("rest of the save", "")]
        assert sum(isinstance(event, PropertyTag) for event in seen) == count


@pytest.mark.parametrize("difference", [-1, 1, 5000])
@pytest.mark.parametrize("which", [1, -1])
@pytest.mark.parametrize("name", ["sv36.sav", "sv46.sav", "sv60.sav", "sv46.sbp"])
def test_a_chunk_whose_size_lies(name, which, difference):
    """The last one ends with its last byte; of others, the size of the body says how much there is."""
    head, body = head_and_body((VALID / "satisfactory" / name).read_bytes())
    chunks = [bytearray(chunk(body[at : at + 20_000])) for at in range(0, len(body), 20_000)]
    row = chunks[which].index(b"\x78") - 16
    for at in (row + 8, row - 8):
        struct.pack_into("<q", chunks[which], at, struct.unpack_from("<q", chunks[which], at)[0] + difference)
    seen = seen_from(head + b"".join(chunks))
    assert_tiled(seen, seen[-1].offset)
    assert seen[-1].offset <= len(body)
    assert losses(seen)


@pytest.mark.slow
@pytest.mark.parametrize("difference", [-1, 1, 5000])
def test_the_last_block_of_an_archive_lies(difference):
    data = SaveGame([Prop(f"Number{at}", INT, at * 7919) for at in range(3000)]).encode()
    made = bytearray(archive(data, block_size=20_000))
    count = -(-len(data) // 20_000)
    rows = 8 + 8 + (made[4] > 0) + 16
    for at in (rows - 8, rows + 16 * count - 8):
        struct.pack_into("<Q", made, at, struct.unpack_from("<Q", made, at)[0] + difference)
    seen = seen_from(bytes(made))
    ends_where(seen, len(data) + min(difference, 0))
    assert losses(seen)


def with_size(data: bytes, name: str, size: int) -> bytes:
    """An archive of which a member says in both headers that it has so many bytes."""
    made = bytearray(data)
    with ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo(name)
        at = archive.start_dir
    struct.pack_into("<I", made, info.header_offset + 22, size)
    while data[at + 46 : at + 46 + len(name)] != name.encode():
        at += 46 + sum(struct.unpack_from("<HHH", data, at + 28))
    struct.pack_into("<I", made, at + 24, size)
    return bytes(made)


def small_archive() -> tuple[bytes, dict[str, int]]:
    """A sample, with a member of unknown layout, and the sizes of its members."""
    made = io.BytesIO((VALID / "shapez2" / "small.spz2").read_bytes())
    with ZipFile(made, "a", ZIP_DEFLATED) as archive:
        archive.writestr(ZipInfo("mod.bin"), bytes(range(256)) * 600, ZIP_DEFLATED)
        sizes = {info.filename: info.file_size for info in archive.infolist()}
    return made.getvalue(), sizes


ARCHIVE, MEMBERS = small_archive()


@pytest.mark.parametrize("lie", [0, 0.5, -1, 1, 2.0, 1 << 20])
@pytest.mark.parametrize("name", [name for name in MEMBERS if name not in {"savegame.json", "strings.bin"}])
def test_a_member_whose_size_lies_ends_where_its_bytes_do(name, lie):
    """The others are as they were, and follow it at once."""
    real = MEMBERS[name]
    claimed = int(lie * real) if isinstance(lie, float) else lie + real * (abs(lie) == 1)
    seen = seen_from(with_size(ARCHIVE, name, claimed))
    ends_where(seen, sum(MEMBERS.values()) - real + min(real, claimed))
    (damage,) = [event for event in seen if isinstance(event, Damage)]
    assert (damage.lost.kind, damage.lost.name, damage.lost.size) == ("member", name, claimed or -1)
    assert any(finding.severity == FATAL for finding in check(with_size(ARCHIVE, name, claimed)))
    sound = [type(event) for event in without_chunks(read(ARCHIVE)) if not isinstance(event, (StructEnter, StructExit))]
    assert is_part([type(event) for event in seen if not isinstance(event, (StructEnter, StructExit, Damage))], sound)


@pytest.mark.parametrize("difference", [-1000, -1, 1, 5000])
def test_a_code_whose_size_lies(difference):
    """What comes last in it is its size, so all before that may be sound."""
    start = CODE.match((VALID / "shapez2" / "buildings.spz2bp").read_bytes())
    text = gzip.decompress(base64.b64decode(start[2])).rstrip() + b" " * 200_000
    packed = gzip.compress(text, mtime=0)[:-4] + struct.pack("<I", len(text) + difference)
    seen = seen_from(start[1] + base64.b64encode(packed) + start[3])
    ends_where(seen, len(text) + min(difference, 0))
    (damage,) = [event for event in seen if isinstance(event, Damage)]
    assert damage.lost.size == len(text) + difference - damage.offset


@pytest.mark.parametrize(("at", "lie"), [(18, -300), (18, 90_000), (22, 90_000), (22, -300)])
@pytest.mark.parametrize("method", [ZIP_STORED, ZIP_DEFLATED])
def test_the_size_of_a_member_lies(method, at, lie):
    """Of a stored one, there is no more than can be read."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", method) as made:
        made.writestr("save", Save().gvas())
    data = bytearray(buffer.getvalue())
    size = int.from_bytes(data[at : at + 4], "little") + lie
    data[at : at + 4] = size.to_bytes(4, "little", signed=size < 0)
    if method == ZIP_STORED and lie > 0 and at == 18:
        data[22:26] = data[18:22]
    seen = seen_from(bytes(data))
    assert_tiled(seen, seen[-1].offset)
    damages = [event for event in seen if isinstance(event, Damage) and event.lost.kind == "rest of the save"]
    if method == ZIP_STORED:
        assert [damage.lost.size for damage in damages] == [damage.size for damage in damages]
        assert len(damages) == 1
    elif lie > 0 and at == 22:
        assert [damage.lost.size for damage in damages] == [size - damage.offset for damage in damages]


#: Arx: sizes that entries claim, as parts of what they have, or as they are.
LIES = {"nothing": 0, "half": 0.5, "one less": -1, "one more": 1, "twice": 2.0, "1 GiB": 1 << 30}


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("name", ["v2.0.sav", "v2.1.sav"])
def test_an_entry_whose_size_lies_ends_where_its_bytes_do(name, lie):
    """Each entry but the one that lies is as it was, and the claims end where the unpacked bytes do."""
    data = (VALID / "arx" / name).read_bytes()
    with streamsave.open(data) as events:
        start = next(events)
        sizes = {event.instance_name: len(events.raw()) for event in events if isinstance(event, streamsave.ObjectHeader)}
    assert isinstance(start, SaveStart)
    whole = {one[0].instance_name: one for one in whole_objects(without_chunks(read(data)))}
    for entry in start.header.entries:
        real = sizes[entry.name]
        claimed = int(LIES[lie] * real) if isinstance(LIES[lie], float) else LIES[lie] + real * (abs(LIES[lie]) == 1)
        if entry.size < 0 or claimed < 0 or claimed == real:
            continue
        row = entry.raw_name + b"\0" + entry.size.to_bytes(4, "little")
        assert data.count(row) == 1
        seen = seen_from(data.replace(row, row[:-4] + claimed.to_bytes(4, "little")))
        left = min(real, claimed)
        ends_where(seen, sum(sizes.values()) - real + left)
        emptied = entry.codec == "stored" and claimed == 0  # it has no bytes by the rules of the container, but chunks
        assert losses(seen) == [("member", entry.name)]
        found = {one[0].instance_name: [type(event) for event in one] for one in whole_objects(seen)}
        assert found.keys() == whole.keys() - ({entry.name} if not emptied else set())
        assert all(found[other] == [type(event) for event in whole[other]] for other in found.keys() - {entry.name})
        for event in seen:
            if isinstance(event, Damage):
                assert event.lost.size == (claimed or -1)
