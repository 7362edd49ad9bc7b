"""Which build this is: compiled, or plain Python."""

from __future__ import annotations

from streamsave.decode.known_bytes import COMPILED

__all__ = ["is_compiled"]


def is_compiled() -> bool:
    """Whether the hot modules run compiled."""
    return COMPILED
