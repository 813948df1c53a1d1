"""The files that run beside student code: they know no assignment, and nothing here is secret."""
