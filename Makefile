# The targets that users type. CMake does the work; this file checks that the tools are installed and calls it.

BUILD       ?= build
CMAKE_FLAGS ?=
JOBS        ?= $(shell nproc 2>/dev/null || echo 2)

# real robots for `make agree`: folders, separated by colons
MODELS      ?= $(subst $(space),:,$(strip $(wildcard ../shared/models \
                   $(BUILD)/venv/lib/python3*/site-packages/cmeel.prefix/share/example-robot-data/robots)))
space       := $(subst ,, )
SECONDS     ?= 60
SEED        ?= 1
COUNT       ?= 200
POSTURES    ?= 3

.PHONY: agree cuda-bench cuda-test cuda-wheel generated bench-generated microcontroller drop bench-contact mutate build run test bench bench-control python octave distributed packages windows viewer mpc mpc-ticks check format docs install clean help
.DEFAULT_GOAL := build

## build    compile the libraries and the command (build/hamel)
build: $(BUILD)/.deps-build
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) > $(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) --target hamel_command

## run      show what the library does: a robot, its A and B, its eigenvalues; then exact against finite differences
run: build
	@echo "hamel view quadruped --state examples/states/quadruped_crouch.json --out $(BUILD)/quadruped.html" && \
	    $(BUILD)/hamel view quadruped --state examples/states/quadruped_crouch.json --out $(BUILD)/quadruped.html
	@echo && echo "hamel linearize quadruped --state examples/states/quadruped_crouch.json --picture $(BUILD)/quadruped-A.svg" && \
	    $(BUILD)/hamel linearize quadruped --state examples/states/quadruped_crouch.json --picture $(BUILD)/quadruped-A.svg
	@echo && echo "hamel validate --study $(BUILD)/study" && $(BUILD)/hamel validate --study $(BUILD)/study
	@echo && echo "Look at these in a browser:" && \
	    echo "  $(abspath $(BUILD))/quadruped.html   the robot" && \
	    echo "  $(abspath $(BUILD))/quadruped-A.svg  its A and B" && \
	    echo "  $(abspath $(BUILD))/study.svg        the error of finite differences"
	@echo && echo "More: $(BUILD)/hamel --help"

## test     run every test
test: build
	@cmake --build $(BUILD) -j $(JOBS)
	@scripts/test.sh $(BUILD) -j $(JOBS)

## agree    compare every way to compute the same thing, on random and real robots (SECONDS=60 SEED=1 MODELS=folder:folder)
agree: build
	@cmake --build $(BUILD) -j $(JOBS) --target agree
	@$(BUILD)/tests/agree/agree --seconds $(SECONDS) --seed $(SEED) $(if $(MODELS),--files $(MODELS))
	@if $(BUILD)/venv/bin/python -c 'import hamel' 2>/dev/null; then \
	    $(BUILD)/venv/bin/python tests/agree/compare.py $(BUILD)/tests/agree/agree --seed $(SEED) $(if $(MODELS),--files $(MODELS)); fi

## generated generate, compile and compare C source of all built-in robots and of many random ones, with gcc and clang
generated: build
	@cmake --build $(BUILD) -j $(JOBS) --target test_generate
	@for cc in gcc clang; do echo "$$cc" && CC=$$cc $(BUILD)/tests/test_generate long || exit 1; done

## mpc      trot for a minute under pushes, on the level and uphill; the replay is build/trot.html
mpc: $(BUILD)/.deps-build
	@cmake -S . -B $(BUILD)/mpc -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF > $(BUILD)/mpc.log || { cat $(BUILD)/mpc.log; exit 1; }
	@cmake --build $(BUILD)/mpc -j $(JOBS) --target example_09_trotting_quadruped
	@$(BUILD)/mpc/examples/09_trotting_quadruped 60 0 120 $(BUILD)/trot.html
	@$(BUILD)/mpc/examples/09_trotting_quadruped 60 10 80

## mpc-ticks  a hundred thousand ticks of that controller, while no memory can be allocated
mpc-ticks: build
	@cmake --build $(BUILD) -j $(JOBS) --target trot_ticks
	@$(BUILD)/tests/trot_ticks

## drop     drop every robot on the ground, limp and held, with three sizes of step, beside MuJoCo if build/venv has it;
##          goes on where it was stopped if OUT=file is given (POSTURES=3 MODELS=folder:folder OUT=)
drop: build
	@cmake --build $(BUILD) -j $(JOBS) --target drop_contact
	@scripts/drop.py $(BUILD)/tests/drop_contact --postures $(POSTURES) --jobs $(JOBS) $(if $(MODELS),--files $(MODELS)) \
	    $(if $(OUT),--out $(OUT) --resume) $(if $(wildcard $(BUILD)/venv/lib/python3*/site-packages/mujoco),--mujoco $(BUILD)/venv/bin/python)

