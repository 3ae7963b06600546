"""The sample traces that `adjudge demo` opens, each set with its provenance and licence."""
