"""Makes this folder's helpers importable from the tests below it."""
