"""The writer of saves, by itself: header, chunks, determinism, sizes."""

import importlib
import struct
import zlib
from pathlib import Path

import make_save
import pytest
from attrs import evolve
from click.testing import CliRunner
from make_save import CORPUS, main
from saves import VALID, same_zlib
from writer.factory import Factory, sized_factory
from writer.primitives import fstring
from writer.samples import SAMPLES, sample
from writer.satisfactory import World, release_header, save_bytes


def chunk_start(data: bytes) -> int:
    return data.index(struct.pack("<I", 0x9E2A83C1))


def small_world(version: int, seed: int = 1) -> World:
    """A few cells, two chunks of fog."""
    return Factory(version, seed, cells=12, levels=5, fog=bytes(range(256)) * 1024).world()


def inflate(data: bytes) -> list[bytes]:
    """Every chunk, inflated, with its header checked."""
    position, chunks = chunk_start(data), []
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


@pytest.mark.parametrize(
    "family", ["satisfactory", *(pytest.param(name, marks=same_zlib) for name in ("arx", "astroneer", "gvas", "shapez2"))]
)
def test_the_corpora_are_what_the_tool_writes(family, tmp_path):
    """Deflated bytes may differ between builds of zlib: those of Satisfactory are inflated, and those of Arx are not compared."""
    folder = tmp_path / "valid" / family
    if family == "satisfactory":
        make_save.write_corpora(folder)
    else:
        importlib.import_module(f"make_{family}").write_corpora(tmp_path)
    assert {path.name for path in folder.iterdir()} == {path.name for path in (VALID / family).iterdir()}
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        made, stored = path.read_bytes(), (VALID.parent / path.relative_to(tmp_path)).read_bytes()
        if family == "satisfactory" and path.suffix != ".sbpcfg":
            assert inflate(made) == inflate(stored), path.name
        elif family != "arx" or path.stem in {"v1.0", "v1.1", "v1.1-defragmented", "v1.1-gaps"}:
            assert made == stored, path.name


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_small(name):
    assert (CORPUS / f"{name}.sav").stat().st_size < 30_000


@pytest.mark.slow
@pytest.mark.parametrize("version", [25, 36, 46, 52, 58])
def test_body_size_and_full_chunks(version):
    chunks = inflate(save_bytes(small_world(version)))
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
@pytest.mark.parametrize("version", [25, 29, 36, 41, 46, 52, 58, 60])
def test_same_seed_same_world(version):
    def write(seed):
        return save_bytes(small_world(version, seed))

    assert write(1) == write(1)
    assert write(1) != write(2)


@pytest.mark.slow
@pytest.mark.parametrize("version", [46, 58])
def test_size_asked_for(version):
    body = sum(map(len, inflate(save_bytes(sized_factory(version, 1, megabytes=6).world()))))
    assert abs(body - 6_000_000) < 200_000


@pytest.mark.slow
def test_command_line(tmp_path: Path):
    path = tmp_path / "out.sav"
    done = CliRunner().invoke(main, ["--small", "sv46", "-o", str(path)])
    assert done.exit_code == 0, done.output
    assert inflate(path.read_bytes()) == inflate(save_bytes(sample("sv46")))
    done = CliRunner().invoke(main, ["--objects", "3000", "--levels", "3", "--save-version", "58", "-o", str(path)])
    assert done.exit_code == 0, done.output
    assert CliRunner().invoke(main, ["--objects", "1", "--megabytes", "1"]).exit_code != 0
