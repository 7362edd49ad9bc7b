"""`rewrite` to a URL and to a file object: the bytes are those that a file gets, or there are none."""

import io
import os
import socket
import threading
from pathlib import Path

import pytest
from saves import SATISFACTORY

import streamsave
from streamsave import ObjectHeader, SaveError

SOURCE = SATISFACTORY / "sv52.sav"


def write(target, **options) -> None:
    with streamsave.rewrite(SOURCE, target, **options) as save:
        next(event for event in save if isinstance(event, ObjectHeader))
        save.drop()


@pytest.fixture
def expected(tmp_path) -> bytes:
    """What a file gets."""
    write(tmp_path / "expected.sav")
    return (tmp_path / "expected.sav").read_bytes()


@pytest.fixture
def memory(memory):
    memory.pipe("/w/old.sav", b"old")
    return memory


class Slow(io.RawIOBase):
    """Takes 1,000 bytes at a time, and cannot seek."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        self.data += data[:1000]
        return min(1000, len(data))


class Plain:
    """Has nothing but `write`."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes) -> None:
        self.data += data


def test_file_objects(tmp_path, expected):
    memory = io.BytesIO()
    memory.write(b"before")
    write(memory)
    assert memory.getvalue() == b"before" + expected
    for target in (Slow(), Plain()):
        write(target)
        assert target.data == expected
    with (tmp_path / "new.sav").open("wb") as file:
        write(file)
        assert not file.closed
    assert (tmp_path / "new.sav").read_bytes() == expected


def test_a_socket(expected):
    here, there = socket.socketpair()
    with here, there, here.makefile("wb") as target:
        got = bytearray()

        def take() -> None:
            while data := there.recv(4096):
                got.extend(data)

        thread = threading.Thread(target=take)
        thread.start()
        write(target)
        target.flush()
        here.shutdown(socket.SHUT_WR)
        thread.join()
    assert got == expected


def test_urls(memory, tmp_path, expected):
    for name in ("new", "old"):
        write(f"memory://w/{name}.sav")
        assert memory.cat(f"/w/{name}.sav") == expected
    write((tmp_path / "new.sav").as_uri(), backup=tmp_path / "none.bak")
    assert (tmp_path / "new.sav").read_bytes() == expected
    write((tmp_path / "new.sav").as_uri(), backup=tmp_path / "old.bak")
    assert (tmp_path / "old.bak").read_bytes() == expected


def test_a_url_onto_itself(memory):
    memory.pipe("/w/old.sav", SOURCE.read_bytes())
    with streamsave.rewrite("memory://w/old.sav", "memory://w/old.sav") as save:
        save.only("class_name = nothing")
    assert memory.cat("/w/old.sav") == SOURCE.read_bytes()


@pytest.mark.parametrize("fault", [KeyError, None])
def test_nothing_is_written_after_a_fault(memory, fault, monkeypatch):
    """An exception of the loop, or a new save that is unsound."""
    if fault is None:
        fault = SaveError

        def refuse(*_, **__):
            raise SaveError("unsound")

        monkeypatch.setattr("streamsave.rewriting.verifying.check_md5", refuse)
    target = io.BytesIO()
    for to in (target, "memory://w/old.sav", "memory://w/new.sav"):
        with pytest.raises(fault), streamsave.rewrite(SOURCE, to) as save:
            if fault is KeyError:
                raise KeyError
            list(save)
    assert target.getvalue() == b""
    assert memory.cat("/w/old.sav") == b"old"
    assert not memory.exists("/w/new.sav")


def test_an_upload_that_fails_changes_nothing(memory, monkeypatch):
    import fsspec.implementations.memory as module

    class Full(module.MemoryFile):
        def write(self, data):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"), streamsave.rewrite(SOURCE, "memory://w/old.sav") as save:
        list(save)
        monkeypatch.setattr(module, "MemoryFile", Full)
    assert memory.cat("/w/old.sav") == b"old"


def missing() -> streamsave.RewriteStream:
    """A source whose opening fails: an error of the target comes first."""
    return Path("missing.sav")


@pytest.mark.parametrize(
    ("target", "error", "words"),
    [
        ("http://127.0.0.1:1/x.sav", OSError, "only be read"),
        ("frobnicate://x", OSError, "Protocol not known"),
        ("memory://w/old.sav/x.sav", OSError, "old.sav"),
        (io.StringIO(), TypeError, "binary file object"),
        (3, TypeError, "binary file object"),
        (io.BufferedReader(io.BytesIO()), OSError, "not open to write"),
    ],
    ids=range(6),
)
@pytest.mark.usefixtures("memory")
def test_refused_before_anything_is_read(target, error, words):
    pytest.importorskip("aiohttp", reason="needs the extra `remote`")
    with pytest.raises(error, match=words):
        streamsave.rewrite(missing(), target)


def test_a_target_that_was_only_looked_at_has_not_changed(memory):
    streamsave.rewrite(SOURCE, "memory://w/old.sav").close()
    streamsave.rewrite(SOURCE, "memory://w/new.sav").close()
    assert memory.cat("/w/old.sav") == b"old"
    assert not memory.exists("/w/new.sav")


def test_no_backup_and_not_the_source():
    file = io.BytesIO(SOURCE.read_bytes())
    with pytest.raises(ValueError, match="backup"):
        streamsave.rewrite(SOURCE, io.BytesIO(), backup="x")
    with pytest.raises(ValueError, match="wrapper is '' or 'plz', not 'PlZ'"):
        streamsave.rewrite(SOURCE, None, wrapper="PlZ")
    with pytest.raises(ValueError, match="the target is the source"):
        streamsave.rewrite(file, file)
    assert not os.path.lexists("x")
