"""`./course new`: the files of an assignment that builds, is tested and can be scored at once, to be written over."""
