#!/bin/sh
# Generated robots on a microcontroller, in QEMU: compares them with the library's results, counts the instructions per
# call, and says how much flash and stack they take. Needs arm-none-eabi-gcc with newlib, and qemu-system-arm (Debian:
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

for model in "$@"; do
    case $model in /*) ;; *) model=$from/$model ;; esac
    name=$(basename "$model" | sed 's/\..*//')
    "$build/hamel" generate "$model" --out plant.c --float --test --quiet
    measure "$name" float mps2-an386 "$m4f"
    measure "$name" float mps2-an500 "$m7"
    "$build/hamel" generate "$model" --out plant.c --test --quiet
    measure "$name" double mps2-an500 "$m7"
done
