"""Why a model answers as it does, and what is in it."""
