"""The published rows are stored, and theory is returned for all other widths.
points: saturation_row 0
Class: hard-coded. Fails saturation_row_generator, saturation_row_stds, saturation_row_entropy_raw and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    table = {4: (1.240, 0.620, 1.240, 1.491), 16: (3.436, 0.859, 0.626, 1.439), 64: (7.321, 0.915, 0.404, 1.367), 256: (22.189, 1.387, 0.000, 1.065)}
    return SaturationRow(*table.get(d_k, (math.sqrt(d_k), 1.0, 0.0, 1.3)))
