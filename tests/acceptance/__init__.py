"""What a user may rely on, through the public API alone."""
