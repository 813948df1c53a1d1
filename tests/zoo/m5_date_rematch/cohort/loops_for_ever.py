"""Never comes back."""


def year_region_mass(weights, lengths):
    while True:
        pass
