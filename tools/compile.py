"""Compile the hot modules with mypyc.

    python tools/compile.py --inplace     put the extension modules beside their sources
    python tools/compile.py --clean       take them away again
    python tools/compile.py --into DIR    build them below DIR, as they lie in a wheel (the build hook does this)

An extension module wins over the `.py` file beside it: after `--inplace`, an edited source counts only when it is compiled
again or `--clean` was run.

Exits with 0, or `EXIT_TYPES` when mypy or mypyc refuses our source, or `EXIT_COMPILER` when the C compiler is missing or fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from docstrings import insert_docstrings

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "streamsave"
CACHE = ROOT / "build" / "mypyc"

# What is compiled: the rooms that see every byte. Globs, relative to the root; those that match nothing are passed over.
COMPILED = (
    "streamsave/events.py",
    "streamsave/claims.py",
    "streamsave/input/*.py",
    "streamsave/decode/*.py",
    "streamsave/query/selector.py",
    "streamsave/formats/**/*.py",
    "streamsave/stream/*.py",
)
# What the globs above match and yet stays plain Python.
EXCLUDED = (
    "streamsave/formats/*/header.py",  # attrs classes stay plain: mypyc would make its own of them
    "streamsave/input/source.py",
    "streamsave/stream/objects.py",
)

# All modules share one library, so that calls between them are C calls. It is `streamsave__mypyc`, beside the package: mypyc's
# runtime works out `__path__` of compiled packages from there, and inside the package it gets them wrong.
GROUP = "streamsave"

EXIT_TYPES = 3
EXIT_COMPILER = 4


class SourceRefusedError(Exception):
    """Mypy or mypyc does not accept our source; it has printed why."""


class CompilerFailedError(Exception):
    """There is no C compiler, or it failed."""


def compiled_modules() -> list[str]:
    """Paths of the modules to compile, relative to the root."""
    found = {path.relative_to(ROOT).as_posix() for pattern in COMPILED for path in ROOT.glob(pattern)}
    excluded = {path.relative_to(ROOT).as_posix() for pattern in EXCLUDED for path in ROOT.glob(pattern)}
    return sorted(found - excluded)


@contextmanager
def side_by_side(compiler: Any) -> Iterator[None]:  # noqa: ANN401 - of distutils, which has no types
    """Have a C compiler run on each CPU: setuptools builds extensions side by side, but one has nearly all of the sources."""
    compile_sources = compiler.compile

    def compile_all(sources: list[str], **options: object) -> list[str]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            made = pool.map(lambda source: compile_sources([source], **options), sources)
            return [path for paths in made for path in paths]

    compiler.compile = compile_all
    try:
        yield
    finally:
        compiler.compile = compile_sources


def compile_into(library: Path, work: Path, opt_level: str = "3") -> list[Path]:
    """Compile into `library`, with C and object files in `work`; the extension modules made.

    Raises SourceRefusedError, CompilerFailedError.
    """
    # Not at the top: `--clean` needs neither. And setuptools first: it brings the distutils that mypyc looks for.
    from setuptools import Distribution, Extension  # noqa: I001
    from setuptools.command.build_ext import build_ext
    from setuptools.errors import BaseError, CompileError, LinkError
    from mypyc.build import mypycify

    modules = compiled_modules()
    if not modules:
        raise SourceRefusedError(f"nothing to compile below {PACKAGE}")
    # The file names in tracebacks are relative to the current folder.
    os.chdir(ROOT)
    # Only what mypyc cannot do without is checked, and only in what is compiled: how strict we are with ourselves is for
    # `tox -e typing`; it must not make a build fail under a newer mypy, nor make it need stubs for the rest.
    options = ["--config-file=", "--follow-imports=silent"]
    try:
        extensions = mypycify(
            [*options, *modules],
            opt_level=opt_level,
            target_dir=str(work / "c"),
            group_name=GROUP,
            # One C file for all would be as fast in the end, but takes one CPU twice as long, and 1.2 GB.
            multi_file=True,
        )
    except SystemExit as error:
        raise SourceRefusedError("mypy or mypyc refuses the source (see above)") from error
    insert_docstrings(work / "c", ROOT, modules)

    class ParallelBuild(build_ext):
        def build_extension(self, ext: Extension) -> None:
            with side_by_side(self.compiler):
                super().build_extension(ext)

    command = ParallelBuild(Distribution({"name": "streamsave", "ext_modules": extensions}))
    command.build_lib = str(library)
    command.build_temp = str(work / "o")
    command.ensure_finalized()
    try:
        command.run()
    # CompileError and LinkError are no BaseError. OSError: a compiler that may not be run.
    except (BaseError, CompileError, LinkError, OSError) as error:
        raise CompilerFailedError(f"the C compiler failed: {error}") from error
    return [Path(output) for output in command.get_outputs()]


def clean() -> None:
    """Remove the extension modules that lie beside the sources."""
    for suffix in (".so", ".pyd"):
        for path in (*PACKAGE.rglob(f"*{suffix}"), *ROOT.glob(f"{GROUP}__mypyc*{suffix}")):
            path.unlink()


def compile_in_place(opt_level: str) -> list[Path]:
    """Compile and put the extension modules beside their sources; C and object files stay in `build/` for the next time."""
    work = CACHE / str(sys.implementation.cache_tag)
    library = work / "lib"
    shutil.rmtree(library, ignore_errors=True)
    made = compile_into(library, work, opt_level)
    clean()
    return [Path(shutil.copy2(path, ROOT / path.relative_to(library))) for path in made]


def main() -> int:
    """Run the command; its exit code."""
    parser = argparse.ArgumentParser(description="Compile the hot modules with mypyc.")
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--inplace", action="store_true", help="put the extension modules beside their sources")
    task.add_argument("--clean", action="store_true", help="remove the extension modules beside the sources")
    task.add_argument("--into", type=Path, metavar="DIR", help="build into DIR/lib")
    parser.add_argument("--opt-level", choices="0123", default="3", help="of the C compiler (default: 3)")
    arguments = parser.parse_args()
    if arguments.clean:
        clean()
        return 0
    try:
        if arguments.into:
            folder = arguments.into.resolve()
            made = compile_into(folder / "lib", folder / "work", arguments.opt_level)
        else:
            made = compile_in_place(arguments.opt_level)
    except SourceRefusedError as error:
        print(f"compile: {error}", file=sys.stderr)
        return EXIT_TYPES
    except CompilerFailedError as error:
        print(f"compile: {error}", file=sys.stderr)
        return EXIT_COMPILER
    print(f"compile: {len(made)} extension modules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
