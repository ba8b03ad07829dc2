# Everything here sets itself up: a bare machine needs Python 3.11 or newer (with venv) and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
AZURITE := $(VENV)/azurite/.installed

# Two to a core: tests of screens and of services wait more than they compute (a third of a core each, measured).
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))' 2>/dev/null || echo auto)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test conformance check bench picture setup clean

help: ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

setup: $(STAMP) ## the virtual environment, with everything that runs and tests the console

# The stamp is written last: a set-up that failed half way is made again, on the environment that is there. A success says nothing
# but what it does; of a failure pip's own words are seen.
$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON): kumoss-console needs Python 3.11 or newer; say make PYTHON=python3.x" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "This is Python %d.%d: kumoss-console needs 3.11 or newer; say make PYTHON=python3.x" % sys.version_info[:2])'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "This Python cannot make virtual environments: install its venv package (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@rm -f $@
	@echo "Setting up $(VENV): half a gigabyte of packages, about half a minute on a good line"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,local]'
	@$(MAKE) --no-print-directory $(AZURITE)
	@touch $@

# The emulator of Azure Blob Storage, for tests alone: they are skipped, and say so, where there is no npm or it cannot install.
$(AZURITE): tests/azurite.package.json
	@mkdir -p $(@D) && cp $< $(@D)/package.json
	@if command -v npm >/dev/null; then \
	  npm install --prefix $(@D) --omit=dev --no-package-lock --no-audit --no-fund --loglevel=error --fetch-retries=1 \
	    --fetch-timeout=60000 >$(@D)/npm.log 2>&1 || echo "npm could not install Azurite: tests on it are skipped (see $(@D)/npm.log)"; \
	fi
	@touch $@

demo: $(STAMP) ## the console on a local stack: a real object store, the bundled sidecar, a real engine
	$(BIN)/kumoss-console demo $(ARGS)

test: $(STAMP) $(AZURITE) ## every test, on real parts where they can run
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

conformance: $(STAMP) ## thousands of generated requests at the bundled sidecar, or ARGS="--service-url=URL --service-token=..."
	$(BIN)/python -m pytest tests/conformance --cases 5000 $(ARGS)

check: $(STAMP) ## lint, types, and the direction of the imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP) ## figures, side by side
	$(BIN)/python -m tests.bench $(ARGS)

picture: $(STAMP) ## the picture in the README, from the world of the tests
	$(BIN)/python -m tests.screens.readme_picture docs/console.svg

clean: ## forget the virtual environment and all caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
