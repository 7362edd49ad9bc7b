"""Bombs: a little that inflates to much. Whatever is around a save, it ends with the right error, and next to nothing is held.

Of what lies about its size, one byte more than that is inflated; what does not lie meets `Limits.inflate_ratio`. Imploding makes
at most 188 bytes of one, which no limit refuses: there the lie is all that there can be.
"""

import base64
import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import cache

import orjson
import pytest
from feeding import OnlyRead
from memory import Traced
from saves import VALID, chunk, head_and_body, read_to_error
from writer.arx import DEFLATED, IMPLODE, NO_EXTENSION, Container, Entry, crypt, implode_zeros
from writer.astroneer import Save, wrap
from writer.gvas import SaveGame, archive, plz
from writer.primitives import gzipped
from writer.shapez2_samples import save_bytes, small_save
from writer.tags import INT, Prop

from streamsave import DamagedSave, LimitExceeded

MIB = 1 << 20
#: What may be held above what was held before.
MOST_HELD = 32 * MIB
#: More than `Limits.inflate_ratio_after`.
BIG = 136 * MIB
LIE = 64 * MIB


@cache
def zeros(size: int) -> bytes:
    return zlib.compress(bytes(size))


def with_zeros(data: bytes, size: int) -> bytes:
    """Data and so many zeros after it, deflated."""
    return zlib.compress(data + bytes(size))


