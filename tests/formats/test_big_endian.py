"""A format of one's own with big-endian numbers, which no codec has: sizes and counts, values by `decode` and `encode`."""

import zlib

import pytest
from box_format import BoxReader, box_save
from cli_runs import run
from herd_format import STREAM, HerdReader, herd, herds
from saves import raises

import streamsave
from streamsave import TruncatedSave
from streamsave.check import check_reader

READER = ("--reader", "herd_format:HerdReader")


@pytest.mark.slow
def test_it_keeps_the_contract():
    assert list(check_reader(zlib.compress(STREAM), HerdReader)) == []


def test_edits(tmp_path):
    save, new = tmp_path / "a.herds", tmp_path / "b.herds"
    save.write_bytes(zlib.compress(STREAM))
    run("edit", save, "-o", new, "--drop", "instance_name = calves", *READER)
    run("edit", new, "--in-place", "--where", "instance_name = bulls", "--set", "weight = 8", *READER)
    assert zlib.decompress(new.read_bytes()) == herds(herd("cows", 0.1, herd("bulls", 8.0)), herd("hens", 4.5))
    assert "weight: 3.5 -> 8" in run("diff", save, new, *READER).stdout
    assert "count: i16, 2 bytes = 2\n" in run("explain", save, "0", *READER).stdout


@pytest.mark.parametrize(("save", "reader"), [(zlib.compress(STREAM), HerdReader), (box_save(), BoxReader)])
def test_a_stream_without_its_checksum(save, reader):
    """All bytes that it inflates to are there, and only the end of the stream says that something is missing."""
    with raises(TruncatedSave, match="zlib"), streamsave.open(save[:-2], reader=reader) as events:
        list(events)
