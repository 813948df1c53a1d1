"""Mutants by machine: every solved answer with one small fault in it, and whether the checks notice."""
