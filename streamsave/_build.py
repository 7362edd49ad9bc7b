"""Which build this is: compiled, or plain Python."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES

from streamsave.decode import cursor

__all__ = ["is_compiled"]


def is_compiled() -> bool:
    """Whether the hot modules run compiled."""
    return cursor.__file__.endswith(tuple(EXTENSION_SUFFIXES))