## bench-contact  microseconds per step of contact, standing and walking, beside MuJoCo (FILES="robot.urdf …")
bench-contact: build
	@cmake --build $(BUILD) -j $(JOBS) --target drop_contact
	@scripts/peer-venv.sh $(BUILD)/venv
	@scripts/contact-speed.py $(BUILD)/tests/drop_contact $(BUILD)/venv/bin/python \
	    $(or $(FILES),$(wildcard ../shared/models/*.urdf))

## mutate   break the sources in COUNT=200 places, one at a time (SEED=1), and count what the tests notice
mutate: $(BUILD)/.deps-build
	@python3 scripts/mutate.py --fixed --build $(BUILD)/mutate
	@python3 scripts/mutate.py --count $(COUNT) --seed $(SEED) --jobs $(JOBS) --build $(BUILD)/mutate

## bench    measure nanoseconds per call, beside Pinocchio and Sophus if their Python packages are available
bench: build $(BUILD)/.deps-bench
	@$(BUILD)/hamel bench
	@scripts/bench.sh $(BUILD) $(JOBS)

## bench-control  optimal control beside Crocoddyl, into build/bench-control.json
bench-control: $(BUILD)/.deps-python
	@scripts/bench-control.sh $(BUILD) $(JOBS)

## cuda-test   libhamel-cuda on a GPU, beside the CPU, and under compute-sanitizer if that is there (needs nvcc and a GPU)
cuda-test:
	@scripts/cuda.sh test $(BUILD)/cuda $(JOBS)

## cuda-wheel  the wheel hamel-cuda, made without a GPU, and tried beside the wheel of `make python` (ARCHITECTURES=90 for one kind of GPU)
cuda-wheel:
	@scripts/wheel-cuda.sh $(BUILD)/wheel-cuda $(wildcard build/python/wheel/hamel-*.whl) "$(ARCHITECTURES)"

## cuda-bench  linearizations per second on a GPU, into build/bench-gpu.json (MODELS=folder:folder)
cuda-bench:
	@scripts/cuda.sh bench $(BUILD)/cuda $(JOBS) $(BUILD)/bench-gpu.json $(subst :, ,$(MODELS))

## microcontroller  generated robots on a Cortex-M4F and a Cortex-M7, in QEMU: results, instructions, flash, stack
microcontroller: build
	@examples/microcontroller/run.sh $(BUILD)

## bench-generated  measure generated code beside the library's kernels: build/bench-generated.json
bench-generated: build
	@bench/generated/generated.sh $(BUILD)

## python   build the Python package and test it, also against the programs it is compared with
python: $(BUILD)/.deps-python
	@scripts/python.sh $(BUILD)/venv $(JOBS)

## octave   compile the MEX gateway of matlab/ with Octave and test it
octave: build
	@scripts/octave.sh $(BUILD)

## packages make the Debian package, the source archive and the wheel, and try them (DEBIANS=folder for bare Debians, SUITE=trixie)
packages: build
	@scripts/packages.sh $(BUILD) "$(DEBIANS)" $(SUITE)

## windows  compile for Windows with mingw-w64, and run the unit tests and the command under wine
windows: build
	@scripts/windows.sh $(BUILD) $(JOBS)

## distributed  test hamel.distributed on Ray, Dask and MPI (HAMEL_STATES=20000)
distributed: build $(BUILD)/.deps-distributed
	@scripts/distributed.sh $(BUILD) $(BUILD)/venv-distributed $(JOBS)

## viewer   make viewer/dist/viewer.html, the page of `hamel view`, from viewer/src (needs npm)
viewer: $(BUILD)/.deps-viewer
	@scripts/viewer.sh --build

## check    formatting, layers, static analysis, links in the documents, and the tests under sanitizers
check: $(BUILD)/.deps-check
	scripts/format.sh --check
	scripts/check-docs.sh
	scripts/check-layers.sh
	scripts/lint.sh $(BUILD)/lint $(JOBS)
	scripts/sanitize.sh address,undefined $(BUILD)/sanitize $(JOBS)

## format   format the sources as .clang-format says
format: $(BUILD)/.deps-check
	scripts/format.sh

## docs     make the site, run its tutorials, and make the references of C and Python: build/docs/html/index.html
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

# install-deps.sh runs once per kind of task; as root on a Debian it installs what is missing
$(BUILD)/.deps-%: scripts/install-deps.sh
	@mkdir -p $(BUILD)
	@scripts/install-deps.sh $*
	@touch $@
