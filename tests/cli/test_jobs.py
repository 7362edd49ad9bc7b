"""Processes side by side: the order of what they write, how they end, and what is left of them.

The file is long because workers can end in many ways.
"""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from multiprocessing import active_children
from pathlib import Path

import click
import pytest
from attrs import frozen
from cli_runs import SAMPLES, environment, large_world, process, run, small_world, started, terminal
from click.testing import CliRunner

from streamsave.cli import jobs
from streamsave.cli.options import Saves, jobs_option, saves_argument
from streamsave.cli.output import report, write_line
from streamsave.cli.save import gather, read_saves
from streamsave.errors import DamagedSave

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path_factory, monkeypatch):
    """No process, and no temporary file."""
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    yield
    assert list(scratch.iterdir()) == []
    assert active_children() == []


# --- a command whose work does what the name of the save says: workers import it from here ---


@click.command()
@saves_argument
@jobs_option
def command(saves: Saves) -> int:
    """Do what names of saves say."""

    def work(save) -> int:
        what = Path(save.label).stem
        if what.startswith("slow"):
            write_line(f"{what} begins")
            sys.stdout.flush()
            time.sleep(0.5)
        ended = Path(save.label).with_name("ended")
        if what.startswith("ends"):
            ended.touch()
        if what.startswith("waits"):
            for _ in range(3000):
                if ended.exists():
                    break
                time.sleep(0.01)
        if what.startswith("dies"):
            write_line(f"{what} begins")
            sys.stdout.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        if what.startswith("raises"):
            raise ZeroDivisionError(what)
        if what.startswith("full"):
            with Path("/dev/full").open("wb", buffering=0) as full:
                os.dup2(full.fileno(), sys.stdout.fileno())
        for number in range(3):
            write_line(f"{what} {number} {os.getpid()} {sys.stdout.isatty()}")
        report(what, "done")
        return 1 if what.startswith("one") else 0

    return read_saves(saves, work)


