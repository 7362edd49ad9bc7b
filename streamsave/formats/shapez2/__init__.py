"""Saves (`.spz2`) and blueprint codes of shapez 2."""
