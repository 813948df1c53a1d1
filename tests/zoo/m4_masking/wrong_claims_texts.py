"""Words for truth values.
points: m4_claims 0
Class: CLAIMS of texts. Fails m4_claims_seven and m4_claims_all.
"""

CLAIMS = {
    "A": 'False',
    "B": 'False',
    "C": 'True',
    "D": 'False',
    "E": 'False',
    "F": 'True',
    "G": 'True',
    "H": 'True',
}
