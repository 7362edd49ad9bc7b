"""What can be wrong with a save or code of shapez 2."""

from __future__ import annotations

import base64
import io
import struct
import zipfile
from collections.abc import Callable

from attrs import evolve

from writer.primitives import gzipped
from writer.shapez2 import MOMENT, Building
from writer.shapez2_codes import Blueprint
from writer.shapez2_samples import save_bytes, small_save


def archive(members: list[tuple[str, bytes]], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these members, with names as they are."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name, data in members:
            info = zipfile.ZipInfo("x" * len(name), MOMENT)
            info.compress_type = method
            info.filename = name
            made.writestr(info, data)
    return file.getvalue()


def rewritten(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """A save whose members went through `change`."""
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        return archive([(info.filename, change(info.filename, made.read(info))) for info in made.infolist()])


def changed(data: bytes, member: str, old: bytes, new: bytes) -> bytes:
    """A save with one place in one member changed."""

    def change(name: str, content: bytes) -> bytes:
        if name != member:
            return content
        if old not in content:
            raise ValueError(f"{old!r} is not in {member}")
        return content.replace(old, new, 1)

    return rewritten(data, change)


def entry_offset(data: bytes, name: str) -> int:
    """Where the directory entry of a member starts."""
    return data.rindex(name.encode()) - 46


def hidden(data: bytes, name: str) -> bytes:
    """An archive whose directory says that a member is stored and empty: its method, CRC and sizes are zeros."""
    at = entry_offset(data, name)
    return data[: at + 10] + bytes(2) + data[at + 12 : at + 16] + bytes(12) + data[at + 28 :]


def without_entry(data: bytes, name: str) -> bytes:
    """An archive whose directory has no entry of a member that is there."""
    at = entry_offset(data, name)
    size = 46 + len(name)
    end = data.rindex(b"PK\5\6")
    entry_count, directory_size = struct.unpack_from("<HI", data, end + 10)
    record = struct.pack("<HHI", entry_count - 1, entry_count - 1, directory_size - size)
    return data[:at] + data[at + size : end + 8] + record + data[end + 16 :]


def resized(data: bytes, name: str, size: int) -> bytes:
    """An archive of which a member says in both of its headers that it has so many bytes."""
    at = entry_offset(data, name)
    (local,) = struct.unpack_from("<I", data, at + 42)
    made = bytearray(data)
    for place in (at + 24, local + 22):
        struct.pack_into("<I", made, place, size)
    return bytes(made)


def with_extra(data: bytes, name: str) -> bytes:
    """A save with one more member."""
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        return archive([*((info.filename, made.read(info)) for info in made.infolist()), (name, b"x")])


def invalid_saves() -> dict[str, bytes]:
    """Saves with one thing wrong each."""
    data = save_bytes(small_save())
    plain = save_bytes(small_save(checkpoints=False, padded=False))
    bundle = "maps/main/islands/0.bin"
    states = "maps/main/buildings/0.bin"
    start = bytes.fromhex("540D72C4")
    directory = data.index(b"PK\1\2")
    end = data.rindex(b"PK\5\6")
    with zipfile.ZipFile(io.BytesIO(plain)) as made:
        size = len(made.read(bundle))
    found = {
        "wrong-checkpoint": changed(data, bundle, bytes.fromhex("9A0221B1"), bytes.fromhex("9A0221B2")),
        "missing-checkpoint": changed(data, bundle, bytes.fromhex("7C6D49A4"), b""),
        "checkpoints-told-off": changed(
            data, "savegame.json", b'"BinaryDataCheckpoints": true', b'"BinaryDataCheckpoints": false'
        ),
        "checkpoints-told-on": changed(
            plain, "savegame.json", b'"BinaryDataCheckpoints": false', b'"BinaryDataCheckpoints": true'
        ),
        "string-index": changed(data, bundle, b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", b"\0\0\0\0\0\0\0\0\0\0\x63\0\0\0\0"),
        "string-negative": changed(data, bundle, b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", b"\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\0"),
        "strings-missing": archive([("savegame.json", b'{"Version":1138}'), (bundle, bytes(64))]),
        "strings-count": rewritten(
            data, lambda name, content: b"\xff\xff\xff\x7f" + content[4:] if name == "strings.bin" else content
        ),
        "no-savegame": archive([("hello.txt", b"hello")]),
        "html": b"<!DOCTYPE html><html><body>Not found</body></html>",
        "json-truncated": rewritten(data, lambda name, content: content[:-9] if name == "savegame.json" else content),
        "json-trailing": rewritten(data, lambda name, content: content + b"x" if name == "research.json" else content),
        "json-deep": rewritten(data, lambda name, content: b"[" * 200 + b"]" * 200 if name == "research.json" else content),
        "json-long-string": rewritten(
            data, lambda name, content: b'["' + b"x" * 2**21 + b'"]' if name == "research.json" else content
        ),
        "json-not-utf8": rewritten(data, lambda name, content: b'["\xff"]' if name == "research.json" else content),
        "truncated": data[: len(data) // 2],
        "truncated-end-record": data[:-1],
        "trailing": data + bytes(16),
        "two-saves": data + data,
        "name-upwards": with_extra(data, "../evil.bin"),
        "name-upwards-inside": with_extra(data, "maps/../../evil.bin"),
        "name-absolute": with_extra(data, "/etc/evil"),
        "name-drive": with_extra(data, "C:\\evil"),
        "name-nul": with_extra(data, "maps/main\0evil"),
        "crc": data[: directory + 16] + b"\0\0\0\0" + data[directory + 20 :],
        "local-name": data.replace(b"savegame.json", b"savegame.jsom", 1),
        "local-size": data[:22] + struct.pack("<I", 5) + data[26:],
        "directory-size": data[: directory + 24] + struct.pack("<I", 5) + data[directory + 28 :],
        "directory-count": data[: end + 8] + b"\xff\xff\xff\xff" + data[end + 12 :],
        "directory-offset": data[: end + 16] + struct.pack("<I", end) + data[end + 20 :],
        "entry-of-zeros": hidden(data, bundle),
        "size-0-of-more": resized(data, bundle, 0),
        "size-far": resized(data, bundle, 1 << 24),
        "encrypted": data[: directory + 8] + b"\1\0" + data[directory + 10 :],
        "method": data[: directory + 10] + b"\x0c\0" + data[directory + 12 :],
        "overlap": data[: directory + 42] + struct.pack("<I", 40) + data[directory + 46 :],
    }
    for name, count in (("max", 0x7FFFFFFF), ("negative", -1), ("more", 4)):
        found[f"island-count-{name}"] = changed(data, bundle, struct.pack("<i", 2), struct.pack("<i", count))
        found[f"building-count-{name}"] = changed(
            data, bundle, bytes.fromhex("7C6D49A4") + struct.pack("<i", 3), bytes.fromhex("7C6D49A4") + struct.pack("<i", count)
        )
        found[f"state-count-{name}"] = changed(data, states, struct.pack("<i", 1), struct.pack("<i", count))
    for name, length in (("zero", 0), ("max", 0x7FFFFFFF), ("negative", -1), ("least", -(1 << 31)), ("member", size)):

        def lie(member: str, content: bytes, length: int = length) -> bytes:
            at = content.find(start) + 4
            return content[:at] + struct.pack("<i", length) + content[at + 4 :] if member == bundle else content

        found[f"blob-length-{name}"] = rewritten(data, lie)
    for version in (0, -1, 1 << 31):
        found[f"version-{version}"] = changed(data, "savegame.json", b'"Version": 1138', b'"Version": %d' % version)
    found["duplicate"] = with_extra(data, "savegame.jsoN").replace(b"savegame.jsoN", b"savegame.json")
    return found


def invalid_codes() -> dict[str, bytes]:
    """Codes with one thing wrong each."""
    old = Blueprint([Building("LabelDefaultInternalVariant", (1, 2, 0), 0, ("LabelConfig", "Hi"))], 4)
    code = old.code().encode()
    new = evolve(old, envelope=5).code().encode()
    body = code[len("SHAPEZ2-4-") : -1]
    packed = base64.b64decode(body)
    text = old.text().encode()

    def envelope(data: bytes, number: bytes = b"4", end: bytes = b"$") -> bytes:
        return b"SHAPEZ2-" + number + b"-" + base64.b64encode(data) + end

    def around(json_text: bytes) -> bytes:
        return envelope(gzipped(json_text))

    return {
        "no-end": code[:-1],
        "half": code[: len(code) // 2],
        "junk-behind": code + b"x",
        "two-codes": code + code,
        "envelope-0": b"SHAPEZ2-0-" + body + b"$",
        "envelope-word": b"SHAPEZ2-x-" + body + b"$",
        "envelope-missing": b"SHAPEZ2-" + body + b"$",
        "space-inside": code[:40] + b" " + code[40:],
        "line-inside": code[:40] + b"\n" + code[40:],
        "base64-short": code[:-3] + b"$",
        "base64-padding-inside": code[:40] + b"=" + code[41:],
        "base64-empty": b"SHAPEZ2-4-$",
        "gzip-truncated": envelope(packed[: len(packed) // 3 * 2 // 3 * 3]),
        "gzip-crc": envelope(packed[:-8] + bytes(4) + packed[-4:]),
        "gzip-size-less": envelope(packed[:-4] + struct.pack("<I", len(text) - 1)),
        "gzip-size-more": envelope(packed[:-4] + struct.pack("<I", len(text) + 1)),
        "gzip-size-most": envelope(packed[:-4] + b"\xff\xff\xff\xff"),
        "gzip-twice": envelope(packed + packed),
        "gzip-junk": envelope(packed + b"junk"),
        "zlib": envelope(b"\x78\x9c" + packed[2:]),
        "bomb": around(b'{"V":1137,"BP":' + b" " * (129 << 20) + b"}"),
        "trailer-missing": new.split(b"[")[0] + b"$",
        "trailer-length": new.replace(b"]_", b"]_1"),
        "trailer-json": new.replace(b"[{", b"[["),
        "trailer-on-4": code[:-1] + b"[]_2$",
        "json-truncated": around(text[:-1]),
        "json-trailing": around(text + b"{}"),
        "json-empty": around(b""),
        "json-array": around(b"[1,2]"),
        "json-deep": around(b'{"V":1137,"BP":' + b"[" * 100_000),
        "json-number": around(b'{"V":1137,"x":' + b"9" * 10_000 + b"}"),
        "json-nul": around(b'{"V":1137,\0"BP":{}}'),
        "version-missing": around(b'{"BP":{}}'),
        "version-0": around(b'{"V":0,"BP":{}}'),
        "version-negative": around(b'{"V":-1,"BP":{}}'),
        "version-text": around(b'{"V":"1137","BP":{}}'),
        "configuration-base64": around(text.replace(b'"C":"', b'"C":"*')),
        "configuration-short": around(text.replace(base64.b64encode(b"\2\0Hi"), base64.b64encode(b"\3\0Hi"))),
        "configuration-negative": around(text.replace(base64.b64encode(b"\2\0Hi"), base64.b64encode(b"\xfe\xffHi"))),
        "entry-keys": around(
            b'{"V":1137,"BP":{"$type":"Building","Entries":[{' + b",".join(b'"k%d":0' % n for n in range(999)) + b"}]}}"
        ),
    }
