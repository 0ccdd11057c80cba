"""Laws that every tally and every estimator keeps."""
