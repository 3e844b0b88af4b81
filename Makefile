# Needs Python 3.11 or later with pip; `make demo` and `make test` install the rest from the locks in requirements/.
# PYTHON names another interpreter, VENV another place for the environment, JOBS how many test processes, WORLD the
# file of the world that the audit is measured on.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
WORLD ?= $(CURDIR)/build/world.duckdb
BIN = $(VENV)/bin
SETUP = PYTHON="$(PYTHON)" sh scripts/setup.sh
DEMO = $(BIN)/python scripts/demo.py

.PHONY: help demo test lint format types docs wheel benchmarks bench-audit oracles servers setup check lock clean

help: ## Say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: ## Two studies on real prices, run in the jail; installs what it needs
	@$(SETUP) requirements/demo.txt $(VENV)
	$(DEMO)

test: setup oracles servers ## All tests; installs what it needs, the database servers too where it may
	FINASSAY_ORACLES=$(VENV)-oracles $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

setup: ## The environment with everything in it, from the lock
	@$(SETUP) requirements/dev.txt $(VENV)

oracles:
	@PYTHON="$(PYTHON)" sh scripts/setup_oracles.sh $(VENV)-oracles

servers:
	@sh scripts/install_servers.sh || true

lint: setup ## Style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup ## Put the style right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: setup ## Types of the sources
	$(BIN)/mypy --strict

docs: setup ## The documentation, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir "$(or $(SITE),$(CURDIR)/site)"

wheel: setup ## The wheel, built and used in a clean environment
	@PYTHON="$(PYTHON)" sh scripts/check_wheel.sh $(VENV)

benchmarks: setup ## Measure, and write docs/reference/benchmarks.md
	$(BIN)/python benchmarks/run.py

bench-audit: setup ## The audit on the tuned half of corpus/; fails if a valid program is flagged
	mkdir -p "$(dir $(WORLD))" && test -f "$(WORLD)" || $(BIN)/finassay world build --scale 0.05 --to "duckdb:///$(WORLD)"
	$(BIN)/finassay audit bench corpus --tuned --db "duckdb:///$(WORLD)"

check: lint types docs wheel ## Everything but the tests

# demo.txt takes its versions from dev.txt, so that one environment can hold both
COMPILE = $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes --no-header
lock: ## Renew the locks in requirements/ (UPGRADE=--upgrade for newer versions)
	$(COMPILE) $(UPGRADE) --all-extras --group test --group lint --group docs --group build --output-file requirements/dev.txt
	$(COMPILE) --extra mysql --extra postgres --extra research --extra evals --extra demo --group backend \
	  --constraint requirements/dev.txt --output-file requirements/demo.txt

clean: ## Remove what can be made again
	rm -rf $(VENV) $(VENV)-oracles site dist build demo-out .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
