"""What a type checker sees of the installed package, in a program of a user."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import streamsave

pytest.importorskip("mypy", reason="mypy is not installed")

#: A comment at the end of a line: what mypy says of it. A line without one is right.
PROGRAM = """
import streamsave
from streamsave import ObjectHeader, PropertyTag, SaveStart
from streamsave.headers import Header, SatisfactorySaveHeader

with streamsave.open("world.sav", on_damage="resync") as events:
    reveal_type(events)  # "streamsave.consume.stream.EventStream"
    for event in events:
        reveal_type(event)  # "streamsave.events.Event"
        event.offset = 3  # Cannot assign to final attribute "offset"
        match event:
            case SaveStart(header=SatisfactorySaveHeader() as header):
                reveal_type(header.session_name)  # "str"
            case SaveStart():
                reveal_type(event.header)  # "Any"
                event.header = Header()  # Cannot assign to final attribute "header"
            case ObjectHeader(class_name=name):
                reveal_type(name)  # "str"
                event.size = 0  # Cannot assign to final attribute "size"
                reveal_type(events.skip())  # "streamsave.events.BlobSkip"
            case PropertyTag():
                reveal_type(events.build())  # "Any"
                reveal_type(events.raw())  # "bytes"
                event.name = ""  # Cannot assign to final attribute "name"
    events.skip(1)  # Too many arguments for "skip"

streamsave.open("world.sav", on_damage="ignore")  # Argument "on_damage" to "open" has incompatible type
streamsave.open(1)  # Argument 1 to "open" has incompatible type "int"
streamsave.open("world.sav", limits=streamsave.Limits(depth="1"))  # Argument "depth" to "Limits" has incompatible type
for selected in streamsave.objects("world.sav", "*Constructor*", ["mCurrentRecipe"]):
    reveal_type(selected.fields)  # "dict[str, Any]"
"""


@pytest.mark.slow
def test_mypy_sees_the_types_of_the_installed_package(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    package = Path(streamsave.__file__).parent
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}", program.name]
    run = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert str(package) not in run.stdout, "mypy finds faults in the package itself"
    # Some versions of mypy name the module of a built-in type, some do not.
    output = run.stdout.replace("builtins.", "")
    said = {int(number): text for number, text in re.findall(r"program\.py:(\d+): \w+: (.*)", output)}
    lines = dict(enumerate(PROGRAM.splitlines(), 1))
    expected = {number: line.partition("  # ")[2] for number, line in lines.items() if "  # " in line}
    assert sorted(said) == sorted(expected), run.stdout + run.stderr
    for number, text in said.items():
        assert expected[number] in text, lines[number]
