"""Options and fixtures that every test shares."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Printed output must not depend on the terminal that runs the tests.
os.environ["NO_COLOR"] = "1"
os.environ["COLUMNS"] = "100"

settings.register_profile(
    "quick", max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", settings.get_profile("quick"), max_examples=20_000)
settings.load_profile(os.environ.get("SELFMAINT_PROFILE", "quick"))

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite golden files with what the tests produce; read the diff afterwards",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Return a function that compares text with a golden file, or rewrites the file."""

    def check(path: Path, actual: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        assert actual == expected, f"{path} differs; read the diff before --update-golden"

    return check
