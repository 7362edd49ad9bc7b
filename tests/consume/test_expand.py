"""`streamsave.expand`, and sources that mean many saves: what they give is what each save alone gives, one after the other."""

import builtins
import gzip
import os
import shutil
from pathlib import Path

import pytest
from saves import SATISFACTORY, raises, read

import streamsave

SAVES = ["b.sav", "deep/a.sav", "deep/er/c.sbp"]
SAMPLE = (SATISFACTORY / "sv52.sav").read_bytes()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of saves, and of files that are none."""
    for name, sample in zip(SAVES, ("sv52.sav", "sv46.sav", "sv58.sav"), strict=True):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(SATISFACTORY / sample, tmp_path / name)
    (tmp_path / "deep" / "readme.txt").write_text("none")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def memory(memory, folder):
    """The same files in fsspec's memory."""
    for name in SAVES:
        memory.pipe(f"/w/{name}", (folder / name).read_bytes())
    return memory


# --- names: `tests/cli/test_save_names.py` has which are meant ---


@pytest.mark.parametrize("source", ["*.nothing", "empty"])
def test_nothing_is_an_error(folder, source):
    (folder / "empty").mkdir()
    for given in (source, Path(source)):
        with raises(FileNotFoundError, filename=source):
            list(streamsave.expand(given))
        with pytest.raises(FileNotFoundError):
            list(streamsave.objects(given))


def each_alone(names) -> list[streamsave.SelectedObject]:
    return [found for name in names for found in streamsave.objects(name)]


@pytest.mark.parametrize("source", ["deep", "*.sav", "**/*.s*", Path("deep"), Path("b.sav"), ["*.sav", Path("deep")]])
@pytest.mark.usefixtures("folder")
def test_objects_of_many(source):
    names = [name for one in (source if isinstance(source, list) else [source]) for name in streamsave.expand(one)]
    found = list(streamsave.objects(source))
    assert found == each_alone(names)
    assert list(dict.fromkeys(one.source for one in found)) == names


def test_a_wrong_one_is_skipped(folder):
    (folder / "deep" / "bad.sav").write_bytes(b"no save")
    assert list(streamsave.objects(["*.nothing", "deep", "no.sav"], on_damage="skip")) == each_alone(SAVES[1:])
    with pytest.raises(streamsave.SaveError) as caught:
        list(streamsave.objects("deep"))
    assert caught.value.__notes__ == [f"in {os.path.join('deep', 'bad.sav')}"]  # noqa: PTH118


def test_an_open_file(memory):
    fsspec = pytest.importorskip("fsspec")
    assert read(fsspec.open("memory://w/b.sav")) == read(SAMPLE)
    memory.pipe("/w/b.sav.gz", gzip.compress(SAMPLE))
    packed = fsspec.open("memory://w/b.sav.gz", compression="gzip")
    assert read(packed) == read(SAMPLE)
    assert packed.fobjects == []  # closed
    (found, *_) = streamsave.objects(fsspec.open_files("memory://w/*.sav"))
    assert found.source == "memory:///w/b.sav"
    with pytest.raises(TypeError, match="mode 'r'"):
        streamsave.open(fsspec.open("memory://w/b.sav", "r"))
    with pytest.raises(FileNotFoundError):
        streamsave.open(fsspec.open("memory://w/missing.sav"))


def test_a_damaged_archive_is_an_os_error(memory):
    fsspec = pytest.importorskip("fsspec")
    memory.pipe("/w/b.sav.gz", gzip.compress(SAMPLE)[:-200])
    with pytest.raises(OSError, match=r"b\.sav\.gz"):
        read(fsspec.open("memory://w/b.sav.gz", compression="gzip"))


@pytest.mark.usefixtures("memory")
def test_storage_options_reach_fsspec(tmp_path):
    """Here: where a file system that keeps copies has its folder."""
    url = "simplecache::memory://w/b.sav"

    def ways(options):
        yield lambda: streamsave.open(url, storage_options=options).close()
        yield lambda: list(streamsave.objects(url, storage_options=options))
        yield lambda: list(streamsave.expand("simplecache::memory://w/*.sav", storage_options=options))
        yield lambda: list(streamsave.check.check(url, storage_options=options))
        yield lambda: streamsave.cut(url, storage_options=options).close()
        yield lambda: streamsave.rewrite(url, None, storage_options=options).close()
        yield lambda: streamsave.to_arrow(url, storage_options=options).read_all()

    pytest.importorskip("pyarrow", reason="needs the extra `arrow`")
    for number, way in enumerate(ways(None)):
        way()
        kept = tmp_path / f"kept-{number}"
        list(ways({"simplecache": {"cache_storage": str(kept)}}))[number]()
        assert kept.is_dir()


def test_folders_need_no_fsspec(monkeypatch, folder):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "fsspec":
            raise ModuleNotFoundError(name, name="fsspec")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    assert len(list(streamsave.expand(folder))) == len(SAVES)
    with pytest.raises(ModuleNotFoundError, match="pip install"):
        list(streamsave.objects("memory://w/*.sav"))


def test_names_come_in_one_order_on_windows_too(monkeypatch):
    """Written with `/`, they have both separators there."""
    names = ["saves/sub\\A.sav", "saves/sub2\\B.sav", "saves/B2.sav", "saves/sub\\deep\\d.sav", "saves/a.sav"]
    monkeypatch.setattr("os.sep", "\\")
    monkeypatch.setattr("streamsave.consume.expand.iglob", lambda _: iter(names))
    assert list(streamsave.expand("saves/*/*.sav")) == [names[2], names[4], names[0], names[3], names[1]]
