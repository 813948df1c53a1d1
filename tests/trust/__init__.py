"""The figures of docs/trust.md: counted by commands, kept as JSON in docs/trust/, and put into the page from there."""
