"""Real saves: packed anew, they have the game's own bytes; edited at random, they have the events that they have to."""

from __future__ import annotations

import io

import pytest
from edits import rewrite_at_random
from saves import VALID

import streamsave
from streamsave.formats import find_format, make_reader
from streamsave.formats.satisfactory.reader import BodyReader
from streamsave.input.archive_header import read_archive_header
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import open_source
from streamsave.limits import Limits
from streamsave.output.json_document import json_document
from streamsave.rewriting.family import make_family
from streamsave.rewriting.from_json import make_save
from streamsave.rewriting.packing import ChunkPacker, edited

#: Small ones of each era and wrapper; the others were compared by hand.
SAVES = [
    "satisfactory/hv14-sv52-pep-modtest-1.sav",
    "satisfactory/hv14-sv53-empty-save-before-1.2.sav",
    "satisfactory/v10-hv13-sv46-110k.sav",
    "satisfactory/v12-hv14-sv58-140k.sav",
    "satisfactory/hv13-sv41-freshstart001.sav",
    "satisfactory/u7-hv10-sv36-216k.sav",
    "satisfactory/u4-hv8-sv25-480k.sav",
    "gvas/palworld-level-plz-280k.sav",
    "gvas/palworld-plz31.sav",
]
#: All that can be written.
SAMPLES = sorted(path for path in VALID.rglob("*") if path.is_file() and path.suffix != ".sbpcfg")


@pytest.mark.parametrize("name", SAVES)
def test_packed_anew_the_bytes_are_the_same(name, corpus):
    path = corpus / name
    if not path.is_file():
        pytest.skip(f"not in this corpus: {path.name}")
    data = path.read_bytes()
    source = open_source(data)
    reader = make_reader(find_format(source), source, Limits())
    packed = io.BytesIO()
    if isinstance(reader, BodyReader):
        reader.next_event()
        start = reader.header.size
        packed.write(data[:start])
        packer = ChunkPacker(read_archive_header(data[start : start + 100]))
        packed.writelines(packer.pack(edited(ChunkTable(source, start, Limits()), ())))
    else:
        make_family(source, reader, Limits()).write(iter(()), packed)
    assert packed.getvalue() == data


@pytest.mark.parametrize(
    ("name", "rate"), [("satisfactory/hv14-sv52-pep-modtest-1.sav", 0.02), ("gvas/abiotic-player-ue544.sav", 0.05)]
)
def test_random_edits(tmp_path, name, rate, corpus):
    if not (corpus / name).is_file():
        pytest.skip(f"not in this corpus: {name}")
    assert rewrite_at_random(corpus / name, tmp_path / "out.sav", 5, rate) > 3


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_documents_come_back(path, tmp_path):
    """Each sample is the save that its JSON document becomes."""
    new = tmp_path / "new"
    with streamsave.open(path) as events:
        document = io.BytesIO(b"".join(json_document(events)))
    assert list(make_save(document, path, new)) == []
    assert new.read_bytes() == path.read_bytes()
