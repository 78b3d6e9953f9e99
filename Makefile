# The words one types. Everything behind them is CMake; this file only finds what it needs and calls it.

BUILD       ?= build
CMAKE_FLAGS ?=
JOBS        ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: build run test bench python check format docs install clean help
.DEFAULT_GOAL := build

## build    compile the libraries and the command (build/hamel)
build: $(BUILD)/.deps-build
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) > $(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) --target hamel_command

## run      show what the library does, on the spot
run: build
	@echo "hamel linearize robots/pendulum.json" && $(BUILD)/hamel linearize robots/pendulum.json
	@echo && echo "hamel linearize --state examples/states/nine.json --spy --picture $(BUILD)/linearize.svg" && \
	    $(BUILD)/hamel linearize --state examples/states/nine.json --spy --picture $(BUILD)/linearize.svg
	@echo && echo "hamel validate --study $(BUILD)/study" && $(BUILD)/hamel validate --study $(BUILD)/study
	@echo && echo "More: $(BUILD)/hamel --help"

## test     run every test
test: build
	@cmake --build $(BUILD) -j $(JOBS)
	@scripts/test.sh $(BUILD) -j $(JOBS)

## bench    measure: nanoseconds a call, next to Pinocchio's and Sophus' from their Python packages where those can be had
bench: build $(BUILD)/.deps-bench
	@$(BUILD)/hamel bench
	@scripts/bench.sh $(BUILD) $(JOBS)

## python   build the Python package and test it, beside the programs it is compared with
python: $(BUILD)/.deps-python
	@scripts/python.sh $(BUILD)/venv $(JOBS)

## check    formatting, static analysis, links in the documents, and the tests under sanitizers
check: $(BUILD)/.deps-check
	scripts/format.sh --check
	scripts/check-docs.sh
	scripts/lint.sh $(BUILD)/clang $(JOBS)
	scripts/sanitize.sh address,undefined $(BUILD)/sanitize $(JOBS)

## format   lay out the sources as .clang-format says
format: $(BUILD)/.deps-check
	scripts/format.sh

## docs     make the site, with the tutorials run and the references of C and Python: build/docs/html/index.html
docs: $(BUILD)/.deps-site
	scripts/docs.sh --site --run $(BUILD)/docs $(BUILD)/venv-docs

## install  install headers, libraries and the command (PREFIX=/usr/local)
install: build
	cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

## clean    remove the build folder
clean:
	rm -rf $(BUILD)

## help     this list
help:
	@sed -n 's/^## /  make /p' Makefile

# what is needed is looked up once; on a Debian, as root, what is missing is installed
$(BUILD)/.deps-%: scripts/install-deps.sh
	@mkdir -p $(BUILD)
	@scripts/install-deps.sh $*
	@touch $@
