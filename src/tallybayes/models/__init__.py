"""Joint distributions p(x, c), and the one score that is none."""
