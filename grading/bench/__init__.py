"""What scoring costs, beside stock nbgrader on the same machine in the same run."""
