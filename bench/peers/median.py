"""Of several files of peer_dynamics, runs of the same program, one: every number is the median of theirs.

Usage: median.py OUT FILE...
"""

import json
import statistics
import sys


def median(values):
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return statistics.median_low(values)
    return values[0]


def main():
    out, *files = sys.argv[1:]
    runs = []
    for name in files:
        with open(name) as file:
            runs.append(json.load(file))
    whole = runs[0]
    whole["runs"] = len(runs)
    key = ("robot", "algorithm", "peer")
    others = [{tuple(row.get(k) for k in key): row for row in run["rows"]} for run in runs[1:]]
    for row in whole["rows"]:
        same = [rows.get(tuple(row.get(k) for k in key)) for rows in others]
        for field in row:
            row[field] = median([row[field]] + [other[field] for other in same if other and field in other])
    with open(out, "w") as file:
        json.dump(whole, file, indent=1)
        file.write("\n")


main()
