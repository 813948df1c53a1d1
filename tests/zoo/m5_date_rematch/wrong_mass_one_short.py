"""The last real position is left out.
points: year_region_mass 0
Fails year_mass_equal_lengths.
"""

def year_region_mass(weights, lengths):
    total = 0.0
    for row, length in zip(weights, lengths.tolist()):
        total += row[:4, length - 5 : length - 1].sum().item() / 4
    return total / len(lengths)
