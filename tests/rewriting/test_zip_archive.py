"""Members of a zip archive, copied and packed anew."""

from __future__ import annotations

import io
import zipfile

import pytest
from feeding import Forward

from streamsave.errors import EditError
from streamsave.input.source import BytesSource
from streamsave.input.zip_archive import Archive
from streamsave.limits import Limits
from streamsave.rewriting import zip_archive
from streamsave.rewriting.zip_archive import write_archive, write_member


def archive_of(file):
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"a comment"
        archive.writestr("a", b"1" * 500, zipfile.ZIP_STORED)
        archive.writestr(zipfile.ZipInfo("b", (2001, 2, 3, 4, 5, 6)), b"22")
        archive.writestr("c", b"3" * 70)
    return file.getvalue()


@pytest.mark.parametrize("file", [io.BytesIO, Forward])
def test_one_member_is_other(file):
    data = archive_of(file())
    archive = Archive(BytesSource(data), Limits())
    target = io.BytesIO()
    members = [(chunk, [b"x", b"yz"] if index == 1 else None) for index, chunk in enumerate(archive.chunks)]
    write_archive(archive, members, target)
    with zipfile.ZipFile(target) as new, zipfile.ZipFile(io.BytesIO(data)) as old:
        assert new.testzip() is None
        assert new.comment == b"a comment"
        assert [(info.filename, new.read(info)) for info in new.infolist()] == [
            ("a", b"1" * 500),
            ("b", b"xyz"),
            ("c", b"3" * 70),
        ]
        assert [info.date_time for info in new.infolist()] == [info.date_time for info in old.infolist()]
        assert new.infolist()[1].file_size == 3


def test_a_member_that_is_too_large(monkeypatch):
    archive = Archive(BytesSource(archive_of(io.BytesIO())), Limits())
    monkeypatch.setattr(zip_archive, "ELSEWHERE", 4)
    write_member(archive, archive.chunks[1], [b"abc"], io.BytesIO())
    with pytest.raises(EditError, match="member 'b' is too large"):
        write_member(archive, archive.chunks[1], [b"abcd"], io.BytesIO())
