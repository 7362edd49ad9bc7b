"""A save as a page to look at, and what its pictures share: names that people know, categories, and what takes the bytes."""
