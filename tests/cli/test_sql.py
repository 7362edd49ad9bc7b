"""`streamsave sql`; `printed/sql.txt` has what queries print."""

import pytest
from cli_runs import SAMPLES, STACK, lines, on_terminal, printed, process, python, refused, run, thing, write
from saves import file_with
from writer.tags import INT, STR, Array, Prop

import streamsave
from streamsave.cli.sql import SEALED, needs_of
from streamsave.consume import selection
from streamsave.consume.parser import parse_selection

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")

COUNTS = "select class_name, count(*) n from objects group by 1 order by n desc, class_name"


def test_without_numpy_and_pandas():
    """They take 50 MB, and 0.4 s to import."""
    code = f"""
import sys
from streamsave.cli import main
main({["sql", COUNTS, str(SAMPLES[0])]}, standalone_mode=False)
print([name for name in ("duckdb", "pyarrow", "numpy", "pandas") if name in sys.modules])
"""
    assert python(code).stdout == printed("sql", COUNTS, SAMPLES[0]) + "['duckdb', 'pyarrow']\n"


def test_only_what_is_needed_is_read(monkeypatch):
    plans = []
    plan = selection.Plan

    def watched(selections, fields=(), *, sizes=True):
        made = plan(selections, fields, sizes=sizes)
        plans.append(made)
        return made

    monkeypatch.setattr("streamsave.cli.sql.Plan", watched)
    assert run("sql", "select count(*) from objects where class_name like '%Spawner%'", SAMPLES[0]).exit_code == 0
    assert all(not made.needs_data and made.selections[0] is not None for made in plans)
    assert run("sql", "select max(mA) from objects", SAMPLES[0]).exit_code == 0
    assert plans[-1].roots == {"mA"}


def test_faults(tmp_path):
    missing = tmp_path / "missing.sav"
    result = run("sql", "select count(*) > 5 from objects", missing, SAMPLES[0])
    assert (result.exit_code, result.stdout) == (2, "true\n")
    assert result.stderr == f"streamsave: {missing}: No such file or directory\n"
    assert refused("sql", "select nothing from", SAMPLES[0]).startswith("streamsave: sql: ")
    assert run("sql", "select sum(name) from objects", SAMPLES[0]).exit_code == 2
    cut = file_with(tmp_path / "cut.sav", SAMPLES[0].read_bytes()[:-300])
    result = run("sql", "select count(*) >= 0 from objects", cut)
    assert (result.exit_code, result.stdout) == (2, "true\n")


@pytest.mark.slow
def test_from_a_pipe_and_on_a_terminal():
    piped = process("sql", COUNTS, "-", stdin=SAMPLES[0].read_bytes())
    assert (piped.returncode, piped.stderr) == (0, b"")
    assert piped.stdout.decode() == run("sql", COUNTS, SAMPLES[0]).stdout
    text = on_terminal("sql", "select 'a\x1b[31m' as shown, null as nothing", SAMPLES[0])
    assert "shown" in text
    assert "a\x1b[31m" not in text


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_csv('secret.csv')",
        "select * from 'secret.csv'",
        "with s as (from read_csv('secret.csv')) select * from objects, s",
        "select content from read_text('secret.csv')",
        "select * from read_blob('secret.csv')",
        "select * from glob('*')",
        "select * from query_table('secret.csv')",
        "select * from read_parquet('https://example.org/x.parquet')",
        "select * from sqlite_scan('secret.csv', 'a')",
        "select getenv('SECRET')",
        "select * from duckdb_secrets()",
        "select * from needs",
        "copy objects to 'new.csv'",
        "copy (select * from objects) to 'new.csv'",
        "export database 'new'",
        "attach 'new.db'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "reset enable_external_access",
        "set lock_configuration = false",
        "pragma database_list",
        "pragma enable_external_access = true",
        "call pragma_version()",
        "create secret (type s3)",
        "select 1; copy (select 1) to 'new.csv'",
        "set enable_external_access = true; select * from 'secret.csv'",
    ],
)
def test_a_query_sees_nothing_but_the_objects(tmp_path, monkeypatch, query):
    (tmp_path / "secret.csv").write_text("a\nhidden\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SECRET", "hidden")
    errors = refused("sql", query, SAMPLES[0])
    assert errors.startswith("streamsave: sql: ")
    assert "hidden" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


