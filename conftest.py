"""Makes `pytest grader_tests` run the checks of each assignment as test items; see grading/pytest_plugin.py."""

from __future__ import annotations

from typing import Any

import pytest

pytest_plugins = ["grading.pytest_plugin"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Where tests run side by side: a module to a worker, save the zoo, which is shared out by test and assignment."""
    from xdist.scheduler import LoadScopeScheduling

    class ByModuleAndAssignment(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            scope: str = super()._split_scope(nodeid)
            if "test_zoo.py" not in nodeid:
                return scope
            test, _, case = nodeid.partition("[")
            return f"{test}[{case.partition('-')[0]}"

    return ByModuleAndAssignment(config, log) if config.getoption("dist") == "loadscope" else None
