"""Astroneer: an Unreal save game with no properties, and the world behind them, in a layout of the game's own."""
