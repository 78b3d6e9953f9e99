#!/bin/sh
# The benchmarks that have peers: group functions, Jacobians, dynamics and linearization. Prints tables; the rows of the
# last one are in BUILD/bench.json. Usage: bench.sh BUILD JOBS [OPTION...]
#   --avx2           dynamics alone, both sides restricted to AVX2: BUILD/bench-avx2.json
#   --instructions   only count: instructions per linearization, by callgrind: BUILD/bench-instructions.json
#   --cores          a batch on one core, two, … all of them: BUILD/bench-cores.json
#   --limit          operations, instructions, time and the core's peak: BUILD/bench-limit.json, for docs/limit.md
#   --docs           write what BUILD has of these files into docs/benchmarks.md, its picture and docs/limit.md; measures nothing
# RUNS (1): how often the dynamics are measured; with more than one run the tables show medians.
# PEER_VENV names a Python environment with the peers' packages; the script makes the default, BUILD/venv, itself.
set -eu

cd "$(dirname "$0")/.."
build=$1 jobs=$2
shift 2
mode=all
for option in "$@"; do
    case $option in
    --avx2 | --instructions | --cores | --limit | --docs) mode=${option#--} ;;
    *) echo "bench.sh: unknown option $option" >&2 && exit 2 ;;
    esac
done

report()
{
    python3 bench/peers/report.py "$@"
}

if [ "$mode" = docs ]; then
    report --page docs/benchmarks.md --picture docs/pictures/bench.svg "$build"
    [ ! -e "$build/bench-limit.json" ] || python3 bench/limit/limit.py --page docs/limit.md "$build/bench-limit.json"
    exit
fi

# ---- build; a peer that is not available is left out ----
mkdir -p "$build/bench"
log=$build/bench.log
venv=${PEER_VENV:-$build/venv}
wanted="pinocchio-wheel pinocchio-native mujoco"
case $mode in
avx2) wanted="pinocchio-haswell" ;;
instructions) wanted="pinocchio-wheel pinocchio-haswell" ;;
cores | limit) wanted="" ;;
esac
[ -z "$wanted" ] || [ -n "${PEER_VENV:-}" ] || scripts/peer-venv.sh "$venv" > "$build/bench-venv.log" 2>&1 ||
    echo "no peers: see $build/bench-venv.log"
venv=$(realpath "$venv")
cxx=$(command -v clang++ || command -v c++)
CXX=$cxx cmake -S . -B "$build/bench" -G Ninja -DBUILD_TESTING=OFF -DHAMEL_EXAMPLES=OFF -DHAMEL_CLI=OFF \
    -DHAMEL_BENCH=ON -DHAMEL_PEER_VENV="$venv" > "$log"
cmake --build "$build/bench" -j "$jobs" >> "$log"
peers=
for peer in $wanted; do
    if cmake --build "$build/bench" -j "$jobs" --target "$peer" >> "$log" 2>&1; then
        peers="$peers --peer $(realpath "$build/bench/$peer.so")"
    else
        echo "no $peer: see $log"
    fi
done

# ---- without peers ----
cores()
{
    {
        printf '{"rows": [\n'
        "$build/bench/cores_bench" arm7 quadruped humanoid | sed '$!s/$/,/'
        printf ']}\n'
    } > "$build/bench-cores.json"
    report "$build/bench-cores.json"
}
if [ "$mode" = limit ]; then
    python3 bench/limit/limit.py "$build/bench" "$build/bench-limit.json"
    exit
fi
if [ "$mode" = cores ]; then
    cores
    exit
fi

# ---- robots: those of the library, and real ones ----
erd=$(find "$venv" -type d -path '*/example-robot-data/robots' 2> /dev/null | head -n 1)
# robot NAME BASE FILE FILE: takes the first of the two files that exists
robot()
{
    for file in "$erd/$3" "../shared/models/$4"; do
        [ -f "$file" ] || continue
        robots="$robots $1,$2,$file"
        return 0
    done
}
robots="pendulum arm7 drone_arm nine quadruped humanoid satellite ship_crane"
robot ur5 fixed ur_description/urdf/ur5_robot.urdf ur5.urdf
robot panda fixed panda_description/urdf/panda.urdf panda.urdf
robot iris free iris_description/robots/iris.urdf iris.urdf
robot bolt free bolt_description/robots/bolt.urdf bolt.urdf
robot solo12 free solo_description/robots/solo12.urdf solo12.urdf
robot a1 free a1_description/urdf/a1.urdf a1.urdf
robot hyq free hyq_description/robots/hyq_no_sensors.urdf hyq.urdf
robot anymal_b_kinova free anymal_b_simple_description/robots/anymal-kinova.urdf anymal_b_kinova.urdf
robot simple_humanoid free simple_humanoid_description/urdf/simple_humanoid.urdf simple_humanoid.urdf
robot icub_reduced free icub_description/robots/icub_reduced.urdf icub_reduced.urdf
robot talos free talos_data/robots/talos_reduced.urdf talos.urdf

# ---- measure ----
program=$build/bench/peer_dynamics
# count CONTENDER ROBOT CALLS: instructions per state; only the calls are counted
count()
{
    # shellcheck disable=SC2086
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no --toggle-collect=bench_counted \
        "$program" $peers --count "$1,linearize,$3" "$2" 2>&1 |
        awk -v calls="$3" '/Collected/ && $4 > 0 { printf "%.0f", $4 / calls }'
}
if [ "$mode" = instructions ]; then
    # valgrind does not support AVX-512 and reports AVX2 to programs that ask: hence the haswell build
    separator=
    printf '{"rows": [' > "$build/bench-instructions.json"
    for robot in $robots; do
        name=${robot%%,*}
        case $name in quadruped | solo12 | simple_humanoid) ;; *) continue ;; esac
        for who in hamel hamel-batch pinocchio-wheel pinocchio-haswell; do
            n=$(count $who "$robot" 64)
            [ -n "$n" ] || continue
            printf '%s\n  {"robot": "%s", "contender": "%s", "instructions": %s}' "$separator" "$name" $who "$n" \
                >> "$build/bench-instructions.json"
            separator=,
        done
    done
    printf '\n]}\n' >> "$build/bench-instructions.json"
    report "$build/bench-instructions.json"
    exit
fi
if [ "$mode" = all ]; then
    for table in bench_group bench_kinematics bench_forms; do
        echo
        cmake --build "$build/bench" --target $table | grep '^|'
    done
fi
json=$build/bench.json isa=best
[ "$mode" = avx2 ] && json=$build/bench-avx2.json isa=x4
mkdir -p "$build/bench/models"
measured=
for run in $(seq "${RUNS:-1}"); do
    measured="$measured ${json%.json}-run$run.part"
    # shellcheck disable=SC2086
    "$program" $peers --isa $isa --out "${json%.json}-run$run.part" --scaling "$build/bench/models" $robots 2> "$build/bench-rows.log"
    grep differ "$build/bench-rows.log" || true
done
# shellcheck disable=SC2086
python3 bench/peers/median.py "$json" $measured
report "$json"
[ "$mode" = avx2 ] || cores
