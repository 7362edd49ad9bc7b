"""Compile the hot modules with mypyc.

    python tools/compile.py --inplace     put the extension modules beside their sources
    python tools/compile.py --clean       take them away again
    python tools/compile.py --into DIR    build them below DIR, as they lie in a wheel (the build hook does this)

With `STREAMSAVE_BUILD_CACHE=DIR`, `--into` leaves a copy of what it has made in DIR, and takes that the next time if nothing
that it was made of has changed.

An extension module wins over the `.py` file beside it: after `--inplace`, an edited source counts only when it is compiled
again or `--clean` was run.

Exits with 0, or `EXIT_TYPES` when mypy or mypyc refuses our source, or `EXIT_COMPILER` when the C compiler is missing or fails,
or `EXIT_FREE_THREADED` on free-threaded Python: there, mypyc declares that modules need no GIL, and ours were not tried without.

The module is long because it lists the modules, and builds them in three ways.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import importlib.metadata
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from docstrings import insert_docstrings
from smaller_c import PRELUDE, shrink
from trashcans import take_out_trashcans

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "streamsave"
CACHE = ROOT / "build" / "mypyc"

# What of the commands sees every event or value.
CLI = (
    "streamsave/cli/differences.py",
    "streamsave/cli/event_lines.py",
    "streamsave/cli/text.py",
)
# What of a page sees every event, or every object with a place.
REPORT = (
    "streamsave/report/scene.py",
    "streamsave/report/tree.py",
)
# What of a rewritten save sees every event, value or row of an edit.
REWRITING = (
    "streamsave/rewriting/cutting.py",
    "streamsave/rewriting/editor.py",
    "streamsave/rewriting/gone.py",
    "streamsave/rewriting/json_difference.py",
    "streamsave/rewriting/json_reader.py",
    "streamsave/rewriting/json_parts.py",
    "streamsave/rewriting/ledger.py",
    "streamsave/rewriting/packing.py",
    "streamsave/rewriting/rows.py",
    "streamsave/rewriting/stream.py",
    "streamsave/rewriting/verifying.py",
)
# What is compiled: the rooms that see every byte. Globs, relative to the root; those that match nothing are passed over.
COMPILED = (
    "streamsave/events.py",
    "streamsave/claims.py",
    "streamsave/frequent_values.py",
    "streamsave/input/*.py",
    "streamsave/decode/*.py",
    "streamsave/formats/**/*.py",
    "streamsave/recovery/*.py",
    "streamsave/stream/*.py",
    "streamsave/output/*.py",
    "streamsave/check/*.py",
    "streamsave/consume/*.py",
    "streamsave/compare/compare.py",
    "streamsave/compare/items.py",
    "streamsave/compare/pair.py",
    *CLI,
    *REPORT,
    *REWRITING,
)
# What the globs above match and yet stays plain Python: what works once a save. Each module costs about 0.3 s more than its code.
EXCLUDED = (
    "streamsave/**/__init__.py",
    "streamsave/check/check.py",
    "streamsave/check/contract.py",  # readers of other packages are plain, too
    "streamsave/check/finding.py",
    "streamsave/check/foreign_reader.py",
    "streamsave/check/format_rules.py",
    "streamsave/formats/*.py",  # the registry
    "streamsave/formats/*/header.py",  # attrs classes stay plain: mypyc would make its own of them
    "streamsave/formats/*/sniff.py",
    "streamsave/formats/*/versions.py",  # mypyc writes constants into the modules that use them
    "streamsave/formats/*/wrappers.py",
    "streamsave/formats/arx/container.py",  # reads the table of an archive
    "streamsave/formats/arx/entity.py",  # tables, as these are
    "streamsave/formats/arx/world.py",
    "streamsave/formats/arx/lost_entries.py",
    "streamsave/formats/gvas/key_profiles.py",
    "streamsave/formats/gvas/profiles.py",
    "streamsave/formats/palworld/game.py",
    "streamsave/formats/palworld/layouts.py",  # tables, made into codecs once
    "streamsave/formats/palworld/map_objects.py",
    "streamsave/formats/satisfactory/config.py",
    "streamsave/formats/satisfactory/game.py",
    "streamsave/formats/shapez2/members.py",  # a table
    "streamsave/input/archive_header.py",
    "streamsave/input/oodle.py",
    "streamsave/input/source.py",
    "streamsave/input/unreal_archive.py",
    "streamsave/input/urls.py",
    "streamsave/consume/aread.py",
    "streamsave/consume/conditions.py",  # has attrs classes
    "streamsave/consume/expand.py",
    "streamsave/consume/expressions.py",
    "streamsave/consume/needed_text.py",
    "streamsave/consume/objects.py",
    "streamsave/consume/parser.py",
    "streamsave/decode/paths.py",  # has attrs classes
    "streamsave/recovery/arx.py",  # proves each entry once; a test switches that off
    "streamsave/recovery/shapez2.py",  # compiled, a family without attributes of its own is not freed with its stream
    "streamsave/output/to_arrow.py",
)

# What the C compiler makes fast: the loop over the events. Modules that are neither here nor below it makes small: fast, they
# save nothing that can be measured.
LOOP = (
    "streamsave/events.py",
    "streamsave/frequent_values.py",
    "streamsave/decode/build.py",
    "streamsave/decode/codecs.py",
    "streamsave/decode/cursor.py",
    "streamsave/decode/known_bytes.py",
    "streamsave/decode/reader.py",
    "streamsave/decode/window_cursor.py",
    "streamsave/stream/iterator.py",
    "streamsave/stream/verbs.py",
    "streamsave/formats/satisfactory/object_entry.py",
    "streamsave/formats/satisfactory/object_header.py",
    "streamsave/formats/satisfactory/objects.py",
    "streamsave/formats/palworld/blobs.py",
    "streamsave/formats/palworld/codecs.py",
    "streamsave/formats/unreal/codecs.py",
    "streamsave/formats/unreal/containers.py",
    "streamsave/formats/unreal/element_headers.py",
    "streamsave/formats/unreal/frames.py",
    "streamsave/formats/unreal/maps.py",
    "streamsave/formats/unreal/reader.py",
    "streamsave/formats/unreal/tag_reader.py",
    "streamsave/formats/unreal/tag_values.py",
    "streamsave/formats/unreal/tags.py",
    "streamsave/formats/unreal/value_openers.py",
)
# What takes events and values from the loop, and is 5 % of a command slower where it is made small.
LESS_HOT = (
    "streamsave/claims.py",
    "streamsave/check/checker.py",
    "streamsave/check/references.py",
    "streamsave/consume/selection.py",
    "streamsave/consume/values.py",
    "streamsave/decode/json_values.py",
    "streamsave/decode/leaves.py",
    "streamsave/output/flat_text.py",
    "streamsave/output/json_document.py",
    "streamsave/output/rows.py",
    *CLI,
)
LEVELS: Final = {**dict.fromkeys(LOOP, "2"), **dict.fromkeys(LESS_HOT, "1")}
COLD_LEVEL: Final = "s"
#: Of mypyc's own functions, which compiled code calls.
RUNTIME_LEVEL: Final = "2"
#: Bytes of C in one file, unless a module has more.
PART_SIZE: Final = 1_500_000

# All modules share one library, so that calls between them are C calls. It is `streamsave__mypyc`, beside the package: mypyc's
# runtime works out `__path__` of compiled packages from there, and inside the package it gets them wrong.
GROUP = "streamsave"

# C of an extension module, which finds its code in the library. Mypyc writes one, too, but includes Python.h: to read that takes
# a tenth of a second, of each of the modules. The library is imported by itself first, and kept: if it cannot be loaded, the
# error of `PyCapsule_Import` would not say why.
SHIM = """\
typedef struct _object PyObject;
PyObject *PyImport_ImportModule(const char *);
void *PyCapsule_Import(const char *, int);

