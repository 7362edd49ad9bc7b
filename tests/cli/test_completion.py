"""Scripts for shells, tried in those that are here."""

import os
import shutil
import subprocess
import sys

import pytest
from cli_runs import printed, refused, run

from streamsave.cli.satisfactory import command

SHELLS = ["bash", "zsh", "fish"]
#: What each shell runs with the script `$1`: it prints what the line `$2` may be completed to.
ASK = {
    "bash": """
        eval "$1"; COMP_WORDS=($2); [ "${2% }" = "$2" ] || COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        compopt() { :; }
        _streamsave_completion streamsave; printf '%s\\n' "${COMPREPLY[@]}"
    """,
    "zsh": """
        compdef() { :; }; compadd() { while [ "$1" != "--" ] && [ $# -gt 0 ]; do shift; done; }
        _describe() { shift 2; print -l -- ${(P)1}; }; _path_files() { echo FILES; }
        eval "$1"; words=(${=2}); [ "${2% }" = "$2" ] || words+=(""); CURRENT=${#words}; _streamsave_completion
    """,
    "fish": 'echo $argv[1] | source; complete -C "$argv[2]" | cut -f 1',
    "fish texts": 'echo $argv[1] | source; complete -C "$argv[2]" | cut -f 2',
}


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Return what a shell would complete a command line to, in a folder with two saves and a text."""
    for name in ("one.sav", "one.SBP", "one.txt", "two.spz2"):
        (tmp_path / name).touch()
    programs = tmp_path.parent / f"{tmp_path.name}-bin"
    programs.mkdir()
    program = programs / "streamsave"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m streamsave "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(programs))
    monkeypatch.setenv("HOME", str(programs))

    def answers(how: str, line: str) -> list[str]:
        shell = how.split(maxsplit=1)[0]
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is not installed")
        command = [shell, "-c", ASK[how], *([] if shell == "fish" else [shell]), run("completion", shell).stdout, line]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
        return ran.stdout.split()

    return answers


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_commands_options_and_choices(ask, shell):
    assert ask(shell, "streamsave gr") == ["grep"]
    assert "--ignore-case" in ask(shell, "streamsave grep --i")
    assert ask(shell, "streamsave completion f") == ["fish"]


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_saves_are_known_by_their_endings(ask, shell):
    assert sorted(ask(shell, "streamsave ls one")) == ["one.SBP", "one.sav"]
    assert ask(shell, "streamsave diff one.sav tw") == ["two.spz2"]


def test_fish_shows_what_commands_do(ask):
    assert " ".join(ask("fish texts", "streamsave satis")) == command.short_help


def test_the_script_of_zsh(ask):
    assert "grep:Objects" in " ".join(ask("zsh", "streamsave gr"))


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed(shell):
    assert f"_STREAMSAVE_COMPLETE={shell}_complete" in printed("completion", shell).replace("env ", "")


def test_another_shell_is_refused():
    assert "ksh" in refused("completion", "ksh")
