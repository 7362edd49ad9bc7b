"""What a document says of its save before all else."""

from __future__ import annotations

import hashlib
import json
import resource
import sys
from io import BytesIO

import pytest

from streamsave import EditError
from streamsave.rewriting.document_head import PIECE_SIZE, Document, head_of
from streamsave.rewriting.json_reader import JsonReader

SAVE = bytes(range(256)) * 40


def text_of(save: bytes, *, with_original: bool) -> bytes:
    return b"{" + b"".join(head_of(save, with_original=with_original)) + b'"format":1}\n'


@pytest.mark.parametrize("size", [0, 1, 2, 3, 10_000, PIECE_SIZE + 1])
@pytest.mark.parametrize("form", ["as it is", "indented"])
def test_the_save_comes_back(size, form):
    save = (SAVE * (size // len(SAVE) + 1))[:size]
    text = text_of(save, with_original=True)
    if form == "indented":
        text = json.dumps(json.loads(text), indent=2).encode()
    document = Document(BytesIO(text))
    assert document.has_original
    assert document.source == {"size": size, "sha256": hashlib.sha256(save).hexdigest()}
    document.check_source(save)
    target = BytesIO()
    document.write_original(target)
    assert target.getvalue() == save


def test_all_else_is_where_it_was():
    text = text_of(SAVE, with_original=True)
    document = Document(BytesIO(text))
    start = text.index(b'"format"')
    assert document.head == (1, start)
    reader = JsonReader(BytesIO(text), document.head)
    assert reader.decoded() == {"format": 1}
    reader.seek(0)
    reader.expect(b'{"format":')
    assert reader.tell() == start + len('"format":')


@pytest.mark.parametrize("text", [b'{"format":1}', b"{}", b"{", b'{"format":1,"@source":2}'])
def test_a_document_without_a_head_is_itself(text):
    document = Document(BytesIO(text))
    assert (document.source, document.has_original) == (None, False)
    assert document.head[0] == document.head[1]
    document.check_source(SAVE)


def test_another_save_is_refused():
    document = Document(BytesIO(text_of(SAVE, with_original=False)))
    document.check_source(SAVE)
    for other in (SAVE[:-1], SAVE[:-1] + b"\0"):
        with pytest.raises(EditError, match=r"line 1, column 2 of the document: it was made from another save"):
            document.check_source(other)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"@original":"AA!A","x":1}', r"line 1, column 15 of the document: @original is no Base64"),
        (b'{"@original":"AAA","x":1}', "@original is no Base64"),
        (b'{"@original":"AAAA', 'expected "'),
        (b'{"@original":5}', 'expected "'),
        (b'{"@source":', "expected a value|ends in a value"),
        (b"[]", "expected {"),
    ],
)
def test_a_head_that_is_none(text, message):
    with pytest.raises(EditError, match=message):
        Document(BytesIO(text)).write_original(BytesIO())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
def test_memory_does_not_grow_with_the_save(tmp_path):
    save, path, back = tmp_path / "save", tmp_path / "document", tmp_path / "back"
    save.write_bytes(SAVE * 10_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with path.open("wb") as file:
        file.write(b"{")
        file.writelines(head_of(str(save), with_original=True))
        file.write(b'"format":1}')
    with path.open("rb") as file, back.open("wb") as target:
        document = Document(file)
        document.check_source(str(save))
        document.write_original(target)
        JsonReader(file, document.head).expect(b'{"format":1}')
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    assert hashlib.sha256(back.read_bytes()).digest() == hashlib.sha256(save.read_bytes()).digest()
