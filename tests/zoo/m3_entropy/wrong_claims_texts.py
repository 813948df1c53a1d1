"""Words for truth values.
points: m3_claims 0
Class: CLAIMS of texts. Fails m3_claims_seven and m3_claims_all.
"""

CLAIMS = {
    "A": 'False',
    "B": 'True',
    "C": 'False',
    "D": 'False',
    "E": 'True',
    "F": 'True',
    "G": 'False',
    "H": 'True',
}
