"""The source of a save as windows of inflated bytes."""
