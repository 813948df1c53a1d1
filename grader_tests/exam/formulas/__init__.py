"""What the numbers of the pool's questions are computed by: functions of a question's numbers, named `module.function` there."""
