#!/bin/sh
# Runs the programs it is given in turn on one core, three times over, and prints the best of their measurements as one
# table: nanoseconds per call (call, and the peers' columns) or per row of a batch (scalar, x2, x4, x8).
# Usage: group.sh PROGRAM...
set -eu

pin=
if command -v taskset > /dev/null; then
    core=$(taskset -cp $$ | sed 's/.*[:,-] *//') # the last core we may use
    pin="taskset -c $core"
fi

for _ in 1 2 3; do
    for program in "$@"; do $pin "$program"; done
done | awk -F '\t' '
    !($1 in row) { row[$1] = ++rows; operation[rows] = $1 }
    !($2 in column) { column[$2] = ++columns; title[columns] = $2 }
    { r = row[$1]; c = column[$2]; if (!((r, c) in cell) || $3 + 0 < cell[r, c] + 0) cell[r, c] = $3 }
    END {
        line = sprintf("| %-26s |", "nanoseconds"); rule = "| -------------------------- |"
        for (c = 1; c <= columns; c++) { line = line sprintf(" %9s |", title[c]); rule = rule " --------: |" }
        print line; print rule
        for (r = 1; r <= rows; r++) {
            line = sprintf("| %-26s |", operation[r])
            for (c = 1; c <= columns; c++) line = line sprintf(" %9s |", cell[r, c])
            print line
        }
    }'
