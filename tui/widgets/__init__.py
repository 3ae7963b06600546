"""Widgets that draw prepared lines, and the pure code that prepares them."""
