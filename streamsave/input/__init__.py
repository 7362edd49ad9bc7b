"""Sources of bytes -> windows of inflated bytes."""
