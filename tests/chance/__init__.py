"""The grader's errors by chance: how often a check fails a right answer, or passes a wrong one, by what it draws."""
