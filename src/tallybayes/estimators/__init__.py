"""The classifiers, with scikit-learn's face."""
