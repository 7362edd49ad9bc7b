"""Astroneer saves: values become others, and sizes follow; what is referred to by number stays."""

import io
import zipfile
import zlib

import pytest
from cli_runs import run
from edits import rewrite_at_random
from saves import VALID
from writer.astroneer_samples import full, pieces

import streamsave
from streamsave import BlobSkip, Field, ObjectHeader, PropertyTag, UnsupportedSave
from streamsave.formats import find_format, make_reader
from streamsave.input.source import open_source
from streamsave.limits import Limits
from streamsave.rewriting import rewrite
from streamsave.rewriting.family import make_family

FOLDER = VALID / "astroneer"
SAMPLES = sorted(path.name for path in FOLDER.iterdir())
FULL = FOLDER / "full.savegame"
REAL = "astroneer/xbox-2020-162k.savegame"


def packed_anew(data):
    source = open_source(data)
    reader = make_reader(find_format(source), source, Limits())
    packed = io.BytesIO()
    make_family(source, reader, Limits()).write(iter(()), packed)
    return packed.getvalue()


def inflated(data):
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [(info.filename, archive.read(info)) for info in archive.infolist()]
    if data.startswith(b"GVAS"):
        return data
    raw = zlib.decompress(data[16:])
    assert int.from_bytes(data[12:16], "little") == len(raw)
    return data[:12], raw


def sizes_of(path):
    """Of each object, its name, where its data starts and its size, the size of its custom data, and the fields in it."""
    found = {}
    with streamsave.open(path) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                last = found.setdefault((event.level, event.instance_name), [event.size, 0])
            elif isinstance(event, BlobSkip) and event.reason.startswith("custom"):
                last[1] = event.size
    return found


def edited(tmp_path, edit, source=FULL):
    """Call `edit` with the stream, each event and the name of its object; return the path of the new save."""
    target = tmp_path / "out.savegame"
    name = ""
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, ObjectHeader):
                name = event.instance_name
            edit(save, event, name)
    return target


def values(path, name):
    with streamsave.open(path) as events:
        return [events.build() for event in events if isinstance(event, (PropertyTag, Field)) and event.name == name]


@pytest.mark.parametrize("name", SAMPLES)
def test_without_edits_the_bytes_are_the_same(tmp_path, name):
    with rewrite(FOLDER / name, tmp_path / "out") as save:
        for _ in save:
            pass
    assert (tmp_path / "out").read_bytes() == (FOLDER / name).read_bytes()
    assert inflated(packed_anew((FOLDER / name).read_bytes())) == inflated((FOLDER / name).read_bytes())


def test_a_window_is_as_large_as_it_was():
    data = FULL.read_bytes()
    assert packed_anew(data)[16] >> 4 == 4
    assert packed_anew(data[:16] + zlib.compress(zlib.decompress(data[16:])))[16] >> 4 == 7


def test_packed_anew_a_real_save_has_the_same_bytes(corpus):
    data = (corpus / REAL).read_bytes()
    is_same = packed_anew(data) == data
    assert is_same  # pytest would compare what differs for minutes


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("seed", range(4))
def test_random_edits(tmp_path, name, seed):
    rewrite_at_random(FOLDER / name, tmp_path / "out", seed, 0.3)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "rate"), [(1, 0.02), (2, 0.3)])
def test_random_edits_of_a_real_save(tmp_path, corpus, seed, rate):
    assert rewrite_at_random(corpus / REAL, tmp_path / "out", seed, rate) > 30


@pytest.mark.parametrize("name", [*[name for name in SAMPLES if name != "empty.savegame"], REAL])
def test_an_actor_is_moved_and_back(tmp_path, real_save, name):
    """Its place is in no object."""
    old = real_save(name) if name == REAL else FOLDER / name
    new, back = tmp_path / "new", tmp_path / "back"
    path = '"/Game/Maps/Staging_T2"/actor_records[1]/transform/translation[2]'
    (was,) = [line for line in run("cat", "--flat", old).stdout.splitlines() if line.startswith(path)]
    assert run("edit", old, "-o", new, "--set", f"{path} = 12.5").exit_code == 0
    (row,) = [line for line in run("diff", "--all", old, new).stdout.splitlines() if "inflated_size" not in line]
    assert row.endswith(f"\t{was.replace(' = ', ': ')} -> 12.5")
    assert run("edit", new, "-o", back, "--set", was).exit_code == 0
    is_same = inflated(back.read_bytes()) == inflated(old.read_bytes())
    assert is_same  # as above


def test_voxels_of_another_size(tmp_path):
    new = zlib.compress(bytes(range(200)), 9)

    def edit(save, event, _name):
        if isinstance(event, Field) and "voxel_blocks" in save.path and 0 in save.path:
            if event.name == "voxels":
                save.replace_raw(new)
            elif event.name == "key":
                save.replace(77)

    target = edited(tmp_path, edit)
    assert values(target, "voxels")[0] == bytes(range(200))
    assert values(target, "voxels")[1:] == values(FULL, "voxels")[1:]
    assert [key for key in values(target, "key") if isinstance(key, int)][0] == 77  # noqa: RUF015 - the others are names
    assert next(size for size in values(target, "size") if isinstance(size, int)) == len(new)
    grown = len(new) - len(raws(FULL, "voxels")[0])
    key = ("/Game/Maps/Staging_T2", "Terran_1.TerranVoxels")
    assert sizes_of(target)[key][0] == sizes_of(FULL)[key][0] + grown


def raws(path, name):
    with streamsave.open(path) as events:
        return [events.raw() for event in events if isinstance(event, Field) and event.name == name]


def test_pieces_are_refused(tmp_path):
    for name, data in pieces(full().encode()).items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(UnsupportedSave, match="Xbox pieces cannot be written"):
        rewrite(tmp_path / "container.1", tmp_path / "out")
    assert not (tmp_path / "out").exists()
