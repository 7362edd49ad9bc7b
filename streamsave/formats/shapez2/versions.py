"""Version gates. One number counts for both: `Version` of `savegame.json`, `V` of a blueprint."""

from __future__ import annotations

from typing import Final

__all__ = ["BLUEPRINT_NEWEST", "ENVELOPE_NEWEST", "ENVELOPE_TRAILER", "SAVE_NEWEST", "SAVE_TYPED"]

#: From here on the members of a save have the layouts below; of what is older no layout is known.
SAVE_TYPED: Final = 1125
#: The newest version known, of the game's 1.2.
SAVE_NEWEST: Final = 1138
BLUEPRINT_NEWEST: Final = 1138

#: Envelopes of blueprint codes: from 5 on, icons follow the payload.
ENVELOPE_TRAILER: Final = 5
ENVELOPE_NEWEST: Final = 5
