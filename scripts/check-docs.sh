#!/bin/sh
# Checks that every relative link in a Markdown file leads to an existing file, and its anchor to a heading.
# Usage: check-docs.sh
set -eu

cd "$(dirname "$0")/.."
fault=$(mktemp)
trap 'rm -f "$fault"' EXIT

# anchors FILE: its headings as GitHub writes them in links
anchors()
{
    awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ +/, ""); print tolower($0) }' "$1" |
        sed 's/[][`*_,.;:!?()"/+=<>|&’'\'']//g; s/ /-/g'
}

git ls-files --cached --others --exclude-standard '*.md' | sort | while IFS= read -r file; do
    awk '/^```/ { code = !code } !code' "$file" | { grep -oE '\]\([^) ]+' || true; } | sed 's/^](//' | while IFS= read -r link; do
        case $link in *://* | mailto:*) continue ;; esac
        path=${link%%#*}
        anchor=${link#"$path"}
        target=$file
        [ -z "$path" ] || target=$(dirname "$file")/$path
        if [ ! -e "$target" ]; then
            echo "$file: no such file: $link"
        elif [ -n "$anchor" ] && ! anchors "$target" | grep -qxF -- "${anchor#\#}"; then
            echo "$file: no such heading: $link"
        fi
    done
done >"$fault"
cat "$fault" >&2
[ ! -s "$fault" ]
