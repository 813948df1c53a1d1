"""Styles by machine: ways to write a solution that keep its meaning, and whether every one of them keeps full marks."""
