#!/bin/sh
# Generated code beside the library's kernels, one row per robot: BUILD/bench-generated.json. Pinocchio's time is that of
# BUILD/bench.json, if that file is there. The rows are those of the compiler CC; COMPILERS names more of them, whose tables are
# printed as well. A name that ends in _realigned is generated with --realign and compared with the robot as it is.
# Usage: generated.sh BUILD [NAME,free|fixed,FILE...]
set -eu

cd "$(dirname "$0")/../.."
build=$(realpath "$1")
shift
[ $# -gt 0 ] || {
    set --
    for name in quadruped drone_arm nine humanoid arm7; do
        base=free
        [ $name != arm7 ] || base=fixed
        set -- "$@" "$name,$base,robots/$name.json"
    done
    for name in solo12,free a1,free anymal_b,free hyq,free ur5,fixed panda,fixed simple_humanoid,free icub_reduced,free; do
        file=../shared/models/${name%,*}.urdf
        [ ! -f "$file" ] || set -- "$@" "$name,$file"
        [ $name != hyq,free ] || [ ! -f "$file" ] || set -- "$@" "hyq_realigned,free,$file"
    done
}

folder=$build/bench-generated
mkdir -p "$folder"
cmake -S . -B "$build/bench" -G Ninja -DBUILD_TESTING=OFF -DHAMEL_EXAMPLES=OFF -DHAMEL_CLI=OFF -DHAMEL_BENCH=ON > "$folder/configure.log"
cmake --build "$build/bench" --target generated_bench >> "$folder/configure.log"
rm -f "$folder"/rows* "$build/bench-generated.json" # a failure must not leave earlier numbers behind

measure_all() { # COMPILER OUT.json [ROBOT...]
    compiler=$1 out=$2
    shift 2
    : >"$folder/rows"
    for robot in "$@"; do
        name=${robot%%,*} rest=${robot#*,}
        base=${rest%%,*} file=${rest#*,}
        realign=""
        case $name in *_realigned) realign=--realign ;; esac
        # shellcheck disable=SC2086
        "$build/hamel" generate "$file" --base "$base" --out "$folder/$name.c" --functions linearize --batch --target native --quiet $realign
        "$compiler" -std=c11 -O3 -march=native -ffp-contract=fast -fPIC -shared "$folder/$name.c" -lm -o "$folder/$name.so"
        bytes=$(size "$folder/$name.so" | awk 'NR == 2 { print $1 }')
        # not in a pipe, whose status would be that of sed
        "$build/bench/generated_bench" "$name" "$name" "$folder/$name.so" "$file" "$base" >"$folder/$name.row"
        sed "s/}\$/, \"code_bytes\": $bytes}/" "$folder/$name.row" >>"$folder/rows"
    done
    python3 bench/generated/report.py "$folder/rows" "$build/bench.json" "$out"
}

measure_all "${CC:-cc}" "$build/bench-generated.json" "$@"
for other in ${COMPILERS-clang}; do
    command -v "$other" >/dev/null || continue
    echo && echo "$other"
    measure_all "$other" "$folder/$other.json" "$@"
done
