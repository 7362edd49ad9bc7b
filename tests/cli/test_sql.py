"""`streamsave sql`."""

import orjson
import pytest
from cli_runs import SAMPLES, STACK, json_lines, lines, on_terminal, printed, process, python, refused, run, thing, write
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


def test_members_of_headers():
    assert run("sql", 'select distinct "@kind" from objects order by 1', SAMPLES[0]).stdout.split() == [
        "actor",
        "lightweight",
        "object",
    ]
    said = run("sql", "select kind from objects", SAMPLES[0]).stderr
    assert "no object has a property 'kind': @kind is what each object has" in said


def test_fields_and_headers_of_many():
    query = "select session, sum(mSpawnData[1].NumTimesKilled) killed from objects where class_name like '%Spawner%' group by all"
    rows = [orjson.loads(line) for line in run("sql", query, "--json", *SAMPLES[1:]).stdout.splitlines()]
    assert sum(row["killed"] for row in rows) == 56
    assert all(isinstance(row["session"], str) for row in rows)


def test_a_name_with_a_space_is_in_quotes_of_a_path_in_those_of_sql(tmp_path):
    save = write(tmp_path, "a.sav", thing("A", Prop("Exit Code", INT, 7)))
    assert printed("sql", """select "'Exit Code'" from objects""", save) == "7\n"
    assert "expected '.', '[' or the end of the path" in refused("sql", 'select "Exit Code" from objects', save)


def test_names_that_differ_in_case_only(tmp_path):
    """For SQL, they are one name: both columns had the value of the first one."""
    save = write(tmp_path, "a.sav", thing("A", Prop("Count", INT, 1), Prop("count", INT, 2)))
    assert 'one as ".count"' in refused("sql", "select Count, count from objects", save)
    assert run("sql", "select Count from objects where COUNT = 1", save).stdout == "1\n"  # no object has COUNT
    assert printed("sql", 'select Count, ".count", class_name as CLASS_NAME from objects', save).startswith("1\t2\t")


def test_the_table_with_its_schema(tmp_path):
    save = write(tmp_path, "a.sav", thing("A", Prop("mA", INT, 7)))
    for query in ("select main.objects.mA from objects", "select temp.main.objects.mA from main.objects"):
        result = run("sql", query, save)
        assert (result.stdout, result.stderr) == ("7\n", "")


def test_a_table_that_is_read_twice():
    query = "select count(*) from objects a, (select count(*) n from objects) b where b.n > 0"
    count = sum(1 for _ in streamsave.objects(SAMPLES[0]))
    assert run("sql", query, SAMPLES[0]).stdout == f"{count}\n"


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


def test_values_of_all_types():
    query = "select 1.5::decimal(4,1), date '2026-01-31', [1, null], {'a': 'b'}, null, 'x\ty' from objects limit 1"
    assert run("sql", query, SAMPLES[0]).stdout == '1.5\t2026-01-31\t[1,null]\t{"a":"b"}\t\tx\\ty\n'
    query = "select [{'when': timestamp '2026-01-31 10:00:00', 'of': 'nan'::double}] as a, map{2: 1.5} as b"
    assert json_lines("sql", query, SAMPLES[0]) == [{"a": [{"when": "2026-01-31 10:00:00", "of": "NaN"}], "b": {"2": "1.5"}}]


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


def test_a_parameter_of_a_lambda_is_no_property():
    """Another one with an arrow looks like a step into JSON."""
    query = "select [each.NumTimesKilled for each in mSpawnData] from objects where mSpawnData is not null"
    [spawner, *_] = streamsave.objects(SAMPLES[1], "has(mSpawnData)", ["mSpawnData[*].NumTimesKilled"])
    assert orjson.loads(lines("sql", query, SAMPLES[1])[0][0]) == spawner.fields["mSpawnData[*].NumTimesKilled"]


