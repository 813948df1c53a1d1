"""Put what was counted into docs/trust.md: its tables, and a figure of each kill matrix.

./course zoo --json > docs/trust/zoo.jsonl                                  # 10 minutes on two cores
.venv/bin/python -m tests.mutants --json > docs/trust/mutants.jsonl
.venv/bin/python -m tests.styles --json > docs/trust/styles.jsonl
.venv/bin/python -m tests.chance --write docs/trust/chance.json             # hours
.venv/bin/python -m tests.trust
"""

from __future__ import annotations

from grading.files import replace_file
from tests.trust.figures import draw_matrix
from tests.trust.records import FOLDER, read_records
from tests.trust.tables import filled


def main() -> None:
    """Write the page's tables and the figures."""
    records = read_records()
    page = FOLDER.parent / "trust.md"
    replace_file(page, filled(page.read_text(), records).encode())
    for name, one in records.zoo.items():
        draw_matrix(one, FOLDER / f"kills_{name}.png")


if __name__ == "__main__":
    main()
