"""Read paths from standard input, and write one line of JSON for each: what `palworld-save-tools` finds.

With two arguments, `read` or `json` and a path, it only reads that save, or writes it as JSON to standard output; with
`from-json` and the path of that JSON, it makes the bytes of a save of it. This is for `tools/bench_peers.py`.

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

#: Of Palworld's PlZ: compressed twice.
SAVE_TYPE = 0x32


def parse(path: str, tools: Any) -> Any:  # noqa: ANN401 - as below
    """Read one save as the package does; its `RawData` remain bytes."""
    data = Path(path).read_bytes()
    if data[8:11] in {b"PlZ", b"CNK"}:
        data, _ = tools.palsav.decompress_sav_to_gvas(data)
    return tools.gvas.GvasFile.read(data, tools.paltypes.PALWORLD_TYPE_HINTS, {}, allow_nan=True)


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

    reader.property = count
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            parse(path, tools)
    except Exception as error:  # noqa: BLE001 - whatever it raises, it refuses the save
        return {"ok": False, "error": f"{type(error).__name__}: {error}"[:300]}
    finally:
        reader.property = plain
    return {"ok": True, "names": names, "types": types}


def main() -> None:
    """Answer until there are no more paths."""
    package = "palworld_save_tools"
    for module in ("archive", "gvas", "json_tools", "palsav", "paltypes"):
        import_module(f"{package}.{module}")
    if len(sys.argv) > 1:
        tools = sys.modules[package]
        if sys.argv[1] == "from-json":
            loaded = tools.gvas.GvasFile.load(json.loads(Path(sys.argv[2]).read_bytes()))
            tools.palsav.compress_gvas_to_sav(loaded.write({}), SAVE_TYPE)
            return
        save = parse(sys.argv[2], tools)
        if sys.argv[1] == "json":
            json.dump(save.dump(), sys.stdout, cls=tools.json_tools.CustomEncoder, allow_nan=True)
        return
    for line in sys.stdin:
        print(json.dumps(read(line.rstrip("\n"), sys.modules[package])), flush=True)


if __name__ == "__main__":
    main()
