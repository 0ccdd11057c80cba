"""What the columns mean: kinds, how they are inferred and overridden, and batches encoded by them."""
