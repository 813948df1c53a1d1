"""What the checks of several assignments share: fresh inputs, and rules that hold for every function."""
