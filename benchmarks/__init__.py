"""Speed and memory beside other libraries, as ratios; see README.md here."""