def satisfactory(version: int, *, is_honest: bool = False) -> bytes:
    """Chunks that inflate to more than they say; or honest ones, but of nothing but zeros."""
    head, body = head_and_body((VALID / "satisfactory" / "sv46.sav").read_bytes())
    if is_honest:
        body = struct.pack("<q", BIG) + body[8:]
        full = chunk(bytes(131072), zeros(131072), archive_header=version)
        return head + chunk(body, archive_header=version) + full * (BIG // 131072)
    return head + chunk(bytes(131072), zeros(LIE), archive_header=version)


def save_game() -> bytes:
    return SaveGame([Prop("Before", INT, 1)]).encode()


def palworld(kind: int, told: int, size: int) -> bytes:
    """A save game and zeros after it, in a Palworld header that gives any size."""
    once = with_zeros(save_game(), size)
    body = once if kind == 0x31 else zlib.compress(once)
    return struct.pack("<II3sB", told, len(once), b"PlZ", kind) + body


def archived(size: int) -> bytes:
    """An archive whose only block inflates to more than it says."""
    return archive(save_game().ljust(131072, b"\0"), block_size=131072, pack=lambda block: with_zeros(block, size))


def zipped(name: str, data: bytes, size: int, told: int, filler: bytes = b"\0") -> bytes:
    """An archive of one member with zeros after it, or other bytes, and any size in its headers."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as written, written.open(name, "w") as member:
        member.write(data)
        member.write(filler * size)
    real = struct.pack("<I", len(data) + size)
    return made.getvalue().replace(real, struct.pack("<I", told))


def summary() -> bytes:
    return orjson.dumps(small_save().savegame())


def code(size: int, told: int) -> bytes:
    """A blueprint code with blanks in its JSON, whose gzip gives any size."""
    packed = gzip.compress(b'{"V":1137,"BP":' + b" " * size + b"}", 9, mtime=0)
    return b"SHAPEZ2-4-" + base64.b64encode(packed[:-4] + struct.pack("<I", told)) + b"$"


def arx(codec: int, packed: bytes, size: int) -> bytes:
    return Container(NO_EXTENSION, [Entry(b"entry", bytes(size), codec, packed=packed, unknown_size=size == 0)]).encode()


def arx_in_parts(count: int, size: int) -> bytes:
    """A container of entries that are not large by themselves."""
    entry = Entry(b"entry", b"", DEFLATED, packed=zeros(size), unknown_size=True)
    return Container(NO_EXTENSION, [entry] * count).encode()


#: Literals, all of them zeros, that do not end.
ENDLESS = b"\0\4" + bytes(9 * 3000)
#: Members of an archive that are not large by themselves.
PARTS = {f"{number}.bin": bytes(BIG // 4) for number in range(4)}


def astroneer(told: int, size: int) -> bytes:
    """A save and zeros after it, in the game's wrapper that gives any size."""
    return wrap(Save().gvas(), told)[:16] + with_zeros(Save().gvas(), size)


#: Name -> the bytes, the error, and what its text has in it; of a limit its name.
BOMBS: dict[str, tuple[Callable[[], bytes], type[DamagedSave | LimitExceeded], str]] = {
    "satisfactory, version 1": (lambda: satisfactory(0), DamagedSave, "inflates to more"),
    "satisfactory, version 2": (lambda: satisfactory(0x22222222), DamagedSave, "inflates to more"),
    "satisfactory, honest": (lambda: satisfactory(0, is_honest=True), LimitExceeded, "inflate_ratio"),
    "gvas, zlib": (lambda: with_zeros(save_game(), BIG), LimitExceeded, "inflate_ratio"),
    "gvas, gzip": (lambda: gzipped(save_game() + bytes(BIG)), LimitExceeded, "inflate_ratio"),
    "gvas, PlZ": (lambda: palworld(0x31, 131072, LIE), DamagedSave, "inflates to more"),
    "gvas, PlZ twice": (lambda: palworld(0x32, 131072, LIE), DamagedSave, "inflates to more"),
    "gvas, PlZ, honest": (lambda: plz(save_game() + bytes(BIG), 0x31), LimitExceeded, "inflate_ratio"),
    "gvas, PlZ twice, honest": (lambda: plz(save_game() + bytes(BIG), 0x32), LimitExceeded, "inflate_ratio"),
    "gvas, CNK": (lambda: struct.pack("<II4s", 0, 0, b"CNK0") + palworld(0x31, 131072, LIE), DamagedSave, "inflates to more"),
    "gvas, archive": (lambda: archived(LIE), DamagedSave, "inflates to more"),
    "gvas, archive, honest": (
        lambda: archive(save_game().ljust(BIG, b"\0"), block_size=131072), LimitExceeded, "inflate_ratio"
    ),
    "astroneer, zlib": (lambda: astroneer(131072, LIE), DamagedSave, "inflates to more"),
    "astroneer, zlib, honest": (lambda: astroneer(len(Save().gvas()) + BIG, BIG), LimitExceeded, "inflate_ratio"),
    "astroneer, zip": (lambda: zipped("a", Save().gvas(), LIE, 131072), DamagedSave, "inflates to more"),
    "astroneer, zip, honest": (
        lambda: zipped("a", Save().gvas(), BIG, len(Save().gvas()) + BIG), LimitExceeded, "inflate_ratio"
    ),
    "arx, deflate": (lambda: arx(DEFLATED, zeros(LIE), 10), DamagedSave, "unpacks to more than its size"),
    "arx, deflate, honest": (lambda: arx(DEFLATED, zeros(BIG), 0), LimitExceeded, "inflate_ratio"),
    "arx, deflate, honest, in parts": (lambda: arx_in_parts(4, BIG // 4), LimitExceeded, "inflate_ratio"),
    "arx, implode": (lambda: arx(IMPLODE, crypt(implode_zeros(LIE)), 10), DamagedSave, "unpacks to more than its size"),
    "arx, implode, endless": (lambda: arx(IMPLODE, crypt(ENDLESS), 0), DamagedSave, "imploded entry has no end"),
    "shapez2, zip": (lambda: zipped("savegame.json", summary(), LIE, 131072, b" "), DamagedSave, "inflates to more"),
    "shapez2, zip, honest": (
        lambda: zipped("savegame.json", summary(), BIG, len(summary()) + BIG, b" "), LimitExceeded, "inflate_ratio"
    ),
    "shapez2, zip, honest, in parts": (lambda: save_bytes(small_save(extra=PARTS)), LimitExceeded, "inflate_ratio"),
    "shapez2, code": (lambda: code(LIE, 131072), DamagedSave, "inflates to more"),
    "shapez2, code, honest": (lambda: code(BIG, BIG + 16), LimitExceeded, "inflate_ratio"),
}  # fmt: skip


@pytest.fixture(scope="module", params=BOMBS)
def bomb(request) -> tuple[bytes, type[DamagedSave | LimitExceeded], str]:
    make, error, text = BOMBS[request.param]
    return make(), error, text


@pytest.mark.slow
@pytest.mark.parametrize("feed", [bytes, OnlyRead])
def test_next_to_nothing_is_held(bomb, feed):
    data, kind, text = bomb
    assert len(data) < 4 * MIB
    source = feed(data)
    with Traced() as memory:
        _, error = read_to_error(source)
    assert type(error) is kind
    assert text in str(error)
    assert memory.peak < MOST_HELD
