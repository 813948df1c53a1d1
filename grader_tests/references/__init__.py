"""Right answers that the checks compare with, and the wrong ones that students are known to give."""
