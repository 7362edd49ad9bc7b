"""How much memory Python holds."""

import tracemalloc
from typing import Self


class Traced:
    """The most bytes that a block has held at once."""

    peak = 0

    def __enter__(self) -> Self:
        tracemalloc.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
