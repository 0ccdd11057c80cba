"""Who folds the tallies over the data: threads here."""