__attribute__((visibility("default")))
PyObject *PyInit_{last_name}(void)
{{
    PyObject *(*init)(void) = PyImport_ImportModule("{library}") ? PyCapsule_Import("{library}.{init}", 0) : 0;
    return init ? init() : 0;
}}
"""

EXIT_TYPES = 3
EXIT_COMPILER = 4
EXIT_FREE_THREADED = 5


class SourceRefusedError(Exception):
    """Mypy or mypyc does not accept our source; it has printed why."""


class CompilerFailedError(Exception):
    """There is no C compiler, or it failed."""


def compiled_modules() -> list[str]:
    """Paths of the modules to compile, relative to the root."""
    found = {path.relative_to(ROOT).as_posix() for pattern in COMPILED for path in ROOT.glob(pattern)}
    excluded = {path.relative_to(ROOT).as_posix() for pattern in EXCLUDED for path in ROOT.glob(pattern)}
    return sorted(found - excluded)


def merge_sources(sources: Iterable[str], modules: Sequence[str], folder: Path) -> dict[str, str]:
    """Write a few C files that include the C files of the modules, since reading the headers takes longer than a small module.

    Returns:
        The C files to compile, and the optimization level of each: what takes long first, so that no CPU waits for the last.
    """
    # The names are mypyc's.
    native = {f"__native_{module.removesuffix('.py').replace('/', '___')}.c": module for module in modules}
    sizes = {source: Path(source).stat().st_size for source in sources}
    levels: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    filled: dict[str, int] = {}
    for source in sorted(sizes, key=lambda source: sizes[source], reverse=True):
        name = Path(source).name
        kind, level = ("part", LEVELS.get(native[name], COLD_LEVEL)) if name in native else ("runtime", RUNTIME_LEVEL)
        for part in parts:
            if Path(part).name.startswith(kind) and levels[part] == level and filled[part] + sizes[source] <= PART_SIZE:
                break
        else:
            part = str(folder / f"{kind}_{len(parts)}.c")
            levels[part], parts[part], filled[part] = level, [], 0
        parts[part].append(name)
        filled[part] += sizes[source]
    for part, names in parts.items():
        if Path(part).name.startswith("part"):
            names.insert(0, PRELUDE)
        Path(part).write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
    return dict(sorted(levels.items(), key=lambda item: (item[1] == COLD_LEVEL, -filled[item[0]])))


def shorten_shims(library: str, shims: Mapping[str, str]) -> None:
    """Write `SHIM` into the C file of each extension module, given by its name, where the functions it uses are all it needs."""
    if os.name != "posix":
        return
    for module, source in shims.items():
        names = {"library": library, "init": f"init_{module.replace('.', '___')}", "last_name": module.rpartition(".")[2]}
        Path(source).write_text(SHIM.format(**names), encoding="utf-8")


def is_gcc(command: Sequence[str]) -> bool:
    """Return whether a C compiler is GCC itself: Clang, which says that it is GCC, too, refuses some of its options."""
    macros = subprocess.run([*command, "-dM", "-E", "-xc", os.devnull], capture_output=True, text=True, check=False).stdout
    return "__GNUC__" in macros and "__clang__" not in macros


def reads_packed_places(name: str, version: str) -> bool:
    """Return whether a C library can load what `pack-relative-relocs` makes; name and version as `platform.libc_ver` has them."""
    return name == "glibc" and [int(part) for part in version.split(".")] >= [2, 36]


def compile_into(library: Path, work: Path, level: str | None = None) -> list[Path]:
    """Compile into `library`, with C and object files in `work`; return the extension modules made.

    `level` is the optimization level of all C files, instead of their own.

    Raises SourceRefusedError, CompilerFailedError.
    """
    # Mypy turns the cyclic collector on again, and there it takes a fifth of the time, to free next to nothing.
    gc.disable()
    gc.enable = gc.disable
    # Not at the top: `--clean` needs neither. And setuptools first: it brings the distutils that mypyc looks for.
    from setuptools import Distribution  # noqa: I001
    from setuptools.command.build_ext import build_ext
    from setuptools.errors import BaseError, CompileError, LinkError
    from mypyc.build import mypycify

    modules = compiled_modules()
    if not modules:
        raise SourceRefusedError(f"nothing to compile below {PACKAGE}")
    # The file names in tracebacks are relative to the current folder.
    os.chdir(ROOT)
    # Only what mypyc cannot do without is checked, and only in what is compiled: how strict we are with ourselves is for
    # `tox -e typing`; it must not make a build fail under a newer mypy, nor make it need stubs or the dependencies.
    options = ["--config-file=", "--follow-imports=silent", "--ignore-missing-imports", f"--cache-dir={os.devnull}"]
    try:
        extensions = mypycify(
            [*options, *modules],
            debug_level="0",
            target_dir=str(work / "c"),
            group_name=GROUP,
            # One C file for all would keep one CPU busy, and take 1.2 GB.
            multi_file=True,
        )
    except SystemExit as error:
        raise SourceRefusedError("mypy or mypyc refuses the source (see above)") from error
    # Or Python looks through all that mypy has made before it exits, which takes seconds.
    gc.freeze()
    insert_docstrings(work / "c", ROOT, modules)
    take_out_trashcans(work / "c")
    shrink(work / "c", GROUP)
    # The first has the code of all modules; the others are a few lines each, which hand it on under the name of their module.
    levels = merge_sources([str(source) for source in extensions[0].sources], modules, work / "c")
    extensions[0].sources = list(levels)
    shorten_shims(extensions[0].name, {shim.name: str(source) for shim in extensions[1:] for source in shim.sources})

    class ParallelBuild(build_ext):
        """Runs a C compiler on each CPU."""

        def build_extensions(self) -> None:
            compiler = self.compiler
            compile_sources = compiler.compile
            has_gcc = compiler.compiler_type == "unix" and is_gcc(compiler.compiler_so)

            def compile_one(source: str, extra_postargs: list[str], **options: object) -> list[str]:
                flags = list(extra_postargs)
                if compiler.compiler_type == "unix":
                    # Without warnings: they are for the authors of mypyc, who ask for errors instead. And no function is for
                    # other libraries: then calls among them are direct or inlined, which takes 5 % less time to read. Inlined,
                    # a field is written as one of a class and read as one of its base: the compiler must not take these for
                    # two places.
                    flags += ["-w", "-fvisibility=hidden", "-fno-plt", "-fno-strict-aliasing"]
                    # The tables to unwind the stack of C, and its names, are an eighth of the wheel: they are not needed.
                    flags += ["-fno-asynchronous-unwind-tables", "-fno-ident"]
                    optimization = level or levels.get(source, COLD_LEVEL)
                    flags += [f"-O{optimization}"]
                    if has_gcc:
                        # Code that is the same at two ends of a function is there once.
                        flags += ["-fcrossjumping", "-fno-align-functions", "-fno-align-loops", "-fno-align-jumps"]
                    if has_gcc and optimization == COLD_LEVEL:
                        # Instructions in the order in which they are written compress better.
                        flags += ["-fno-schedule-insns2"]
                objects: list[str] = compile_sources([source], extra_postargs=flags, **options)
                return objects

            def compile_all(sources: list[str], extra_postargs: list[str], **options: object) -> list[str]:
                with ThreadPoolExecutor(os.cpu_count()) as pool:
                    made = pool.map(lambda source: compile_one(source, extra_postargs, **options), sources)
                    return [path for paths in made for path in paths]

            compiler.compile = compile_all
            super().build_extensions()

    if sys.platform == "linux":
        for extension in extensions:
            extension.extra_link_args = [*extension.extra_link_args, "-Wl,-s"]
        # Places in tables that are filled when the library is loaded take few bits each, not 24 bytes: 130 kB of the wheel. Only
        # glibc since 2.36 can read that; wheels for the package index are made with an older one.
        if reads_packed_places(*platform.libc_ver()):
            extensions[0].extra_link_args += ["-Wl,-z,pack-relative-relocs"]
        # Or the linker fills each of the small modules to pages, with what they do not use: 14 kB each, in place of 2.
        for extension in extensions[1:]:
            extension.extra_link_args += ["-nostdlib", "-Wl,-z,noseparate-code", "-Wl,-z,norelro", "-Wl,--build-id=none"]
            extension.extra_link_args += ["-Wl,--hash-style=sysv"]
    command = ParallelBuild(Distribution({"name": "streamsave", "ext_modules": extensions}))
    command.build_lib = str(library)
    command.build_temp = str(work / "o")
    command.parallel = True
    command.ensure_finalized()
    try:
        command.run()
    # CompileError and LinkError are no BaseError. OSError: a compiler that may not be run.
    except (BaseError, CompileError, LinkError, OSError) as error:
        raise CompilerFailedError(f"the C compiler failed: {error}") from error
    return [Path(output) for output in command.get_outputs()]


def digest_of_inputs(level: str | None) -> str:
    """Return a digest of all that extension modules are made of: sources, tools, packages, and how C is compiled."""
    sources = sorted([*PACKAGE.rglob("*.py"), *Path(__file__).parent.glob("*.py")])
    contents = [(path.relative_to(ROOT).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()) for path in sources]
    packages = sorted(f"{each.name} {each.version}" for each in importlib.metadata.distributions())
    settings = [os.environ.get(name) for name in ("CC", "CFLAGS", "LDFLAGS")]
    compiler = shlex.split(settings[0] or sysconfig.get_config_var("CC") or "")
    about = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False).stdout if compiler else ""
    return hashlib.sha256(repr([contents, packages, settings, about, sys.version, level]).encode()).hexdigest()


def compile_or_copy(library: Path, work: Path, level: str | None, cache: Path) -> list[Path]:
    """Do as `compile_into`, but copy what `cache` has of the same inputs, or else leave a copy there."""
    kept, label = cache / str(sys.implementation.cache_tag), cache / f"{sys.implementation.cache_tag}.txt"
    digest = digest_of_inputs(level)
    if label.is_file() and label.read_text(encoding="utf-8") == digest:
        shutil.copytree(kept, library)
        return [path for path in library.rglob("*") if path.is_file()]
    made = compile_into(library, work, level)
    label.unlink(missing_ok=True)
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(library, kept)
    label.write_text(digest, encoding="utf-8")  # last: without it, the copy counts as none
    return made


def clean() -> None:
    """Remove the extension modules that lie beside the sources."""
    for suffix in (".so", ".pyd"):
        for path in (*PACKAGE.rglob(f"*{suffix}"), *ROOT.glob(f"{GROUP}__mypyc*{suffix}")):
            path.unlink()


def compile_in_place(level: str | None) -> list[Path]:
    """Compile and put the extension modules beside their sources; C and object files stay in `build/` for the next time."""
    work = CACHE / str(sys.implementation.cache_tag)
    library = work / "lib"
    shutil.rmtree(library, ignore_errors=True)
    made = compile_into(library, work, level)
    clean()
    return [Path(shutil.copy2(path, ROOT / path.relative_to(library))) for path in made]


def main() -> int:
    """Run the command; its exit code."""
    parser = argparse.ArgumentParser(description="Compile the hot modules with mypyc.")
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--inplace", action="store_true", help="put the extension modules beside their sources")
    task.add_argument("--clean", action="store_true", help="remove the extension modules beside the sources")
    task.add_argument("--into", type=Path, metavar="DIR", help="build into DIR/lib")
    parser.add_argument("--opt-level", choices="0123gs", help="of the C compiler, for all modules (default: what LEVELS says)")
    arguments = parser.parse_args()
    if arguments.clean:
        clean()
        return 0
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        print("compile: compiled modules were not tried without the GIL", file=sys.stderr)
        return EXIT_FREE_THREADED
    try:
        if arguments.into:
            folder = arguments.into.resolve()
            cache = os.environ.get("STREAMSAVE_BUILD_CACHE")
            places = folder / "lib", folder / "work", arguments.opt_level
            made = compile_or_copy(*places, Path(cache).resolve()) if cache else compile_into(*places)
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
