"""The same questions asked of scikit-learn and of tallybayes."""
