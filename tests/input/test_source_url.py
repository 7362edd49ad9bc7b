"""URLs as sources: on a server, in memory, in files; what is asked of the server, and what its refusals become."""

import builtins
import random
import zipfile
from pathlib import Path

import pytest
from cli_runs import run
from saves import SATISFACTORY, read
from served import Served, serving

import streamsave
from streamsave import UnsupportedSave
from streamsave.input.source import BLOCK_SIZE, KEPT_BLOCKS, ForwardSource, UrlSource, open_source
from streamsave.input.urls import is_url

SAMPLE_PATH = SATISFACTORY / "sv52.sav"
SAMPLE = SAMPLE_PATH.read_bytes()
NOISE = random.Random(3).randbytes(3 * BLOCK_SIZE + 321)


@pytest.fixture(autouse=True, scope="module")
def extra():
    pytest.importorskip("fsspec", reason="needs the extra `remote`")


@pytest.fixture
def server():
    pytest.importorskip("aiohttp", reason="needs the extra `remote`")
    with serving(Served({"x.sav": SAMPLE, "noise.bin": NOISE, "page.html": b"<!DOCTYPE html><title>no save</title>"})) as served:
        yield served


@pytest.mark.parametrize(
    "name", ["https://host/x.sav", "memory://x", "s3://bucket/a b.sav", "zip://x.sav::https://h/a.zip", "HTTP://h"]
)
def test_urls(name):
    assert is_url(name)


@pytest.mark.parametrize(
    "name", ["C:\\saves\\x.sav", "C:/x.sav", "c://x.sav", "x.sav", "/a/b.sav", "a/b://c", "://x", "1://x", "", "x:y.sav", "-"]
)
def test_names_that_are_no_urls(name):
    assert not is_url(name)


def test_a_file_that_is_called_like_a_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("http:").mkdir()
    Path("http:", "x.sav").write_bytes(SAMPLE)
    assert not is_url("http://x.sav")
    assert read("http://x.sav") == read(SAMPLE)


def test_a_path_is_never_a_url():
    with pytest.raises(FileNotFoundError), streamsave.open(Path("memory://x.sav")):
        pass


def test_memory(memory):
    memory.pipe("/a/x.sav", SAMPLE)
    assert read("memory://a/x.sav") == read(SAMPLE)


@pytest.mark.parametrize("sizes", [True, False])
@pytest.mark.parametrize("ranges", [True, False])
def test_a_server(server, ranges, sizes):
    server.ranges, server.sizes = ranges, sizes
    assert read(f"{server.url}x.sav") == read(SAMPLE)


@pytest.mark.parametrize("sizes", [True, False])
@pytest.mark.parametrize("ranges", [True, False])
def test_any_offset(server, ranges, sizes):
    """Forward and back, over the borders of blocks, to the end and past it."""
    server.ranges, server.sizes = ranges, sizes
    source = open_source(f"{server.url}noise.bin")
    draw = random.Random(4)
    places = [(0, 10), (BLOCK_SIZE - 1, 2), (5, 20), (0, len(NOISE)), (len(NOISE) - 5, 100), (len(NOISE), 5)]
    places += [(draw.randrange(len(NOISE) + 10), draw.choice([1, 100, BLOCK_SIZE])) for _ in range(20)]
    for offset, size in places:
        assert source.read_at(offset, size) == NOISE[offset : offset + size], (offset, size)
    assert source.size() == len(NOISE)
    source.close()


def test_only_what_is_needed_is_asked_for(server):
    source = open_source(f"{server.url}noise.bin")
    assert source.read_at(2 * BLOCK_SIZE + 7, 5) == NOISE[2 * BLOCK_SIZE + 7 :][:5]
    assert source.read_at(2 * BLOCK_SIZE, 100) == NOISE[2 * BLOCK_SIZE :][:100]
    assert server.parts() == [(2 * BLOCK_SIZE, 3 * BLOCK_SIZE)]
    source.close()


