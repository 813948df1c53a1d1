"""All rows.
points: year_region_mass 0
Fails year_mass_equal_lengths, year_mass_unequal_lengths.
"""

def year_region_mass(weights, lengths):
    total = 0.0
    for row, length in zip(weights, lengths.tolist()):
        total += row[:, length - 4 : length].sum().item() / len(row)
    return total / len(lengths)
