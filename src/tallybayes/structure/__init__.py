"""Graphs of columns, and learning them from tallies."""
