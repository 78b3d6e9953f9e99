#!/bin/sh
# Generated robots on a microcontroller, in QEMU: compares them with the library's results, counts the instructions per
# call, and says how much flash and stack they take. Then ten seconds of flight of the drone with arm under a controller
# (flight.c), in an image without a heap. Needs arm-none-eabi-gcc with newlib, and qemu-system-arm (Debian:
# gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm). Usage: run.sh BUILD [MODEL...]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
shift
from=$(pwd)
[ $# -gt 0 ] || set -- "$here/../../robots/drone_arm.json" "$here/../../robots/quadruped.json"
for tool in arm-none-eabi-gcc qemu-system-arm; do
    command -v $tool > /dev/null || { echo "there is no $tool" >&2 && exit 1; }
done
folder=$build/microcontroller
mkdir -p "$folder"
cd "$folder"

m4f="-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard" m7="-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard"
common="-mthumb -std=c11 -O2 -ffp-contract=fast -ffunction-sections -Wl,--gc-sections --specs=rdimon.specs -nostartfiles"

# emulate BOARD FILE
emulate()
{
    timeout 120 qemu-system-arm -M "$1" -nographic -monitor none -serial null -semihosting -icount shift=0 -kernel "$2"
}

# measure NAME TYPE BOARD FLAGS: plant.c and plant_test.c of this folder
measure()
{
    gcc_flags="$4 $common -I. -T $here/link.ld $here/startup.c"
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $gcc_flags -fstack-usage plant.c plant_test.c -lm -o test.elf
    printf '%s, %s, %s: ' "$1" "$2" "$3"
    emulate "$3" test.elf
    quaternion=-1
    ! grep -q "PLANT_Q_BASE = 0" plant.h || quaternion=3
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $gcc_flags -DPLANT_REAL="$2" -DQUATERNION="$quaternion" "$here/count.c" plant.c -lm -o count.elf
    emulate "$3" count.elf
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $4 -mthumb -std=c11 -O2 -ffp-contract=fast -c plant.c -o plant.o
    arm-none-eabi-size plant.o | awk 'NR == 2 { print "flash: " $1 " bytes, variables: " $2 + $3 " bytes" }'
    sort -t'	' -k2 -n test.elf-plant.su | awk -F'	' '{ last = $2 } END { print "largest frame on the stack: " last " bytes" }'
    if arm-none-eabi-nm plant.o | grep -E ' U .*(alloc|free)$'; then
        echo "$1 uses the heap" >&2
        exit 1
    fi
}

counted=linearize,forward_dynamics,inverse_dynamics,mass_matrix
for model in "$@"; do
    case $model in /*) ;; *) model=$from/$model ;; esac
    name=$(basename "$model" | sed 's/\..*//')
    "$build/hamel" generate "$model" --out plant.c --float --test --quiet --functions "$counted"
    measure "$name" float mps2-an386 "$m4f"
    measure "$name" float mps2-an500 "$m7"
    "$build/hamel" generate "$model" --out plant.c --test --quiet --functions "$counted"
    measure "$name" double mps2-an500 "$m7"
done

# fly BOARD FLAGS: ten seconds of flight, the drone in double, its controller in float
fly()
{
    sources="$here/flight.c $here/controller.c $here/board.c plant.c pilot.c"
    flags="$2 -mthumb -std=c11 -O2 -ffp-contract=fast -ffunction-sections -Wall -Wextra -Werror -I. -I$here"
    rm -f ./*.ci
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $flags -fcallgraph-info=su -Wl,--gc-sections -nostartfiles -T "$here/link.ld" $sources -lm -o flight.elf
    printf 'flight, %s\n' "$1"
    emulate "$1" flight.elf
    if arm-none-eabi-nm flight.elf | grep -Ei '(alloc|free|sbrk|heap)'; then
        echo "the image of the flight has a heap" >&2
        exit 1
    fi
    echo "no heap symbol in the image"
    arm-none-eabi-size flight.elf | awk 'NR == 2 { print "flash: " $1 " bytes, variables: " $2 + $3 " bytes" }'
    python3 "$here/stack.py" reset ./*.ci
    python3 "$here/stack.py" controller_run ./*.ci
}

robot=$here/../../robots/drone_arm.json
"$build/hamel" generate "$robot" --out plant.c --functions forward_dynamics,inverse_dynamics,step_linearize --quiet
"$build/hamel" generate "$robot" --out pilot.c --functions inverse_dynamics --float --quiet
${CC:-cc} -std=c11 -O2 -I. -I"$here" "$here/gains.c" plant.c -lm -o gains
./gains > gains.h
# on the host first: the same flight, with the same code
${CC:-cc} -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -I. -I"$here" "$here/flight.c" "$here/controller.c" \
    "$here/board_host.c" plant.c pilot.c -lm -o flight
./flight > flight.log || { cat flight.log && exit 1; }
fly mps2-an500 "$m7"
fly mps2-an386 "$m4f"
