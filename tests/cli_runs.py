"""Running the command line: in this process, in one of its own, on a terminal; and small saves to run it on."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import orjson
from click.testing import CliRunner, Result
from writer.primitives import Ref
from writer.satisfactory import Level, Object, World, release_header, save_bytes
from writer.structs import VECTOR
from writer.tags import BOOL, FLOAT, INT, OBJECT, STR, Array, Fields, Map, Prop

import streamsave
from streamsave.cli import main

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = [ROOT / "corpora" / "valid" / "satisfactory" / f"{name}.sav" for name in ("sv46", "sv52", "sv58")]
PACKAGE_FOLDER = str(Path(streamsave.__file__).resolve().parent.parent)

LEVEL = "Persistent_Level:PersistentLevel."
CLASSES = "/Game/Oracle/"
STACK = Fields("InventoryStack")


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def run(*args: object) -> Result:
    """Run a command here. What it prints is no terminal."""
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def printed(*args: object) -> str:
    """Run a command that must go well; give what it prints."""
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def refused(*args: object) -> str:
    """Run a command that must end with 2 and print nothing; give what it says."""
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def lines(*args: object) -> list[list[str]]:
    """Run a command that must go well; give the cells of its lines."""
    return [line.split("\t") for line in printed(*args).splitlines()]


def json_lines(*args: object) -> list[dict[str, object]]:
    """Run a command that must go well with `--json`; give its lines."""
    return [orjson.loads(line) for line in printed(*args, "--json").splitlines()]


def environment(**more: str) -> dict[str, str]:
    """The environment of a process that finds the package that is under test."""
    kept = {
        name: value for name, value in os.environ.items() if name not in {"PYTHONUNBUFFERED", "NO_COLOR", "FORCE_COLOR", "TERM"}
    }
    return {**kept, "PYTHONPATH": PACKAGE_FOLDER, "COLUMNS": "200", "TERM": "xterm-256color", **more}


def command_line(*args: object) -> list[str]:
    return [sys.executable, "-m", "streamsave", *map(str, args)]


def process(*args: object, stdin: bytes | IO[bytes] | None = None, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own; bytes come through a pipe. `more` are environment variables, or streams."""
    streams: dict[str, Any] = {name: more.pop(name, subprocess.PIPE) for name in ("stdout", "stderr")}
    streams |= {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    return subprocess.run(command_line(*args), **streams, check=False, env=environment(**more), timeout=60)


#: The command as a shell finds it where the package is not installed.
AS_INSTALLED = f'streamsave() {{ "{sys.executable}" -m streamsave "$@"; }}\n'


def run_in(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, with the package that is under test and not one that is there."""
    env = environment(PYTHONSAFEPATH="1")
    return subprocess.run(command, cwd=folder, env=env, check=False, capture_output=True, text=True, timeout=60)


def take_signals() -> None:
    """Let a signal end this process: tests that run in the background of a shell inherit that Ctrl-C is ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def started(*args: object, **options: Any) -> subprocess.Popen[bytes]:
    """Start a command in a process of its own, to be talked to."""
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment()}
    if os.name == "posix":
        usual["preexec_fn"] = take_signals
    return subprocess.Popen(command_line(*args), **(usual | options))


def python(code: str, *args: object, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own; `more` are environment variables."""
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment(**more), timeout=600)


#: Without the bar of progress, which comes on a machine that has much to do.
IN_TERMINAL = """
import sys
from streamsave.__main__ import run
from streamsave.cli import progress
sys.argv[0], progress.DELAY = "streamsave", {}
run()
"""


def terminal(*args: object, reads: bool = False, answers: str = "", delay: float = 3600.0, **more: str) -> tuple[int, str]:
    """Run a command whose standard output and standard error are a terminal; give exit code and what the terminal got.

    Standard input is the terminal, too, if it `reads` answers; the bar of progress comes after a `delay`.
    """
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", IN_TERMINAL.format(delay), *map(str, args)]
    stdin = theirs if reads else subprocess.DEVNULL
    with subprocess.Popen(command, stdin=stdin, stdout=theirs, stderr=theirs, env=environment(**more)) as child:
        os.close(theirs)
        os.write(ours, answers.encode())
        pieces = []
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux: the other side is closed
                break
            if not piece:
                break
            pieces.append(piece)
        os.close(ours)
        child.wait(timeout=60)
    return child.returncode, b"".join(pieces).decode("utf-8").replace("\r\n", "\n")


def on_terminal(*args: object, **more: Any) -> str:
    """Run a command that must go well on a terminal; give what it shows."""
    code, text = terminal(*args, **more)
    assert code == 0
    return text


def thing(name: str, *properties: Prop[object], class_name: str = "BP_Thing", **more: object) -> Object:
    """An actor of an unknown class."""
    return Object(f"{CLASSES}{class_name}.{class_name}_C", LEVEL + name, list(properties), **more)


def write(folder: Path, name: str, *objects: Object, levels: tuple[Level, ...] = ()) -> Path:
    """Write a save with these objects in its persistent level."""
    path = folder / name
    path.write_bytes(save_bytes(World(release_header(46), levels, objects)))
    return path


def large_world(folder: Path, count: int = 2000) -> Path:
    labels = (Prop("mLabel", STR, f"{number} {'x' * 380}") for number in range(count))
    return write(folder, "large.sav", *(thing(f"BP_Thing_C_{number}", label) for number, label in enumerate(labels)))


def small_world(folder: Path) -> Path:
    """A chest, a lamp with a switch, a part of the chest, and a bush in a level of its own."""
    chest = thing(
        "BP_Chest_C_1",
        Prop("mLabel", STR, "iron, mostly"),
        Prop("mStatic", INT, 10),
        Prop("mStatic", INT, 11, index=1),
        Prop("mOwner", OBJECT, Ref("Persistent_Level", LEVEL + "BP_Lamp_C_7")),
        Prop(
            "mStacks",
            Array(STACK),
            [[Prop("Name", STR, "iron"), Prop("Count", INT, 5)], [Prop("Name", STR, "gold"), Prop("Count", INT, 6)]],
        ),
        Prop("mPoint", VECTOR, (1.0, 2.0, 0.5)),
        Prop("mMap", Map(INT, STACK), [(3, [Prop("Level", FLOAT, 1.5)])]),
        class_name="BP_Chest",
        transform=(0.0, 0.0, 0.0, 1.0, 100.0, -250.0, 1.0, 1.0, 1.0, 1.0),
    )
    lamp = thing("BP_Lamp_C_7", Prop("mIsOn", BOOL, True), Prop("mPower", FLOAT, 0.1), class_name="BP_Lamp")
    part = thing("BP_Chest_C_1.Part", Prop("mCount", INT, 2), class_name="Part", outer=LEVEL + "BP_Chest_C_1")
    bush = thing("BP_Bush_C_3", class_name="BP_Bush", level="FOREST")
    return write(folder, "small.sav", chest, lamp, part, levels=(Level("FOREST", [bush]), Level("DESERT")))
