PYTHON ?= python3
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test test-long check bench

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/pip install -q -e '.[dev]'
	touch $@

demo: $(READY)  ## Plan the example mart
	.venv/bin/selfmaint plan examples/retail

test: $(READY)  ## Run all tests but the long ones
	.venv/bin/pytest -n 2 -q

test-long: $(READY)  ## Run the property tests on many more marts
	SELFMAINT_PROFILE=long .venv/bin/pytest tests/property -n 2 -q

check: $(READY)  ## Lint, check the format and the types
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy

bench: $(READY)  ## Measure how long planning takes
	.venv/bin/python tests/benchmarks/bench_planner.py
