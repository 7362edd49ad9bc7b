"""The build hook of hatchling: a wheel has the hot modules compiled, where that can be done.

| environment variable | what is built |
|---|---|
| none | compiled; plain Python, with a warning, when there is no C compiler, when it fails, when mypyc refuses the source, or |
|  | on free-threaded Python |
| `STREAMSAVE_PURE=1` | plain Python |
| `STREAMSAVE_REQUIRE_COMPILED=1` | compiled, or the build fails |

The sources are in the wheel beside the extension modules, for tracebacks and readers. Editable installs are plain Python;
`python tools/compile.py --inplace` compiles in the tree.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# What the exit codes of tools/compile.py mean.
EXITS = {
    3: "mypyc refuses the source. This is a bug of streamsave: please report it with the lines above",
    4: "there is no working C compiler",
    5: "the compiled modules were not tried without the GIL",
}


def is_set(variable: str) -> bool:
    """Whether an environment variable is set to anything but nothing and 0."""
    return os.environ.get(variable, "") not in {"", "0"}


class CompiledWheel(BuildHookInterface[BuilderConfig]):
    """Compiles in a process of its own, into a folder that lives as long as the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the extension modules to the wheel."""
        pure, required = is_set("STREAMSAVE_PURE"), is_set("STREAMSAVE_REQUIRE_COMPILED")
        if pure and required:
            raise RuntimeError("STREAMSAVE_PURE and STREAMSAVE_REQUIRE_COMPILED contradict each other")
        if version == "editable" or pure:
            return

        self.folder = tempfile.TemporaryDirectory(prefix="streamsave-")
        # A process of its own: mypyc exits when it refuses a source, and changes distutils and the current folder.
        compiling = [sys.executable, str(Path(self.root, "tools", "compile.py")), "--into", self.folder.name]
        # What it imports is in its own folder.
        code = subprocess.run(compiling, env={**os.environ, "PYTHONSAFEPATH": ""}, check=False).returncode
        if code != 0:
            reason = EXITS.get(code, f"tools/compile.py crashed with exit code {code}")
            if required:
                self.folder.cleanup()
                raise RuntimeError(f"not compiled: {reason}")
            self.app.display_warning(f"streamsave is built as plain Python, about 10 times slower: {reason}.")
            return

        library = Path(self.folder.name, "lib")
        build_data["force_include"].update(
            {str(path): path.relative_to(library).as_posix() for path in library.rglob("*") if path.is_file()}
        )
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder, when the wheel is written."""
        del version, build_data, artifact_path
        if hasattr(self, "folder"):
            self.folder.cleanup()
