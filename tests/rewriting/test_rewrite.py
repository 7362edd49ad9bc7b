"""A save out of a save: without edits the same bytes, with edits the same events but for them."""

import io
import os
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from box_format import BoxReader, box_save
from edits import rewrite_at_random, view
from saves import VALID, file_with

import streamsave
from streamsave import BlobSkip, DamagedSave, ObjectHeader, PropertyTag, StructEnter, UnsupportedSave
from streamsave.rewriting import cut, rewrite

SAVES = sorted((VALID / "satisfactory").glob("*.s[ab][vp]"))
SAVES += sorted((VALID / "gvas").iterdir())
SAVES += [*sorted((VALID / "shapez2").iterdir()), *sorted((VALID / "arx").iterdir())]


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.name)
def test_without_edits_the_bytes_are_the_same(tmp_path, path):
    target = tmp_path / "out.sav"
    with rewrite(path, target, verify=False) as save:
        for event in save:
            if isinstance(event, (ObjectHeader, StructEnter)):
                save.skip()
    assert target.read_bytes() == path.read_bytes()
    assert save.findings == []


#: A few of each era; those of all others, and more seeds, take too long for each run.
EDITED = ["satisfactory/sv25.sav", "satisfactory/sv36.sbp", "satisfactory/sv46.sav", "satisfactory/sv60.sav"]
EDITED += ["gvas/palworld-1.0.sav", "gvas/deltas.sav", "gvas/ue4-440-version-1.sav", "gvas/ue5-1018.sav"]


@pytest.mark.parametrize("name", EDITED)
def test_random_edits(tmp_path, name):
    assert sum(rewrite_at_random(VALID / name, tmp_path / "out.sav", seed, 0.2) for seed in range(2)) > 2


def test_a_save_may_replace_itself(tmp_path):
    path = file_with(tmp_path / "a.sav", (VALID / "satisfactory" / "sv46.sav").read_bytes())
    before = view(path)
    with rewrite(path, path) as save:
        for event in save:
            if isinstance(event, ObjectHeader):
                save.drop()
    assert [said for said in view(path) if said[0] == "object"] == []
    assert len([said for said in before if said[0] == "object"]) > 20
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform != "linux", reason="looks at what is open as Linux shows it")
def test_a_save_is_closed_before_it_is_replaced(tmp_path, monkeypatch):
    """Windows replaces no file that is open."""
    path = file_with(tmp_path / "a.sav", (VALID / "satisfactory" / "sv46.sav").read_bytes())

    def replace(new, target):
        assert os.fspath(target) not in [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]
        os.replace(new, target)  # noqa: PTH105 - as `Path.replace` does

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr("streamsave._new_file.Unchanged.held", lambda *_, **__: nullcontext())  # Windows needs no lock
    with rewrite(path, path, backup=tmp_path / "a.bak") as save:
        next(event for event in save if isinstance(event, ObjectHeader))
        save.drop()
    assert path.read_bytes() != (tmp_path / "a.bak").read_bytes()


@pytest.mark.parametrize("kind", [str, Path])
def test_a_save_that_changes_while_it_is_read(tmp_path, kind):
    """Without edits, the new save would be sound: half of the old file, half of the other."""
    path, target = tmp_path / "a.sav", tmp_path / "b.sav"
    path.write_bytes((VALID / "satisfactory" / "sv46.sav").read_bytes())
    with pytest.raises(OSError, match="has changed while it was read"), rewrite(kind(path), target) as save:
        next(save)
        os.utime(path, (1e9, 1e9))
    assert list(tmp_path.iterdir()) == [path]


def test_without_a_with_statement(tmp_path):
    source, target = VALID / "satisfactory" / "sv46.sav", tmp_path / "a.sav"
    save = rewrite(source, target)
    with pytest.warns(ResourceWarning, match="no save was written"):
        del save
    save = rewrite(source, target)
    for _ in save:
        pass
    with pytest.warns(ResourceWarning, match="no save was written"):
        del save
    assert list(tmp_path.iterdir()) == []
    save = rewrite(source, target)
    save.close()
    del save
    save = rewrite(source, target)
    save.finish()
    save.close()
    del save
    assert target.read_bytes() == source.read_bytes()


def test_a_new_save_that_cannot_be_read_does_not_appear(tmp_path):
    with pytest.raises(DamagedSave), rewrite(VALID / "satisfactory" / "sv46.sav", tmp_path / "a.sav") as save:
        next(event for event in save if isinstance(event, ObjectHeader) and event.size > 200)
        save.replace_raw(b"\xff" * 100)
    assert list(tmp_path.iterdir()) == []
    with rewrite(VALID / "satisfactory" / "sv46.sav", tmp_path / "a.sav", verify=False) as save:
        next(event for event in save if isinstance(event, ObjectHeader) and event.size > 200)
        save.replace_raw(b"\xff" * 100)
    with pytest.raises(DamagedSave):
        view(tmp_path / "a.sav")


def test_what_check_finds_is_told(tmp_path):
    with rewrite(VALID / "satisfactory" / "sv60.sav", tmp_path / "a.sav") as save:
        for event in save:
            if isinstance(event, PropertyTag):
                save.drop()
    assert {finding.kind for finding in save.findings} == {"unknown-bytes"}


def test_formats_that_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.delattr(BoxReader, "writer")
    with pytest.raises(UnsupportedSave, match=r"cannot be written.*found 'BoxReader'"):
        rewrite(io.BytesIO(box_save()), tmp_path / "a.sav", reader=BoxReader)
    with pytest.raises(UnsupportedSave, match="cannot be written"):
        cut(box_save(), reader=BoxReader)
    assert list(tmp_path.iterdir()) == []


def test_unknown_bytes_can_be_replaced(tmp_path):
    with rewrite(VALID / "satisfactory" / "sv60.sav", tmp_path / "a.sav") as save:
        for event in save:
            if isinstance(event, BlobSkip):
                save.replace_raw(b"\1\2\3")
    with streamsave.open(tmp_path / "a.sav") as events:
        blobs = [(event, events.opaque(event).data) for event in events if isinstance(event, BlobSkip)]
    assert len(blobs) > 2
    assert {data for _, data in blobs} == {b"\1\2\3"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["satisfactory/sv60.sav", "gvas/palworld-1.0.sav"])
@pytest.mark.parametrize("inside", [False, True], ids=["after a drop", "inside of what is dropped"])
def test_the_loop_may_end_before_the_save(tmp_path, name, inside):
    for number in range(2):
        with rewrite(VALID / name, tmp_path / f"{number}.sav") as save:
            done = 0
            for event in save:
                if isinstance(event, ObjectHeader) and event.size > 60 and not done:
                    first = event
                    done = 1
                    continue
                if done == 1 and isinstance(event, PropertyTag):
                    save.drop(first if inside else None)
                    done = 2
                    if number:
                        break
    assert (tmp_path / "0.sav").read_bytes() == (tmp_path / "1.sav").read_bytes() != (VALID / name).read_bytes()


@pytest.mark.parametrize("name", ["satisfactory/sv60.sav", "gvas/wrapper-zlib.sav", "gvas/wrapper-gzip.sav"])
def test_fast_saves_have_the_same_events(tmp_path, name):
    sizes = []
    for fast in (False, True):
        target = tmp_path / f"{fast}.sav"
        with rewrite(VALID / name, target, fast=fast) as save:
            next(event for event in save if isinstance(event, PropertyTag))
            save.drop()
        sizes.append(target.stat().st_size)
    assert view(tmp_path / "True.sav") == view(tmp_path / "False.sav")
    assert sizes[0] < sizes[1]
