"""Palworld: what the byte arrays named `RawData` in its save games hold."""
