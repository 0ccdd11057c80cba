"""What is learnt: sums that add, and take out again what was added."""
