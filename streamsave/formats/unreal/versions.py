"""Version gates of the engine that more than one family of saves has, and what each changed."""

from __future__ import annotations

from typing import Final

# --- object version of UE5; 0 where a save has none ---

#: A byte before the properties of an object or save game; old tags end with extensions.
UE5_SERIALIZATION_CONTROL: Final = 1011
#: New tags: type trees and flags.
UE5_TYPE_TREES: Final = 1012
