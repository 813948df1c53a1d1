"""All answers once more in one dict of their own, in the last cell, with numbers as keys.
points: all
"""
answer = {int(slot[1:]): given for slot, given in answer.items()}
