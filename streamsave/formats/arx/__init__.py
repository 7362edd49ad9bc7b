"""Saves of Arx Fatalis and Arx Libertatis."""
