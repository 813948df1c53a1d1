"""The machine that builds, runs and scores the course's assignments; it knows none of them."""
