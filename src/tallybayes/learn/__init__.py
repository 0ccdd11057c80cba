"""Plans of learning: how the data are scanned, what is kept, and how a model is asked."""
