"""The sink that takes nothing."""

from __future__ import annotations

from scenes import header

from streamsave.report.sink import Sink


def test_it_takes_nothing_and_minds_nothing():
    sink = Sink()
    sink.place(header())
    sink.value(header(), "name", 1)
    assert sink.names == frozenset()
    assert sink.wants(header(), "name")
