"""Read paths from standard input, and write one line of JSON for each: what `palworld-save-tools` finds.

It runs with the interpreter that has `palworld_save_tools`, and imports nothing else.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any


def read(path: str, tools: Any) -> dict[str, Any]:  # noqa: ANN401 - a module that need not be there to check this
    """Read one save; its properties are counted where the reader reads them."""
    names: Counter[str] = Counter()
    types: Counter[str] = Counter()
    reader = tools.archive.FArchiveReader
    plain = reader.property

    def count(self: object, type_name: str, size: int, path: str, *more: object) -> object:
        names[path.rsplit(".", 1)[-1]] += 1
        types[type_name] += 1
        return plain(self, type_name, size, path, *more)

    data = Path(path).read_bytes()
    reader.property = count
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            if data[8:11] in {b"PlZ", b"CNK"}:
                data, _ = tools.palsav.decompress_sav_to_gvas(data)
            tools.gvas.GvasFile.read(data, tools.paltypes.PALWORLD_TYPE_HINTS, {}, allow_nan=True)
    except Exception as error:  # noqa: BLE001 - whatever it raises, it refuses the save
        return {"ok": False, "error": f"{type(error).__name__}: {error}"[:300]}
    finally:
        reader.property = plain
    return {"ok": True, "names": names, "types": types}


def main() -> None:
    """Answer until there are no more paths."""
    package = "palworld_save_tools"
    for module in ("archive", "gvas", "palsav", "paltypes"):
        import_module(f"{package}.{module}")
    for line in sys.stdin:
        print(json.dumps(read(line.rstrip("\n"), sys.modules[package])), flush=True)


if __name__ == "__main__":
    main()
