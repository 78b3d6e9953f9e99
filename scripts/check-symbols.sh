#!/bin/sh
# Checks what the libraries export: only hml_ names; inside the static library hmli_ names too; and one symbol per
# kernel object, its table. Usage: check-symbols.sh STATIC_BUILD SHARED_BUILD
set -eu

static=$1
shared=$2
fault=0
public=$(mktemp)
defined=$(mktemp)
trap 'rm -f "$public" "$defined"' EXIT

complain()
{
    echo "$1:" >&2
    echo "$2" | sed 's/^/    /' >&2
    fault=1
}

# names NM-OPTIONS FILE: defined global symbols, weak ones too
names() { nm --defined-only --extern-only --format=posix "$@" | awk 'NF >= 3 { print $1 }'; }

for library in "$shared"/src/libhamel.so "$shared"/src/libhamel-control.so "$shared"/src/libhamel-io.so; do
    [ -e "$library" ] || continue
    count=$(names -D "$library" | wc -l)
    foreign=$(names -D "$library" | grep -v '^hml_' || true)
    [ -z "$foreign" ] || complain "$library shows names that are not hml_" "$foreign"
    echo "$(basename "$library"): $count public symbols"
done

# the libraries export exactly what the headers declare
# (cuda.h belongs to a library that is built where nvcc is)
promised=$(find "$(dirname "$0")/../include/hamel" -name '*.h' ! -name cuda.h -exec cat {} + | tr '\n' ' ' | grep -oE 'HML_API [^;]*;' | grep -oE 'hml_[a-z0-9_]+\(' |
    tr -d '(' | sort -u)
printf '%s\n' "$promised" >"$public"
shown=$(for library in "$shared"/src/libhamel.so "$shared"/src/libhamel-control.so "$shared"/src/libhamel-io.so; do
    [ ! -e "$library" ] || names -D "$library"
done | sort -u)
differ=$(printf '%s\n---\n%s\n' "$promised" "$shown" | awk '
    /^---$/ { second = 1; next }
    !second { promised[$1] = 1; next }
    { if (!($1 in promised)) print $1, "is visible but in no header"; delete promised[$1] }
    END { for (name in promised) print name, "is in a header but not in the library" }' | sort)
[ -z "$differ" ] || complain "headers and library disagree" "$differ"

# every hml_ name is public, and every other name begins with hmli_:
# in a static library even hidden names could collide with names of the program
for library in "$static"/src/libhamel.a "$static"/src/libhamel-control.a "$static"/src/libhamel-io.a; do
    [ -e "$library" ] || continue
    foreign=$(names "$library" | grep -vE '^hmli?_' || true)
    [ -z "$foreign" ] || complain "$library defines names that are neither hml_ nor hmli_" "$foreign"
    names "$library" | grep '^hml_' >>"$defined" || true
done

differ=$(sort -u "$defined" | comm -13 "$public" - | sed 's/$/ is hml_ but in no header/')
[ -z "$differ" ] || complain "internal names must begin with hmli_" "$differ"

for object in "$static"/src/CMakeFiles/hamel_kernels_*.dir/kernel/table.c.o; do
    kind=${object%.dir/*}
    kind=${kind##*hamel_kernels_}
    [ "$(names "$object")" = "hmli_kernels_$kind" ] || complain "$object must define hmli_kernels_$kind alone" "$(names "$object")"
    case $kind in
    avx512vl_*) # 512-bit registers lower the CPU frequency, be it for a copy: docs/decisions/0011
        wide=$(objdump -d "$object" | grep -m 1 zmm || true)
        [ -z "$wide" ] || complain "$object uses 512-bit registers" "$wide"
        ;;
    esac
done

exit $fault
