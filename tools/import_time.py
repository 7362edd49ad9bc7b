"""Measure how much longer an interpreter takes with `import streamsave`: `python tools/import_time.py [RUNS]`."""

from __future__ import annotations

import subprocess
import sys
import time


def seconds(code: str) -> float:
    """Return how long a new interpreter takes to run the code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Print the best of RUNS of each. They run in turn, so that a busy machine slows both."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    bare, imported = zip(*((seconds("pass"), seconds("import streamsave")) for _ in range(runs)), strict=True)
    print(f"bare interpreter: {min(bare) * 1000:.1f} ms")
    print(f"import streamsave: {(min(imported) - min(bare)) * 1000:.1f} ms more (best of {runs} runs)")


if __name__ == "__main__":
    main()
