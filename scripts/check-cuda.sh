#!/bin/sh
# Compiles the kernels of the GPU with nvcc, which needs no GPU, and compares what they need with tests/cuda/registers.txt:
# registers, and bytes that do not fit them. Then they are linked with device.cu, and tests/cuda/no_driver.c sees that a GPU that is not
# there has a status and a sentence. nvcc comes from PyPI, into BUILD/nvcc (370 MB); where it cannot be had, the
# check is skipped, and says so. Usage: check-cuda.sh [BUILD]
set -eu

cd "$(dirname "$0")/.."
build=${1:-build}
venv=$build/nvcc
mkdir -p "$build"
if ! cmp -s tests/cuda/requirements.txt "$venv/requirements.txt"; then
    if [ "$(uname -m)" != x86_64 ] || ! python3 -m venv --clear "$venv" ||
        ! "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement tests/cuda/requirements.txt; then
        echo "skipped: nvcc cannot be had from PyPI"
        exit 0
    fi
    cp tests/cuda/requirements.txt "$venv/requirements.txt"
fi
nvcc=$(find "$venv" -name nvcc -type f | head -n 1)

# compile SOURCE NUMBER: its report, in BUILD/nvcc/SOURCE-NUMBER.log
compile()
{
    "$nvcc" -std=c++17 -O3 -arch=sm_90 "-DHML_NUM_$2" -Iinclude -Isrc -Xptxas -v -c -o "$venv/$1-$2.o" \
        "src/cuda/$1.cu" >"$venv/$1-$2.log" 2>&1
}

(compile kernel F64) &
first=$!
(compile kernel F32 && compile motion F32 && compile motion F64) &
second=$!
wait $first && wait $second || { cat "$venv"/*.log && exit 1; }

for number in F32 F64; do
    # "_Z15linearize_limbsILi3ELi4ELi4EEv9cuda_call" is linearize_limbs<3,4,4>; the numbers of an entry follow its name
    cat "$venv/kernel-$number.log" "$venv/motion-$number.log" | awk -v type="$(echo $number | tr F f)" '
        /Compiling entry function/ {
            name = $0
            sub(/.*function .(_Z[0-9]+)?/, "", name)
            arguments = ""
            if (match(name, /I(Li[0-9]+E)+E/)) {
                arguments = substr(name, RSTART + 1, RLENGTH - 2)
                name = substr(name, 1, RSTART - 1)
                gsub(/Li/, "", arguments)
                gsub(/E/, ",", arguments)
                sub(/,$/, "", arguments)
                name = name "<" arguments ">"
            } else {
                sub(/[0-9]+cuda_[a-z]+.*/, "", name)
            }
            spill = 0
            open = 1
        }
        open && /bytes spill stores/ { spill = $0; sub(/.*frame, /, "", spill); sub(/ bytes.*/, "", spill) }
        open && /Used [0-9]+ registers/ {
            registers = $0
            sub(/.*Used /, "", registers)
            sub(/ registers.*/, "", registers)
            print type, name, registers, spill
            open = 0
        }'
done >"$venv/found.txt"

awk '
    FNR == NR { if (!/^#/) { registers[$1 " " $2] = $3; spill[$1 " " $2] = $4 } next }
    {
        kernel = $1 " " $2
        seen[kernel] = 1
        if (!(kernel in registers)) print kernel ": is not in tests/cuda/registers.txt"
        else if ($3 + 0 > registers[kernel] + 0 || $4 + 0 > spill[kernel] + 0)
            print kernel ": needs " $3 " registers and spills " $4 " bytes; " registers[kernel] " and " spill[kernel] " are allowed"
        else next
        faults++
    }
    END {
        for (kernel in registers) {
            if (!(kernel in seen)) { print kernel ": was not compiled"; faults++ }
        }
        exit faults != 0
    }' tests/cuda/registers.txt "$venv/found.txt"
echo "$(grep -c . "$venv/found.txt") kernels within their registers"

"$nvcc" -std=c++17 -arch=sm_90 -Iinclude -Isrc -c -o "$venv/device.o" src/cuda/device.cu
cc -std=c11 -Iinclude -Isrc -c -o "$venv/no_driver.o" tests/cuda/no_driver.c
runtime=$(find "$venv" -name libcudart_static.a | head -n 1)
c++ -o "$venv/no_driver" "$venv"/*.o "$runtime" -lpthread -ldl -lrt
"$venv/no_driver"
