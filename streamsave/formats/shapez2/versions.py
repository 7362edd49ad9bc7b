"""Versions of saves, blueprints and envelopes.

One number counts for saves and blueprints: `Version` of `savegame.json`, `V` of a blueprint.

| V | game | what changed |
|---|---|---|
| 1005 | the oldest codes seen | a blueprint has no `$type`: it holds buildings |
| 1057 | | producers of the sandbox store their item as BeltItem or Fluid, no longer as text; see `configs` |
| 1125 | 1.0 | the binary members of a save have the layouts of this package |
| 1138 | 1.2 | the newest seen |

| envelope | V seen in it | what changed |
|---|---|---|
| 1 | 1005 to 1095 | |
| 2 | 1105 | |
| 3 | 1122 | |
| 4 | 1137 | |
| 5 | 1138 | the icons follow the payload |
"""

from __future__ import annotations

from typing import Final

__all__ = ["BLUEPRINT_NEWEST", "ENVELOPE_ICONS", "ENVELOPE_NEWEST", "SAVE_LAYOUTS", "SAVE_NEWEST"]

#: From here on, the layouts of the binary members are known. Before it, they are opaque, but for islands that checkpoints prove.
SAVE_LAYOUTS: Final = 1125
#: The newest versions known. Later ones are read like these, with a warning.
SAVE_NEWEST: Final = 1138
BLUEPRINT_NEWEST: Final = 1138

#: From this envelope on, the icons follow the payload.
ENVELOPE_ICONS: Final = 5
#: The newest envelope known. Later ones are read like it, with a warning.
ENVELOPE_NEWEST: Final = 5
