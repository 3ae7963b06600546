"""Prompts, recipes, runs, statistics: everything that makes or measures a verdict."""
