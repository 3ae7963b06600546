"""Screens, widgets and the command line."""
