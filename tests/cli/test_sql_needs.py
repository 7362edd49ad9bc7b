"""What a query needs of the saves."""

from __future__ import annotations

import pytest

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")

from streamsave.cli.sql import needs_of  # noqa: E402
from streamsave.consume.parser import parse_selection  # noqa: E402

#: Query -> fields, with_header, sizes, reads, tests.
QUERIES = [
    ("select class, count(*) from objects group by 1", (), False, False, 1, ()),
    ("select count(*) n, mA from objects order by n", ("mA",), False, False, 1, ()),
    ("select sum(size) from Objects", (), False, True, 1, ()),
    ("select * from objects", (), False, True, 1, ()),
    ("select session, max(play_time) from objects group by session", (), True, False, 1, ()),
    ('select mA.b.c, o.mB, "mC[0].d" from objects o', ("mA", "mB", "mC[0].d"), False, False, 1, ()),
    ("select mA as mA from objects", ("mA",), False, False, 1, ()),
    ("select mA[1].x from objects where class like '%Wall_C'", ("mA",), False, False, 1, ('class = "*Wall?C"',)),
    (
        "select 1 from objects o where o.class = 'A.B_C' and name in ('x', 'y') and mA > 1",
        ("mA",),
        False,
        False,
        1,
        ('(class == "A.B_C")', '(name == "x" or name == "y")'),
    ),
    ("select 1 from objects where class = 'A' or level = 'B'", (), False, False, 1, ()),
    ("select 1 from objects where class not like 'A%'", (), False, False, 1, ()),
    ("select 1 from objects where class like '[a]%' and name = 'a\"b' and level = mA", ("mA",), False, False, 1, ()),
    ("select a.mX from objects a join objects b using (name) where a.class = 'A'", ("mX",), False, False, 2, ()),
    ("with t as (select mA v from objects where name = 'n') select t.v, v from t", ("mA",), False, False, 1, ('(name == "n")',)),
    ("select 1 from (select mA from objects) u where u.mA = 1 and mA = 2", ("mA",), False, False, 1, ()),
    ("select 7", (), False, False, 0, ()),
]


@pytest.mark.parametrize(("query", "fields", "header", "sizes", "reads", "tests"), QUERIES)
def test_needs(query, fields, header, sizes, reads, tests):
    needs = needs_of(duckdb.connect(), query, "objects")
    assert (needs.fields, needs.with_header, needs.sizes, needs.reads, needs.tests) == (fields, header, sizes, reads, tests)
    needs.selection(parse_selection("kind = actor"))
    assert (needs.selection(None) is None) == (not tests)


@pytest.mark.parametrize("query", ["select", "drop table objects", "copy objects to 'a.csv'", ""])
def test_what_is_no_query(query):
    with pytest.raises(duckdb.Error):
        needs_of(duckdb.connect(), query, "objects")
