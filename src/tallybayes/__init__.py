"""Generative Bayesian classification, trained by counting."""
