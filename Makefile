.DEFAULT_GOAL := help
PYTHON ?= python3
SUBMISSIONS ?= tests/sample_class
OUT ?= graded
SECONDS ?= 600
BIN := .venv/bin
# The bundled class is the kit's own code and runs at any level of protection.
UNSAFE := $(if $(filter tests/sample_class,$(SUBMISSIONS)),--unsafe)

.PHONY: help setup grade test fuzz check lint types course pairs audit bench reference verify assignments release \
	gradescope screenshots

help:  ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

# Each stamp is younger than what it was installed from, so a fresh clone and a changed pin both install.
.venv/kit: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: Python 3.11 or newer is needed; name it: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@$(BIN)/python -m compileall -q -x templates autograder  # every command starts sooner, also the first
	@touch $@

.venv/dev: .venv/kit
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,notebooks]'
	@touch $@

setup: .venv/dev  ## Create .venv with everything for grading and development; the wall's tool, a browser for tests
	@missing="$$(command -v bwrap >/dev/null || echo bubblewrap) $$(command -v chromium >/dev/null || echo chromium)"; \
	if [ "$$missing" = " " ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing; \
	else echo "note: for the strongest protection (bubblewrap) and the tests of pages (chromium):" \
	  "sudo apt-get install $$missing"; fi
	$(BIN)/autograder doctor

grade: .venv/kit  ## Grade a folder: make grade SUBMISSIONS=dir OUT=dir (default: the sample class)
	$(BIN)/autograder grade $(SUBMISSIONS) --out $(OUT) $(UNSAFE)

# A process more than cores, for some tests wait. Compiled test files are kept: collecting takes half as long.
test: .venv/dev  ## Run the kit's own tests, in parallel: make test [WHOLE=1]
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n $$(($$($(BIN)/python -c 'import os; print(os.cpu_count())') + 1)) \
	  --dist loadgroup --no-loadscope-reorder $(if $(WHOLE),--whole)

fuzz: .venv/dev  ## Feed arbitrary files, replies and answers to the side that grades: make fuzz [SECONDS=600 SEED=1]
	AUTOGRADER_FUZZ_SECONDS=$(SECONDS) AUTOGRADER_FUZZ_SEED=$(SEED) $(BIN)/python -m pytest -n auto -q \
	  tests/intake/test_fuzz_reading.py tests/sandbox/test_replies.py tests/solutions/whole/test_any_answer.py

# As parts, so that `make --jobs=2 --output-sync check` does two at a time.
check: lint types course pairs  ## Lint, order of imports, types, generated files in sync, stubs fail, solutions pass, the audit with some of the pairs

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo --no-cache

types: .venv/dev
	$(BIN)/mypy

course: .venv/dev
	$(BIN)/autograder check

pairs: .venv/dev
	$(BIN)/autograder audit --every 8

audit: .venv/kit  ## Every known mistake is caught and named, no right answer fails; prints the matrix
	$(BIN)/autograder audit --matrix --json audit.json

reference: .venv/kit  ## Compute the reference outputs anew: make reference [ACCEPT=1]
	$(BIN)/autograder reference build $(if $(ACCEPT),--accept)

verify: .venv/kit  ## Recompute the reference outputs; hold them against published values and an oracle
	$(BIN)/autograder reference verify

assignments: .venv/dev  ## Write the students' files from the solutions
	$(BIN)/autograder assignments build

bench: .venv/kit  ## Compare speed with cold pytest, otter and nbgrader: make bench [FULL=1]
	$(BIN)/python -m benchmarks $(if $(FULL),--full)

screenshots: .venv/dev  ## Take the pictures of docs/pictures anew
	$(BIN)/python -m tests.pages.screenshots docs/pictures

gradescope: .venv/kit  ## Write the autograder zip for Gradescope: make gradescope HOMEWORK=id
	$(BIN)/autograder gradescope $(if $(HOMEWORK),--homework $(HOMEWORK))

release: .venv/dev  ## Write the zips that students download: make release [OUT=dir]
	$(BIN)/autograder release $(if $(filter-out graded,$(OUT)),--out $(OUT))
