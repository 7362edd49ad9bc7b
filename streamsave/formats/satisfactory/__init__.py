"""Saves and blueprints of Satisfactory."""
