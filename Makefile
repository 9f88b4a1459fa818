.DEFAULT_GOAL := help
PYTHON ?= python3
SUBMISSIONS ?= tests/sample_class
OUT ?= graded
DEMO ?= demo
SECONDS ?= 600
SEQUENCES ?= 60
COMMANDS ?= 60
BIN := .venv/bin
export TORCH_INDEX
# The bundled class is the kit's own code and runs at any level of protection.
UNSAFE := $(if $(filter tests/sample_class,$(SUBMISSIONS)),--unsafe)

.PHONY: help setup grade test fuzz sequences mutants check lint types course pairs sample audit bench reference verify \
	assignments release gradescope screenshots demo

help:  ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

# Each stamp is younger than what it was installed from, so a fresh clone and a changed pin both install.
# TORCH_INDEX=URL names an index of PyTorch builds.
.venv/kit: pyproject.toml constraints.txt
	@$(PYTHON) install.py
	@touch $@

.venv/dev: .venv/kit
	@$(PYTHON) install.py --dev
	@touch $@

setup: .venv/dev  ## Create .venv for grading and development; install bubblewrap (sandbox) and Chromium (page tests)
	@missing="$$(command -v bwrap >/dev/null || echo bubblewrap) $$(command -v chromium >/dev/null || echo chromium)"; \
	if [ "$$missing" = " " ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing; \
	else echo "note: for the strongest protection (bubblewrap) and the tests of pages (chromium):" \
	  "sudo apt-get install $$missing"; fi
	$(BIN)/autograder doctor

grade: .venv/kit  ## Grade a folder (default: the sample class): make grade SUBMISSIONS=dir OUT=dir
	$(BIN)/autograder grade $(SUBMISSIONS) --out $(OUT) $(UNSAFE)

# A process more than cores, for some tests wait. Compiled test files are kept: collecting takes half as long.
test: .venv/dev  ## Run the kit's own tests, in parallel: make test [WHOLE=1]
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n $$(($$($(BIN)/python -c 'import os; print(os.cpu_count())') + 1)) \
	  --dist loadgroup --no-loadscope-reorder $(if $(WHOLE),--whole)

fuzz: .venv/dev  ## Fuzz the grader with random files, replies and answers: make fuzz [SECONDS=600 SEED=1]
	AUTOGRADER_FUZZ_SECONDS=$(SECONDS) AUTOGRADER_FUZZ_SEED=$(SEED) $(BIN)/python -m pytest -n auto -q \
	  tests/intake/test_fuzz_reading.py tests/sandbox/test_replies.py tests/solutions/whole/test_any_answer.py

sequences: .venv/dev  ## Try sequences of commands on a class against a model: make sequences [SEQUENCES=60 COMMANDS=60 SEED=1]
	AUTOGRADER_SEQUENCES=$(SEQUENCES) AUTOGRADER_COMMANDS=$(COMMANDS) AUTOGRADER_SEQUENCES_SEED=$(SEED) $(BIN)/python -m pytest \
	  --whole -q tests/cli/whole/test_sequences.py -k long

# These are changes of the engine; `autograder audit --mutants` changes the solutions of homeworks.
mutants: .venv/dev  ## Change the engine step by step, list changes no test notices: make mutants [PACKAGE=policy SAMPLE=40]
	$(BIN)/python -m tests.engine_mutants $(PACKAGE) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED))

# As parts, so that `make --jobs=2 --output-sync check` does two at a time.
check: lint types course pairs  ## Lint, import order, types, generated files; stubs fail, solutions pass; audit of a sample

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo --no-cache

types: .venv/dev
	$(BIN)/mypy

course: .venv/dev
	$(BIN)/autograder check

# A sample: pairs, rewritten forms, odd answers and the corpus's mistaken submissions. `make test WHOLE=1` grades all of the
# mistaken submissions (tests/solutions/whole/test_corpus_labels.py).
pairs: .venv/dev
	$(BIN)/autograder audit --every 8

# Each 20th change of the solutions: do checks notice it? The capstone trains for each.
sample: .venv/dev
	$(BIN)/autograder audit --mutants --every 20 hw1 hw2 hw3 hw4 hw5 hw6 hw7 hw8 hw9 hw10

audit: .venv/kit  ## Prove that every known mistake is caught and named and no right answer fails; print the matrix
	$(BIN)/autograder audit --matrix --json audit.json

reference: .venv/kit  ## Recompute the reference outputs: make reference [ACCEPT=1]
	$(BIN)/autograder reference build $(if $(ACCEPT),--accept)

verify: .venv/kit  ## Recompute the reference outputs; compare them with published values and an independent oracle
	$(BIN)/autograder reference verify

assignments: .venv/dev  ## Generate the students' files from the solutions
	$(BIN)/autograder assignments build

bench: .venv/kit  ## Compare speed with cold pytest, otter and nbgrader: make bench [FULL=1]
	$(BIN)/python -m benchmarks $(if $(FULL),--full)

screenshots: .venv/dev  ## Regenerate the screenshots in docs/pictures
	PYTHONPATH=tests $(BIN)/python -m tests.pages.screenshots docs/pictures

# Also without what development needs: the class, its grading and the pages are the kit's own.
demo: .venv/kit  ## Build a site that shows the kit, for any static host: make demo [DEMO=dir]
	PYTHONPATH=tests $(BIN)/python -m tests.pages.demo $(DEMO)

gradescope: .venv/kit  ## Write the autograder zip for Gradescope: make gradescope HOMEWORK=id
	$(BIN)/autograder gradescope $(if $(HOMEWORK),--homework $(HOMEWORK))

release: .venv/dev  ## Write the zips that students download: make release [OUT=dir]
	$(BIN)/autograder release $(if $(filter-out graded,$(OUT)),--out $(OUT))
