"""Astroneer: an Unreal save game with no properties, followed by the world, in a layout of the game's own."""