def run_here(folder, *names, called=command) -> tuple[int, str, str]:
    """Run a command of this module for saves of these names."""
    for name in names:
        (folder / name).write_bytes(SAMPLES[0].read_bytes())
    result = CliRunner().invoke(called, [*(str(folder / name) for name in names), "-j2"], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout, result.stderr


@pytest.fixture
def importable(monkeypatch):
    """The workers find this module: its name is that of what they call, and its folder is on their path."""
    monkeypatch.setattr(command.callback, "__module__", "test_jobs")
    monkeypatch.setattr(Reading, "__module__", "test_jobs")
    monkeypatch.setitem(sys.modules, "test_jobs", sys.modules[__name__])
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.mark.slow
@pytest.mark.usefixtures("importable")
def test_in_order_and_not_mixed(tmp_path):
    names = ["slow1.sav", "b.sav", "slow2.sav", "c.sav", "one.sav", "d.sav"]
    code, output, errors = run_here(tmp_path, *names)
    stems = [name.removesuffix(".sav") for name in names]
    assert list(dict.fromkeys(line.split()[0] for line in output.splitlines())) == stems
    assert errors.splitlines() == [f"streamsave: {stem}: done" for stem in stems]
    assert code == 1
    pids = {line.split()[2] for line in output.splitlines() if not line.endswith("begins")}
    assert len(pids) == 2
    assert str(os.getpid()) not in pids


@pytest.mark.slow
@posix
@pytest.mark.usefixtures("importable")
def test_one_that_dies_is_reported_and_the_next_is_read(tmp_path):
    code, output, errors = run_here(tmp_path, "a.sav", "dies1.sav", "dies2.sav", "b.sav", "dies3.sav", "c.sav")
    assert code == 2
    # What it wrote before stays, as it does when a save is damaged.
    assert [line.split()[0] for line in output.splitlines()] == [*"aaa", "dies1", "dies2", *"bbb", "dies3", *"ccc"]
    died = "the process that was reading it died"
    reports = [line.removeprefix("streamsave: ") for line in errors.splitlines()]
    assert reports == [
        "a: done",
        f"{tmp_path / 'dies1.sav'}: {died}",
        f"{tmp_path / 'dies2.sav'}: {died}",
        "b: done",
        f"{tmp_path / 'dies3.sav'}: {died}",
        "c: done",
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("importable")
def test_a_bug_is_raised(tmp_path):
    with pytest.raises(ZeroDivisionError, match="raises"):
        run_here(tmp_path, "a.sav", "raises.sav", "slow.sav", "b.sav")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.usefixtures("importable")
def test_no_room_for_temporary_files(tmp_path):
    code, output, errors = run_here(tmp_path, "a.sav", "full.sav", "b.sav")
    assert code == 2
    assert [line.split()[0] for line in output.splitlines()] == [*"aaa", *"bbb"]
    assert "No space left on device" in errors
    assert str(tmp_path / "full.sav") in errors


@pytest.mark.slow
@pytest.mark.usefixtures("importable")
def test_many_saves_few_at_a_time(tmp_path, monkeypatch):
    """While the first is at it, others are begun, but not all."""
    begun = []
    real = jobs.Worker.begin
    monkeypatch.setattr(jobs.Worker, "begin", lambda self, job, task: (begun.append(task.name), real(self, job, task))[1])
    most = []
    monkeypatch.setattr(jobs.Task, "pass_on", lambda *_: most.append(len(begun)))
    names = ["slow.sav", *(f"{number:02}.sav" for number in range(30))]
    assert run_here(tmp_path, *names)[0] == 0
    assert len(begun) == len(names)
    ended = 0
    for count in most[:3]:
        assert count <= ended + 2 * jobs.AHEAD


@pytest.mark.usefixtures("importable")
def test_the_largest_are_not_begun_last(tmp_path, monkeypatch):
    """One worker takes the first, so that there is output; the other one takes the largest, the first of equal ones."""
    begun = []
    real = jobs.Worker.begin
    monkeypatch.setattr(jobs.Worker, "begin", lambda self, job, task: (begun.append(task.name), real(self, job, task))[1])
    sizes = {"waits.sav": 0, "ends.sav": 10, "c.sav": 20, "d.sav": 20, "e.sav": 30}
    monkeypatch.setattr(jobs, "_size_of", lambda name: sizes[Path(name).name])
    assert run_here(tmp_path, *sizes)[0] == 0
    assert [Path(name).name for name in begun] == ["waits.sav", "e.sav", "c.sav", "d.sav", "ends.sav"]


def test_files_of_a_worker_that_is_at_work(tmp_path, monkeypatch):
    """Windows removes no file that is open: after Ctrl-C, or when the reader has left, they go with their folder."""

    def refuse(path, *_, **__):
        raise PermissionError(path)

    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    jobs.Task("any.sav", tmp_path / "0").close()


def test_size_of(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    names = [str(tmp_path / "a"), str(tmp_path / "none"), "https://localhost/a", "SHAPEZ2-" + "a" * 10_000, "with\0"]
    assert [jobs._size_of(name) for name in names] == [5, 0, 0, 0, 0]


@posix
@pytest.mark.usefixtures("importable")
def test_one_that_is_killed_from_outside_while_it_waits_costs_at_most_the_next(tmp_path, monkeypatch):
    """A worker that has done its save dies: the next save gets another worker, or is reported, though its output may be whole."""
    real, killed = jobs.Task.end, []

    def end(self, take):
        if not killed:
            killed.extend(active_children())
            os.kill(killed[0].pid, signal.SIGKILL)
            killed[0].join()
        return real(self, take)

    monkeypatch.setattr(jobs.Task, "end", end)
    names = [f"{number}.sav" for number in range(12)]
    _, output, errors = run_here(tmp_path, *names)
    read = {line.split()[0] for line in output.splitlines() if line.split()[1] == "2"}
    died = [Path(line.split(": ")[1]).stem for line in errors.splitlines() if line.endswith("that was reading it died")]
    assert {*read, *died} == {Path(name).stem for name in names}
    assert len(died) <= 1


# --- items that workers read ---


@pytest.mark.parametrize("step", [1, 2, 7, 100])
def test_items_come_as_soon_as_they_are_complete(tmp_path, step):
    items = ["a", None, list(range(30)), b"x" * 100_000]
    pickles = [pickle.dumps(each, pickle.HIGHEST_PROTOCOL) for each in items]
    data = b"".join(pickles)
    ends = list(accumulate(map(len, pickles)))
    taken: list[object] = []
    with (tmp_path / "items").open("wb", buffering=0) as writing, (tmp_path / "items").open("rb") as reading:
        for start in [*range(0, 200, step), *range(200, len(data), 10_000)]:
            writing.write(data[writing.tell() : start])
            before = len(taken)
            assert jobs._take_items(taken.append, reading) == (len(taken) > before)
            assert taken == [item for end, item in zip(ends, items, strict=True) if end <= start]
        writing.write(data[writing.tell() :])
        assert jobs._take_items(taken.append, reading)
    assert taken == items


@frozen
class Reading:
    """Gives what names of saves say. Workers import it from here."""

    def __call__(self, save):
        what = Path(save.label).stem
        yield what, os.getpid()
        if what.startswith("dies"):
            os.kill(os.getpid(), signal.SIGKILL)
        if what.startswith("raises"):
            raise ZeroDivisionError(what)
        if what.startswith("damaged"):
            raise DamagedSave("bad")
        for _ in range(300):
            yield what, None


@pytest.fixture
def gathered(tmp_path, importable):  # noqa: ARG001 - it is for the workers
    """Runs a command that gathers items of saves of some names."""

    def run_for(*names, take=None):
        taken = []

        @click.command()
        @saves_argument
        @jobs_option
        def command(saves: Saves) -> int:
            return gather(saves, Reading(), take or taken.append)

        code, _, errors = run_here(tmp_path, *names, called=command)
        return code, taken, errors

    return run_for


def test_items_come_in_the_order_of_the_saves(gathered):
    code, taken, errors = gathered(*[f"{number}.sav" for number in range(9)])
    assert (code, errors) == (0, "")
    assert [what for what, _ in taken] == [str(number) for number in range(9) for _ in range(301)]
    assert len({pid for _, pid in taken} - {None, os.getpid()}) == 2


@posix
def test_one_that_dies_costs_its_items_and_the_next_is_read(gathered):
    code, taken, errors = gathered("a.sav", "dies.sav", "b.sav")
    assert code == 2
    # What it had not written yet is lost with it.
    assert [what for what, pid in taken if what != "dies" and pid] == ["a", "b"]
    assert errors.endswith("dies.sav: the process that was reading it died\n")
    assert errors.count("\n") == 1


def test_items_before_damage(gathered):
    code, taken, errors = gathered("a.sav", "damaged.sav")
    assert [what for what, pid in taken if pid] == ["a", "damaged"]
    assert (code, errors.count("damaged.sav")) == (2, 1)


def test_a_bug_in_what_reads_items_is_raised(gathered):
    with pytest.raises(ZeroDivisionError, match="raises"):
        gathered("a.sav", "raises.sav", "b.sav")


def test_what_takes_items_may_end_it(gathered):
    def enough(_):
        raise click.exceptions.Exit(7)

    code, _, errors = gathered("a.sav", "b.sav", take=enough)
    assert (code, errors) == (7, "")


# --- the command line ---


def test_output_of_the_first_comes_while_it_is_read(tmp_path):
    """A pipe with no writer blocks the second save: what the first one gives is there all the same."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes here")
    small = small_world(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with started("ls", "-j2", small, tmp_path / "pipe") as child:
        assert child.stdout.readline().startswith(f"{small}\t".encode())
        (tmp_path / "pipe").write_bytes(small.read_bytes())
        rest, errors = child.communicate(timeout=60)
    assert (child.returncode, errors) == (0, b"")
    assert rest.count(str(tmp_path / "pipe").encode()) == 4


def test_standard_input_among_others(small):
    one_by_one = process("ls", small, "-", small, stdin=SAMPLES[0].read_bytes())
    side_by_side = process("ls", small, "-", small, "-j", "2", stdin=SAMPLES[0].read_bytes())
    assert (side_by_side.returncode, side_by_side.stderr) == (0, b"")
    assert side_by_side.stdout == one_by_one.stdout


@pytest.mark.slow
def test_a_large_output_is_not_held(tmp_path):
    """Peak memory of this process, in KiB: that of small saves and little more, and less than what a worker writes is."""
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc here")

    def peak(path, least):
        code = f"""
import re, sys
from pathlib import Path
sys.argv = ["streamsave", "cat", "-j2", *{[str(path)]!r} * 2]
from streamsave.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment(), timeout=120)
        assert len(done.stdout) > least
        return int(done.stderr)

    small, large = peak(SAMPLES[2], 0), peak(large_world(tmp_path, 16_500), 2 * 9_000_000)
    assert large < small + 4_000


@posix
def test_ctrl_c(tmp_path, small):
    """It ends at once and says nothing, whatever its workers do."""
    os.mkfifo(tmp_path / "pipe1")
    os.mkfifo(tmp_path / "pipe2")
    with started("ls", "-j3", small, tmp_path / "pipe1", tmp_path / "pipe2", start_new_session=True) as child:
        assert child.stdout.readline()
        os.killpg(child.pid, signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    assert (child.returncode, errors) == (130, b"")
    # What cleans up after the workers (of Python itself) ends a moment later.
    for _ in range(600):
        try:
            os.killpg(child.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("processes are left")


#: Ctrl-C comes in the main process so many calls and returns after the first output.
INTERRUPTED_AT_A_STEP = """
import os, signal, sys
from streamsave.cli import jobs, main
usual, left = jobs.flush, [int(sys.argv[1])]

def flush():
    usual()
    jobs.flush = usual
    sys.setprofile(step)

def step(*_):
    left[0] -= 1
    if left[0] == 0:
        sys.setprofile(None)
        os.kill(os.getpid(), signal.SIGINT)

if __name__ == "__main__":
    jobs.flush = flush
    main(sys.argv[2:])
"""


@posix
@pytest.mark.slow
def test_ctrl_c_at_any_step(tmp_path, small):
    """No lock that others wait for stays locked."""
    os.mkfifo(tmp_path / "pipe")
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED_AT_A_STEP)
    started = [
        subprocess.Popen(
            [sys.executable, script, str(step), "ls", "-j2", small, tmp_path / "pipe"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - there are no threads here
        )
        for step in range(60, 180, 12)
    ]
    ends = []
    for child in started:
        try:
            _, errors = child.communicate(timeout=30)
            ends.append((child.returncode, errors))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            ends.append((None, b"it hangs"))
    assert ends == [(130, b"")] * len(started)


@posix
def test_workers_end_with_their_parent(tmp_path, small):
    os.mkfifo(tmp_path / "pipe")
    with started("ls", "-j2", small, tmp_path / "pipe", start_new_session=True) as child:
        assert child.stdout.readline()
        child.kill()
        # The workers have the other ends of this pipe: it ends when the last of them has gone. They have removed the folder.
        child.stdout.read()


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", 1)])
@pytest.mark.parametrize("command", [("ls",), ("export", "-o", "-", "--format", "ndjson")])
def test_signals_that_end_it(tmp_path, small, number, command):
    """It removes its folder, then ends by the signal."""
    os.mkfifo(tmp_path / "pipe")
    with started(*command, "-j2", small, tmp_path / "pipe", start_new_session=True) as child:
        assert child.stdout.readline()
        assert len(list(Path(os.environ["TMPDIR"]).iterdir())) == 1
        child.send_signal(number)
        _, errors = child.communicate(timeout=60)
    assert (child.returncode, errors) == (-number, b"")
    assert list(Path(os.environ["TMPDIR"]).iterdir()) == []


@posix
def test_a_reader_that_leaves_early():
    with started("cat", "-j2", *SAMPLES * 20) as child:
        assert child.stdout.readline()
        child.stdout.close()
        errors = child.stderr.read()
        child.wait(timeout=60)
    assert (child.returncode, errors) == (141, b"")


@posix
def test_a_pager_ends_with_the_output(small):
    """What the workers begin does not keep the pipe to it open."""
    code, text = terminal("ls", "-j2", small, small, reads=True, PAGER="cat")
    assert (code, text.count(f"{small}:\n")) == (0, 2)


def test_no_processes_for_one_save(monkeypatch, small):
    monkeypatch.setattr(jobs, "side_by_side", lambda *_: pytest.fail("there is nothing to do side by side"))
    assert run("ls", small, "-j4").exit_code == 0
