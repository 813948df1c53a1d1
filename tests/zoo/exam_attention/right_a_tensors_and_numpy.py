"""Numbers from torch and numpy, within the tolerance that the question states.
points: all
"""
import numpy as np

answer["A9"] = torch.tensor(answer["A9"])
answer["A10"] = np.int64(answer["A10"])
answer["A11"] = np.array([answer["A11"]])
answer["A14"] = {int(row): torch.Size(e) if isinstance(e, tuple) else np.float64(e) for row, e in answer["A14"].items()}
