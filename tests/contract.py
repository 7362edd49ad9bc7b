"""What must hold for every save of every format: all samples, what is inside of their wrappers, and what an error must say."""

import base64
import copy
import gzip
import io
import pickle
import zipfile
from collections.abc import Callable, Iterator
from functools import partial

from attrs import frozen
from saves import VALID, deflate, head_and_body, told
from writer.arx import DEFLATED, IMPLODE, NO_EXTENSION, STORED, Container, Entry
from writer.arx_samples import inner_files
from writer.astroneer import wrap
from writer.astroneer_samples import full
from writer.gvas import plz
from writer.gvas_samples import ERAS, plain
from writer.primitives import Ref
from writer.satisfactory import Level, Object, VersionData, World, release_header, save_bytes
from writer.shapez2_codes import Blueprint
from writer.shapez2_faults import archive
from writer.shapez2_samples import all_buildings, small_save
from writer.shapez2_samples import save_bytes as shapez2_bytes
from writer.tags import INT, Prop
from writer.trailers import ComponentTail

import streamsave
from streamsave import Event, Field, Limits, PropertyTag, SaveError
from streamsave.check.contract import error_faults
from streamsave.check.foreign_reader import Seen
from streamsave.input.source import SourceLike

#: All samples of all formats: `format/file` -> bytes.
SAMPLES = {f"{path.parent.name}/{path.name}": path.read_bytes() for path in sorted(VALID.glob("*/*")) if path.is_file()}

#: One for each way that bytes come to a reader: every format, every wrapper.
SHAPES = [
    "arx/v1.1-gaps.sav",
    "arx/v2.1.sav",
    "astroneer/bare.gvas",
    "astroneer/deflated.zip",
    "astroneer/full.savegame",
    "gvas/ue5-1012.sav",
    "gvas/wrapper-archive-2.sav",
    "gvas/wrapper-cnk.sav",
    "gvas/wrapper-gswu.sav",
    "gvas/wrapper-gzip.sav",
    "gvas/wrapper-plz-30.sav",
    "gvas/wrapper-plz-31.sav",
    "gvas/wrapper-plz-32.sav",
    "gvas/wrapper-zlib.sav",
    "satisfactory/sv25.sav",
    "satisfactory/sv58.sav",
    "satisfactory/sv58.sbp",
    "satisfactory/v6.sbpcfg",
    "shapez2/small.spz2",
    "shapez2/no-icons.spz2bp",
    "shapez2/islands-5.spz2bp",
]


@frozen
class Inside:
    """A stream as a format has it, and how to put one that is damaged into a sound wrapper."""

    data: bytes
    wrap: Callable[[bytes], bytes]


def _in_member(members: dict[str, bytes], name: str, data: bytes) -> bytes:
    return archive(list((members | {name: data}).items()), method=zipfile.ZIP_STORED)


def _in_entry(name: str, data: bytes) -> bytes:
    return Container(NO_EXTENSION, [Entry(name.encode(), data, DEFLATED)]).encode()


def _in_code(text: bytes) -> bytes:
    return b"SHAPEZ2-4-" + base64.b64encode(gzip.compress(text, 1, mtime=0)) + b"$"


def small_world() -> bytes:
    """A save of the newest generation with levels, an object in each, and all tables; little else."""
    gone = [Ref("Cell", "gone")]
    one = Object("/Script/Oracle.One", "One", [Prop("m", INT, 1)], level="Cell")
    two = Object("/Script/FactoryGame.FGHealthComponent", "Two", (), ComponentTail(), outer="Owner")
    world = World(release_header(60), [Level("Cell", [one], gone, version_data=VersionData())], [two], version_data=VersionData())
    world.destroyed = [("Persistent_Level", gone)]
    world.unresolved = gone
    return save_bytes(world)


def _insides() -> Iterator[tuple[str, Inside]]:
    head, body = head_and_body(small_world())
    yield "satisfactory, small", Inside(body, partial(deflate, head))
    yield "satisfactory, small chunks", Inside(body, partial(deflate, head, chunk_size=40))
    for name in ("sv25.sav", "sv58.sav", "sv58.sbp"):
        head, body = head_and_body(SAMPLES[f"satisfactory/{name}"])
        yield f"satisfactory, {name}", Inside(body, partial(deflate, head))
    for name in ("ue4-502", "ue5-1008", "ue5-1012"):
        yield f"gvas, {name}", Inside(ERAS[name]().encode(), bytes)
    yield "gvas, PlZ", Inside(plain().encode(), plz)
    yield "astroneer", Inside(full().gvas(), wrap)
    small = [Entry(b"pld", inner_files()["pld"], DEFLATED), Entry(b"note", b"stored", STORED)]
    small.append(Entry(b"globals", inner_files()["globals"], IMPLODE, chunks=3, unknown_size=True))
    yield "arx, container", Inside(Container(NO_EXTENSION, small).encode(), bytes)
    for entry in ("pld", "globals", "lvl001", "goblin_base_0007"):
        yield f"arx, {entry}", Inside(inner_files()[entry], partial(_in_entry, entry))
    with zipfile.ZipFile(io.BytesIO(shapez2_bytes(small_save(padded=False)))) as made:
        members = {info.filename: made.read(info) for info in made.infolist()}
    for name, data in members.items():
        yield f"shapez2, {name}", Inside(data, partial(_in_member, members, name))
    yield "shapez2, code", Inside(Blueprint(all_buildings()[:4], 4).text().encode(), _in_code)


INSIDES = dict(_insides())


def build_to_error(source: SourceLike, limits: Limits | None = None) -> SaveError | None:
    try:
        with streamsave.open(source, limits=limits) as events:
            for event in events:
                if isinstance(event, (PropertyTag, Field)):
                    events.build()
    except SaveError as error:
        return error
    return None


def flipped(data: bytes, at: int, mask: int) -> bytes:
    return data[:at] + bytes((data[at] ^ mask,)) + data[at + 1 :]


def assert_tells(error: SaveError, seen: list[Event]) -> None:
    """An error says what is wrong, where in the stream and in the file, below what, and survives a process border."""
    before = Seen()
    assert [fault for event in seen if (fault := before.note(event))] == []
    assert list(error_faults(error, before)) == []
    assert str(error).startswith(f"offset {error.offset:#x}")
    assert error.message in str(error)
    if error.chunk is not None:
        assert f"(chunk {error.chunk} + {error.chunk_offset:#x})" in str(error)
    # Where Dask is loaded, it pickles context and traceback, too; what is in them is not ours to pickle.
    error = error.with_traceback(None)
    error.__context__ = error.__cause__ = None
    assert told(pickle.loads(pickle.dumps(error))) == told(error)  # noqa: S301 - made here
    for again in (copy.copy(error), copy.deepcopy(error)):
        assert told(again) == told(error)
