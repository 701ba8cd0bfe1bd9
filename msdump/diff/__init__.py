"""Algorithms that compare: they take data and return data, and print nothing."""
