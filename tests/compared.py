"""What differs between two saves, as rows that tests compare; headers of objects to compare."""

from streamsave.compare.compare import compare
from streamsave.consume.parser import parse_selection
from streamsave.consume.stream import EventStream
from streamsave.events import ObjectHeader
from streamsave.frequent_values import Transform
from streamsave.input.source import KeptSource, open_source
from streamsave.limits import Limits

HERE = Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0))


def header(name="N", kind="actor", class_name="C", level="L", place=None, outer="", flags=0, version=1, stored=0):
    return ObjectHeader(0, kind, class_name, name, level, outer, place, flags, version, 0, 0, 0, 5, stored)


def differences(old, new, where=None, **options):
    """Rows of `+`, `-` or `~`, the name of the object or None, path, old and new value."""
    rows = []

    def report(pair, path, before, after):
        header = pair.new or pair.old
        sign = "~" if path else "+" if pair.old is None else "-"
        rows.append((sign, header and header.instance_name, path, before, after))

    sources = [KeptSource(open_source(each)) for each in (old, new)]
    openers = [lambda each=each: EventStream(each, Limits(), **options) for each in sources]
    try:
        compare(*openers, report, {}, where=where and parse_selection(where))
    finally:
        for source in sources:
            source.close()
    return rows


def of_objects(rows):
    """The rows that are about objects, without those of sizes and the header."""
    return [row for row in rows if row[1] is not None]
