"""Write the programs of the pages that teach into a folder, one file each, for type checkers.

Usage: `python tools/page_programs.py FOLDER && mypy FOLDER`
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = (
    "README.md",
    "streamsave/TUTORIAL.md",
    "streamsave/HOWTO.md",
    "streamsave/rewriting/EDITING.md",
    "streamsave/formats/PLUGINS.md",
)
PROGRAM: Final = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def main(folder: Path) -> None:
    """Write the programs into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for number, program in enumerate(PROGRAM.findall(text), 1):
            (folder / f"{Path(page).stem.lower()}_{number}.py").write_text(program, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
