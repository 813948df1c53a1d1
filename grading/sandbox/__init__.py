"""Where student code runs: a warm parent, a child for each submission, limits, and a pipe to ask questions through."""
