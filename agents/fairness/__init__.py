"""Fairness arithmetic: pure functions of arrays. Imports NumPy, SciPy, POT and itself only."""
