"""Checks of m2_variance. `laws.py` says how a random answer is judged where its draw order is its own."""
