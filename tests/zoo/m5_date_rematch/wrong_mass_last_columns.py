"""The last four columns of the rectangle.
points: year_region_mass 0.5
Fails year_mass_unequal_lengths.
"""

def year_region_mass(weights, lengths):
    return weights[:, :4, -4:].sum(2).mean().item()