@pytest.mark.parametrize(("name", "value"), [("enable_external_access", "true"), ("lock_configuration", "false")])
def test_the_seal_holds_without_the_check_of_the_query(name, value):
    """That a query begins with `select` is another rule, which could change."""
    with duckdb.connect(config=SEALED) as connection:
        for query in (
            f"set {name} = {value}",
            "copy (select 1) to 'new.csv'",
            "attach 'new.db'",
            "install httpfs",
            "load httpfs",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(query)


def test_files_for_those_who_want_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (name, _), *_ = [line.split("\t") for line in run("sql", COUNTS, SAMPLES[0]).stdout.splitlines()]
    (tmp_path / "prices.csv").write_text(f"class_name,price\n{name},2\n")
    query = "select sum(p.price) from objects join 'prices.csv' p using (class_name)"
    count = sum(1 for _ in streamsave.objects(SAMPLES[0], f'class_name == "{name}"'))
    assert run("sql", query, SAMPLES[0], "--allow-files").stdout == f"{2 * count}\n"
    assert run("sql", query, SAMPLES[0]).exit_code == 2


# --- what a query needs of the saves ---

#: Query -> what is needed besides class, name, level and kind of each object; the table is read once.
QUERIES: dict[str, dict[str, object]] = {
    "select class_name, count(*) from objects group by 1": {},
    "select count(*) n, mA from objects order by n": {"fields": ("mA",)},
    "select sum(size) from Objects": {"sizes": True},
    "select * from objects": {"sizes": True},
    "select session, max(play_time) from objects group by session": {"with_header": True},
    'select mA.b.c, o.mB, "mC[0].d" from objects o': {"fields": ("mA", "mB", "mC[0].d")},
    "select mA as mA from objects": {"fields": ("mA",)},
    "select mA[1].x from objects where class_name like '%Wall_C'": {"fields": ("mA",), "tests": ('class_name = "*Wall?C"',)},
    "select 1 from objects o where o.class_name = 'A.B_C' and instance_name in ('x', 'y') and mA > 1": {
        "fields": ("mA",),
        "tests": ('(class_name == "A.B_C")', '(instance_name == "x" or instance_name == "y")'),
    },
    "select 1 from objects where class_name = 'A' or level = 'B'": {},
    "select 1 from objects where class_name not like 'A%'": {},
    "select 1 from objects where class_name like '[a]%' and instance_name = 'a\"b' and level = mA": {"fields": ("mA",)},
    "select a.mX from objects a join objects b using (instance_name) where a.class_name = 'A'": {"fields": ("mX",), "reads": 2},
    "with t as (select mA v from objects where instance_name = 'n') select t.v, v from t": {
        "fields": ("mA",),
        "tests": ('(instance_name == "n")',),
    },
    "select 1 from (select mA from objects) u where u.mA = 1 and mA = 2": {"fields": ("mA",)},
    "select u.mC from objects, unnest(mA) t(u)": {"fields": ("mA",)},
    "select t.class_name, (select count(*) from objects where t.class_name = 'A') from (select 'A' class_name) t": {},
    "select 1 from objects where mA.level = 'A'": {"fields": ("mA",)},
    "select 7": {"reads": 0},
    "select 1 from objects where saved > current_date - 7 and mA > localtimestamp": {"fields": ("mA",), "with_header": True},
    "select o, mA from objects o": {"fields": ("mA",), "sizes": True},
}
NOTHING_MORE = {"fields": (), "with_header": False, "sizes": False, "reads": 1, "tests": ()}


@pytest.mark.parametrize("query", QUERIES)
def test_needs(query):
    needs = needs_of(duckdb.connect(), query, "objects")
    assert {name: getattr(needs, name) for name in NOTHING_MORE} == NOTHING_MORE | QUERIES[query]
    needs.selection(parse_selection("kind = actor"))
    assert (needs.selection(None) is None) == ("tests" not in QUERIES[query])


@pytest.mark.parametrize("query", ["drop table objects", "copy objects to 'a.csv'", "", "select 1; select 2"])
def test_what_is_no_query(query):
    with pytest.raises(duckdb.Error, match="give one query: SELECT"):
        needs_of(duckdb.connect(), query, "objects")


def test_types_of_standard_input_are_those_of_a_file(tmp_path):
    """They come after the first batch: that is full with what is large."""
    text = Prop("mText", STR, "x" * 1_000_000)
    stacks = Prop("mStacks", Array(STACK), [[Prop("Count", INT, 7)]])
    save = write(tmp_path, "a.sav", *(thing(f"Large_{number}", text) for number in range(9)), thing("Chest", stacks))
    query = "select count(mText), sum(len(mStacks)), count(misfits) from objects"
    assert lines("sql", query, save) == [["9", "1", "0"]]
    assert process("sql", query, "-", stdin=save.read_bytes()).stdout == b"9\t1\t0\n"


def test_items_of_real_saves_are_the_sum_of_each(real_save):
    saves = [real_save(f"satisfactory/{name}.sav") for name in ("v10-hv13-sv46-110k", "v12-hv14-sv58-140k")]
    query = "select count(mPickupItems), sum(mPickupItems.NumItems) from objects"
    each = [[int(cell) for cell in lines("sql", query, save)[0]] for save in saves]
    assert lines("sql", query, *saves) == [[str(sum(column)) for column in zip(*each, strict=True)]]
