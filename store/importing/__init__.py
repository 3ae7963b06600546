"""Bring traces in from files: rows, their mapping to traces, and what stands beside them."""
