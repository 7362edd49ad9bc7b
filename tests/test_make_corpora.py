"""The writer of saves, by itself: samples, header, chunks; and large saves of small ones."""

import struct
import zlib
from collections import Counter

import pytest
from attrs import evolve
from click.testing import CliRunner
from enlarge_save import main as enlarge
from large_saves import big_save
from make_corpora import CORPORA, FOLDERS
from saves import VALID, headers_of, same_zlib
from writer.primitives import fstring
from writer.samples import SAMPLES
from writer.satisfactory import release_header


def inflate(data: bytes) -> list[bytes]:
    """Every chunk, inflated, with its header checked."""
    position, chunks = data.index(struct.pack("<I", 0x9E2A83C1)), []
    while position < len(data):
        tag, arch, most = struct.unpack_from("<IIq", data, position)
        assert (tag, most) == (0x9E2A83C1, 131072)
        assert arch in (0, 0x22222222)
        position += 16
        if arch:
            assert data[position] == 3
            position += 1
        packed, size, packed_again, size_again = struct.unpack_from("<qqqq", data, position)
        assert (packed, size) == (packed_again, size_again)
        position += 32
        chunks.append(zlib.decompress(data[position : position + packed]))
        assert len(chunks[-1]) == size
        position += packed
    return chunks


OTHERS = ("valid/arx", "valid/astroneer", "valid/gvas", "valid/shapez2", "xbox")


@pytest.mark.parametrize("folder", ["valid/satisfactory", *(pytest.param(name, marks=same_zlib) for name in OTHERS)])
def test_the_corpora_are_what_the_tool_writes(folder):
    """Deflated bytes may differ between builds of zlib: those of Satisfactory are inflated, and those of Arx are not compared."""
    files = {path.name: path.read_bytes() for path in (CORPORA / folder).rglob("*") if path.is_file()}
    made = FOLDERS[folder]()
    assert files.keys() == made.keys()
    for name, data in made.items():
        if folder == "valid/satisfactory" and not name.endswith(".sbpcfg"):
            assert inflate(data) == inflate(files[name]), name
        elif folder != "valid/arx" or name in {"v1.0.sav", "v1.1.sav", "v1.1-defragmented.sav", "v1.1-gaps.sav"}:
            assert data == files[name], name


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_small(name):
    assert (VALID / "satisfactory" / f"{name}.sav").stat().st_size < 30_000


@pytest.mark.parametrize("version", [25, 36, 46, 52, 58])
def test_body_size_and_full_chunks(version):
    chunks = inflate(big_save(version=version))
    width = 8 if version >= 41 else 4
    assert all(len(chunk) == 131072 for chunk in chunks[:-1])
    assert int.from_bytes(chunks[0][:width], "little") + width == sum(map(len, chunks))


@pytest.mark.parametrize("header_version", range(4, 15))
def test_header_gates(header_version):
    """Each version has at least what the one before it had."""
    head = evolve(release_header(52), header_version=header_version)
    older = evolve(head, header_version=header_version - 1)
    added = len(head.encode(bytes(16))) - len(older.encode(bytes(16)))
    identifier = len(fstring(head.identifier))
    name = len(fstring(head.save_name))
    assert added == {5: 1, 7: 4, 8: 8, 10: identifier, 11: 4, 12: 20, 13: 4, 14: name}.get(header_version, 0)


@pytest.mark.slow
def test_a_large_save_of_a_small_one(tmp_path, real_save):
    """Objects whose names have a number are others in each copy."""
    small, large = real_save("satisfactory/v12-hv14-sv58-140k.sav"), tmp_path / "large.sav"
    assert CliRunner().invoke(enlarge, [str(small), "-o", str(large), "--megabytes", "14"]).exit_code == 0
    assert sum(map(len, inflate(large.read_bytes()))) == pytest.approx(14_000_000, rel=0.05)
    names = Counter(event.instance_name for event in headers_of(large))
    numbered = [count for name, count in names.items() if name[-10:].isdigit()]
    assert len(numbered) > 1000
    assert set(numbered) == {1}


def test_a_large_world_of_palworld(tmp_path):
    """Each list grows, and each copy has GUIDs of its own; there is nothing to copy in other saves."""
    small, large = VALID / "gvas" / "palworld-0.5.sav", tmp_path / "large.sav"
    assert CliRunner().invoke(enlarge, [str(small), "-o", str(large), "--megabytes", "1"]).exit_code == 0
    before, after = (Counter(event.kind for event in headers_of(save)) for save in (small, large))
    assert min(after[kind] // before[kind] for kind in before if kind != "foliage") > 50
    known = {event.instance_name for event in headers_of(large) if event.kind == "pal"}
    assert len(known) == after["pal"]
    refused = CliRunner().invoke(enlarge, [str(VALID / "gvas" / "empty.sav"), "-o", str(large)])
    assert "a world of Satisfactory or Palworld is needed" in refused.output
