"""The writer of saves, by itself: header, hash, chunks, determinism, sizes."""

import hashlib
import struct
import zlib
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner
from make_save import CORPUS, main
from writer import structs
from writer.dialect import Dialect
from writer.factory import Factory, sized_factory
from writer.primitives import EMPTY_WITH_NUL, Ref, fstring
from writer.samples import BLUEPRINTS, CONFIGS, SAMPLES, blueprint, edited, sample
from writer.satisfactory import Object, World, release_header, save_bytes
from writer.tags import BOOL, BYTE, INT, OBJECT, STR, Array, Enum, Fields, Map, Prop

OLD = Dialect(46)
NEW = Dialect(58, 1017)


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


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_in_the_corpus_is_what_the_writer_writes(name):
    """Compressed bytes depend on the zlib at hand, so the inflated ones are compared."""
    assert inflate(save_bytes(sample(name))) == inflate((CORPUS / f"{name}.sav").read_bytes())


def test_the_edited_world_in_the_corpus_is_what_the_writer_writes():
    assert inflate(save_bytes(edited())) == inflate((CORPUS / "sv46-edited.sav").read_bytes())


@pytest.mark.parametrize("name", BLUEPRINTS)
def test_blueprint_in_the_corpus_is_what_the_writer_writes(name):
    assert inflate(blueprint(name).encode()) == inflate((CORPUS / f"{name}.sbp").read_bytes())


@pytest.mark.parametrize("name", CONFIGS)
def test_config_in_the_corpus_is_what_the_writer_writes(name):
    assert CONFIGS[name].encode() == (CORPUS / f"{name}.sbpcfg").read_bytes()


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


def test_hash_is_of_everything_after_the_header():
    data = save_bytes(sample("sv46"))
    start = chunk_start(data)
    assert data[start - 24 : start] == b"\1\0\0\0" + hashlib.md5(data[start:], usedforsecurity=False).digest() + bytes(4)


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


def test_zlib_level():
    world = lambda: World(release_header(46), objects=[Object("C", "I", [Prop("m", STR, "a" * 9999)])])  # noqa: E731
    assert len(save_bytes(world(), level=9)) < len(save_bytes(world(), level=0))


@pytest.mark.parametrize(
    ("prop", "old", "new"),
    [
        (
            Prop("m", INT, 5),
            "020000006d000c000000496e7450726f70657274790004000000000000000005000000",
            "020000006d000c000000496e7450726f706572747900000000000400000000" + "05000000",
        ),
        (
            Prop("m", BOOL, True, 3),
            "020000006d000d000000426f6f6c50726f70657274790000000000030000000100",
            "020000006d000d000000426f6f6c50726f706572747900000000000000000011" + "03000000",
        ),
    ],
)
def test_tag_bytes(prop, old, new):
    assert prop.encode(OLD).hex() == old
    assert prop.encode(NEW).hex() == new


def test_old_array_of_structs_has_a_tag_inside():
    colors = Prop("mColors", Array(structs.LINEAR_COLOR), [(0.0, 0.0, 0.0, 0.0)])
    assert colors.encode(OLD).count(fstring("mColors")) == 2
    assert colors.encode(NEW).count(fstring("mColors")) == 1


def test_new_type_trees():
    tree = lambda kind: kind.type_name().encode()  # noqa: E731
    assert tree(BYTE) == fstring("ByteProperty") + bytes(4)
    built = Fields("ActorBuiltData")
    leaf = fstring("/Script/FactoryGame") + bytes(4)
    struct_tree = fstring("StructProperty") + b"\1\0\0\0" + fstring("ActorBuiltData") + b"\1\0\0\0" + leaf
    assert tree(built) == struct_tree
    pair = b"\2\0\0\0" + fstring("ObjectProperty") + bytes(4) + struct_tree
    assert tree(Map(OBJECT, built)) == fstring("MapProperty") + pair
    enum = fstring("ESetting") + b"\1\0\0\0" + leaf + fstring("ByteProperty") + bytes(4)
    assert tree(Enum("ESetting")) == fstring("EnumProperty") + b"\2\0\0\0" + enum


def test_strings():
    assert fstring("") == bytes(4)
    assert fstring(EMPTY_WITH_NUL) == b"\1\0\0\0\0"
    assert fstring("ab") == b"\3\0\0\0ab\0"
    assert fstring("ä") == b"\xfe\xff\xff\xff\xe4\0\0\0"


@pytest.mark.parametrize(("version", "size"), [(53, 2), (57, 10), (58, 5)])
def test_player_handle_sizes(version, size):
    assert len(structs.PlayerHandle(1, 2).encode(Dialect(version))) == size


def test_inventory_item_by_version():
    one = structs.Item(Ref("", "I"))
    assert one.encode(Dialect(42)) == fstring("") + fstring("I") + bytes(8)
    assert one.encode(Dialect(46)) == fstring("") + fstring("I") + bytes(4)


@pytest.mark.slow
def test_command_line(tmp_path: Path):
    path = tmp_path / "out.sav"
    done = CliRunner().invoke(main, ["--small", "sv46", "-o", str(path)])
    assert done.exit_code == 0, done.output
    assert inflate(path.read_bytes()) == inflate(save_bytes(sample("sv46")))
    done = CliRunner().invoke(main, ["--objects", "3000", "--levels", "3", "--save-version", "58", "-o", str(path)])
    assert done.exit_code == 0, done.output
    assert CliRunner().invoke(main, ["--objects", "1", "--megabytes", "1"]).exit_code != 0
