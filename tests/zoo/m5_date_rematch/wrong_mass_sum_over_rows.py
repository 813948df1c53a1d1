"""The sum over the four rows.
points: year_region_mass 0
Fails year_mass_equal_lengths.
"""

def year_region_mass(weights, lengths):
    total = 0.0
    for row, length in zip(weights, lengths.tolist()):
        total += row[:4, length - 4 : length].sum().item()
    return total / len(lengths)
