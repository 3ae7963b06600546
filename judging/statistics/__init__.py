"""Every figure the product shows: counts, rates and intervals, agreement, correction, pairs, votes, planning.

Pure functions over plain values: no store, no screen, no clock, no hidden randomness. A figure is an
`Estimate` or an `Undefined` with its reason, never 0 or NaN in place of "cannot be known".
"""
