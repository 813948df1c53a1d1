"""The exam: its pool of questions, the paper drawn for a student, and the checks bound to that paper."""
