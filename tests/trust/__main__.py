"""Write docs/trust.md from page.md and from what was counted: its tables, and a figure of each kill matrix.

    mkdir -p docs/trust
    ./course zoo --json > docs/trust/zoo.jsonl
    .venv/bin/python -m tests.mutants --json > docs/trust/mutants.jsonl
    .venv/bin/python -m tests.styles --json > docs/trust/styles.jsonl
    .venv/bin/python -m tests.chance --write docs/trust/chance.json
    .venv/bin/python -m tests.trust

The zoo takes ten minutes on two cores, the chances take hours.
"""

from __future__ import annotations

from pathlib import Path

from grading.files import replace_file
from tests.trust.figures import draw_matrix
from tests.trust.records import FOLDER, read_records
from tests.trust.tables import filled


def main() -> None:
    """Write the page and the figures. Raises OSError where something has not been counted."""
    records = read_records()
    page = (Path(__file__).parent / "page.md").read_text()
    replace_file(FOLDER.parent / "trust.md", filled(page, records).encode())
    for name, one in records.zoo.items():
        draw_matrix(one, FOLDER / f"kills_{name}.png")


if __name__ == "__main__":
    main()
