# Every target sets up its own virtual environment; nothing but Python 3.11+ is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo docs test check bench fuzz kill supply clean
.DEFAULT_GOAL := test

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $(READY)

demo: $(READY)  ## build every dataset from the miniature world and score the baselines
	$(BIN)/diptych demo --out demo-out

docs: $(READY)  ## the documentation site, in site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

test: $(READY)  ## the whole test suite; SELECT='-m slow' runs a part of it
	$(BIN)/python -m pytest -n auto $(SELECT)

check: $(READY)  ## lint, types, doctests, and the quick tests with coverage
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto -m "not slow" --doctest-modules diptych tests \
		--cov --cov-report=term --cov-fail-under=90

bench: $(READY)  ## measures every claim and writes benchmarks/RESULTS.md with its plots; ONLY='lasso kb' runs some
	$(BIN)/python benchmarks/run.py $(ONLY)

fuzz: $(READY)  ## thousands of mutated files through every reader; DIPTYCH_FUZZ_COUNT and DIPTYCH_FUZZ_SEED say which
	$(BIN)/python -m tests.robustness.fuzz

kill: $(READY)  ## builds that are killed at random instants and run again; DIPTYCH_KILL_ROUNDS and DIPTYCH_KILL_SEED say which
	$(BIN)/python -m tests.robustness.kill

supply:  ## bounds, interpreters, distributions, extras and vulnerabilities, in new environments; STEPS and SCRATCH say which and where
	$(PYTHON) scripts/check_supply.py $(STEPS) $(if $(SCRATCH),--scratch $(SCRATCH))

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .coverage site
