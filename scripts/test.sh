#!/bin/sh
# Runs the tests of a build folder and ends with one line, "N passed, N failed". A cmocka program counts as many tests as
# it holds, any other program as one; a skipped program counts as none. Usage: test.sh BUILD [CTEST OPTION...]
set -u

build=$1
shift
verdicts=$build/ctest.log
ctest --test-dir "$build" --timeout 300 --output-on-failure --no-tests=error --output-log "$verdicts" "$@"
status=$?
[ -e "$build/Testing/Temporary/LastTest.log" ] || exit 1

awk '
    # first file: "3/8 Test #3: name ....   Passed    0.01 sec", or ***Failed, ***Timeout, ***Skipped, ***Not Run, …
    NR == FNR {
        if (match($0, /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /)) {
            name = $0
            sub(/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /, "", name)
            sub(/ .*/, "", name)
            verdict[name] = /\*\*\*Skipped/ ? "skipped" : / Passed +[0-9.]+ sec/ ? "passed" : "failed"
        }
        next
    }
    # second file: the output of the programs
    /^[0-9]+\/[0-9]+ Test: /                   { name = $3 }
    /^\[  PASSED  \] [0-9]+ test\(s\)/         { good[name] += $4 }
    /^\[  FAILED  \] [0-9]+ test\(s\), listed/ { bad[name] += $4 }
    END {
        for (name in verdict) {
            passed += verdict[name] == "passed" && !good[name] ? 1 : good[name]
            failed += verdict[name] == "failed" && !bad[name] ? 1 : bad[name]
        }
        printf "%d passed, %d failed\n", passed, failed
    }
' "$verdicts" "$build/Testing/Temporary/LastTest.log"
exit $status
