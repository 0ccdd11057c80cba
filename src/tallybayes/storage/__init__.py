"""Models in files: no code in the file, and nothing taken on trust."""