@pytest.mark.parametrize("query", ["drop table objects", "copy objects to 'a.csv'", "", "select 1; select 2"])
def test_what_is_no_query(query):
    with pytest.raises(duckdb.Error, match="give one query: SELECT"):
        needs_of(duckdb.connect(), query, "objects")


def test_columns_of_one_name_are_all_in_json():
    assert json_lines("sql", "select 1 as n, 2 as n, 3 as n_", SAMPLES[0]) == [{"n": 1, "n_": 2, "n__": 3}]


def test_what_duckdb_says_is_one_line():
    """Without a picture of the place."""
    said = refused("sql", "select * from objets", SAMPLES[0])
    assert said == 'streamsave: sql: Catalog Error: Table with name objets does not exist! Did you mean "objects"?\n'


def stack(*names):
    """An object with a list of structs that have these members; other objects are before it."""
    value = [[Prop(name, INT, 7) for name in names]]
    return [*(thing(f"Thing_{number}") for number in range(20)), thing("Chest", Prop("mStacks", Array(STACK), value))]


@pytest.mark.parametrize("order", [1, -1])
def test_a_struct_has_more_members_in_one_save(tmp_path, order):
    """Unreal saves no member that has its default."""
    saves = [write(tmp_path, "a.sav", *stack("Count")), write(tmp_path, "b.sav", *stack("Count", "Level"))]
    query = "select sum(len(mStacks)), sum(mStacks[1].Count), sum(mStacks[1].Level), count(misfits) from objects"
    assert lines("sql", query, *saves[::order]) == [["2", "14", "7", "0"]]


def test_types_of_standard_input_are_those_of_a_file(tmp_path):
    """They come after the first batch: that is full with what is large."""
    text = Prop("mText", STR, "x" * 1_000_000)
    save = write(tmp_path, "a.sav", *(thing(f"Large_{number}", text) for number in range(9)), *stack("Count"))
    query = "select count(mText), sum(len(mStacks)), count(misfits) from objects"
    assert lines("sql", query, save) == [["9", "1", "0"]]
    assert process("sql", query, "-", stdin=save.read_bytes()).stdout == b"9\t1\t0\n"


def test_items_of_real_saves_are_the_sum_of_each(real_save):
    saves = [real_save(f"satisfactory/{name}.sav") for name in ("v10-hv13-sv46-110k", "v12-hv14-sv58-140k")]
    query = "select count(mPickupItems), sum(mPickupItems.NumItems) from objects"
    each = [[int(cell) for cell in lines("sql", query, save)[0]] for save in saves]
    assert lines("sql", query, *saves) == [[str(sum(column)) for column in zip(*each, strict=True)]]


def test_a_property_that_no_object_has(tmp_path):
    """Names have a case in a save, other than in SQL."""
    save = write(tmp_path, "a.sav", *stack("Count"))
    result = run("sql", "select count(mstacks) from objects", save)
    assert (result.exit_code, result.stdout) == (0, "0\n")
    assert result.stderr == f"streamsave: {save}: no object has 'mstacks'; there is mStacks\n"
    assert lines("sql", "select count(mStacks) from objects", write(tmp_path, "b.sav", thing("Other")), save) == [["1"]]
    assert lines("sql", "select count(mStacks) from objects where instance_name like '%Thing_1'", save) == [["0"]]


@pytest.mark.parametrize(
    "query",
    [
        "select max(mSpawnData[1].NumTimesKilled) from objects where class_name like '%Spawner%'",
        "select sum(mSpawnData[1].NumTimesKilled) from objects where class_name like '%Spawner%'",
        "select max(mSpawnData[1]) from objects where class_name like '%Spawner%'",
    ],
)
def test_a_property_that_no_wanted_object_has(query):
    """Its type is that of all other objects."""
    assert lines("sql", query.replace("Spawner", "Nothing"), SAMPLES[2]) == [[""]]
    assert lines("sql", query, SAMPLES[2]) != [[""]]
