"""Distributions of columns within a class, p(x_j | c)."""
