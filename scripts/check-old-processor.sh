#!/bin/sh
# Runs the command, and the tests of everything that depends on the instruction set, on an emulated Nehalem of 2008, a
# processor without AVX. Ends with one line, "N passed, N failed". Usage: check-old-processor.sh BUILD
set -u

build=$1
cd "$(dirname "$0")/.." || exit 1
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: this processor is not an x86-64"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0

old() { qemu-x86_64 -cpu Nehalem "$@" 2>&1; }

# verdict WHAT STATUS
verdict()
{
    [ "$2" = 0 ] && passed=$((passed + 1)) && return
    failed=$((failed + 1))
    echo "failed: $1"
    cat "$folder/out"
}

# if the emulator accepts AVX instructions, the tests below prove nothing
echo 'int main(void) { __asm__ volatile("vpxor %ymm0, %ymm0, %ymm0"); return 0; }' >"$folder/avx.c"
cc -o "$folder/avx" "$folder/avx.c" && ! old "$folder/avx" >"$folder/out"
verdict "AVX faults on an old processor" $?

for test in isa work dynamics_batch_threads dynamics dynamics_recursive forward_dynamics linearize_api kinematics rotation_batch se3_batch; do
    old "$build/tests/test_$test" >"$folder/out"
    verdict "test_$test" $?
done

# the best instruction set must be packs of two
old "$build/hamel" bench --seconds 0.001 robots/pendulum.json >"$folder/out" &&
    grep -Eq ' linearize +single +x2 ' "$folder/out" && ! grep -Eq ' x[48] ' "$folder/out"
verdict "bench: x2 is the best, every algorithm runs" $?
old "$build/hamel" linearize --isa best robots/humanoid.json >"$folder/out"
verdict "linearize --isa best" $?
! old "$build/hamel" linearize --isa x4 robots/humanoid.json >"$folder/out" && grep -q "not best, or an instruction set" "$folder/out"
verdict "linearize --isa x4 is refused" $?

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