def test_few_blocks_are_kept(server):
    """Whatever the size: the first block is forgotten when so many others were read, and asked for again."""
    server.files["long.bin"] = bytes((KEPT_BLOCKS + 2) * BLOCK_SIZE)
    source = open_source(f"{server.url}long.bin")
    for block in (*range(KEPT_BLOCKS + 1), KEPT_BLOCKS, 0):
        assert source.read_at(block * BLOCK_SIZE, 1) == b"\0"
    assert [start // BLOCK_SIZE for start, _ in server.parts()] == [*range(KEPT_BLOCKS + 1), 0]
    source.close()


def test_a_reader_that_never_goes_back_needs_no_spool(server):
    server.ranges = False
    source = open_source(f"{server.url}noise.bin")
    source.forget()
    assert b"".join(source.read_at(at, 10_000) for at in range(0, len(NOISE), 10_000)) == NOISE
    assert isinstance(source, UrlSource)
    assert isinstance(source._source, ForwardSource)
    assert source._source._spool is None
    source.close()


def test_it_is_closed_by_the_stream(server):
    with streamsave.open(f"{server.url}x.sav") as events:
        next(events)
        file = events._source._source._file
    assert file.closed


def test_no_save(server):
    with pytest.raises(UnsupportedSave):
        streamsave.open(f"{server.url}page.html")


@pytest.mark.usefixtures("memory")
def test_not_there(server):
    for url in (f"{server.url}missing.sav", "memory://missing.sav", "file:///missing/x.sav"):
        with pytest.raises(FileNotFoundError):
            streamsave.open(url)


def test_errors_of_the_library_are_causes(server):
    """Each is an `OSError` with a text and the URL, in the middle of a save, too."""
    import aiohttp

    with pytest.raises(FileNotFoundError, match="403") as caught:
        streamsave.open(f"{server.url}forbidden.sav")
    assert caught.value.__cause__ is not None
    assert isinstance(caught.value.__cause__.__cause__, aiohttp.ClientResponseError)
    server.cut_at = 2000
    with pytest.raises(OSError, match="not completed") as caught, streamsave.open(f"{server.url}x.sav") as events:
        list(events)
    assert isinstance(caught.value.__cause__, aiohttp.ClientPayloadError)
    assert caught.value.filename == f"{server.url}x.sav"


def zipped(path: Path, change) -> Path:
    """An archive with a save in it, after a change of its bytes, which gets the place of the central header, too."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.sav", SAMPLE)
    data = bytearray(path.read_bytes())
    change(data, data.rfind(b"PK\x01\x02"))
    path.write_bytes(data)
    return path


def damage(data: bytearray, _: int) -> None:
    data[60:200] = bytes(140)


def change_checksum(data: bytearray, central: int) -> None:
    data[central + 16] ^= 1
    data[14] ^= 1


def change_method(data: bytearray, central: int) -> None:
    data[central + 10] = data[8] = 99


def encrypt(data: bytearray, central: int) -> None:
    data[central + 8] |= 1
    data[6] |= 1


#: What fsspec raises `zlib.error`, `BadZipFile`, `NotImplementedError`, `RuntimeError`, `BadZipFile` for.
ARCHIVES = [damage, change_checksum, change_method, encrypt, lambda data, _: data.clear()]


@pytest.mark.parametrize("change", ARCHIVES, ids=range(len(ARCHIVES)))
@pytest.mark.parametrize("name", ["a.sav", "*.sav"])
def test_archives_that_cannot_be_read(tmp_path, change, name):
    """An error of any class is an `OSError` in programs, and a line of a command, which reads the next save."""
    url = f"zip://{name}::file://{zipped(tmp_path / 'a.zip', change)}"
    if name == "a.sav":
        with pytest.raises(OSError, match=r".") as caught, streamsave.open(url) as events:
            list(events)
        assert caught.value.filename == url
    one_line(url)


def one_line(url: str) -> None:
    """A command reads the next save after a URL, says in one line what is wrong, and ends with 2."""
    result = run("check", url, SAMPLE_PATH)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith("streamsave: ")
    assert f"{url}: " in result.stderr or "::" in url
    assert str(SAMPLE_PATH) in result.stdout


CHAINS = [
    "frobnicate://x.sav",
    "zip://a.sav::frobnicate://x.zip",
    "zip://a.sav::http://127.0.0.1:1/x.zip",
    "zip://*.sav::http://127.0.0.1:1/x.zip",
    "http://127.0.0.1:1/x.sav",
    "reference://x",
    "data://x",
    "dir://x",
    "blockcache::http://127.0.0.1:1/x.sav",
    "tar://a.sav::zip://b.tar::http://127.0.0.1:1/c.zip",
]


@pytest.mark.parametrize("url", CHAINS)
def test_chains_that_fail(url):
    pytest.importorskip("aiohttp", reason="needs the extra `remote`")
    if "*" not in url:
        with pytest.raises(OSError, match=r".") as caught:
            streamsave.open(url)
        assert caught.value.strerror
    one_line(url)


@pytest.mark.parametrize(
    ("url", "package", "error", "message"),
    [
        ("frobnicate://x.sav", "", OSError, "Protocol not known: frobnicate"),
        ("s3://bucket/x.sav", "s3fs", ImportError, "s3fs"),
        ("memory://x.sav", "fsspec", ModuleNotFoundError, r'^memory://x\.sav: .* pip install "streamsave\[remote\]"$'),
    ],
)
def test_a_protocol_that_needs_more(monkeypatch, url, package, error, message):
    """It is known to no package, or its package is not installed."""
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=package)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(error, match=message):
        streamsave.open(url)
