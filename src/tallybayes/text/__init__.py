"""Strings to terms: Unicode tables, analyzers, n-grams."""
