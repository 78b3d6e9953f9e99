#!/bin/sh
# Checks who includes whom (docs/architecture.md): a layer of src/ includes only itself and layers before it; of kernel/
# others see only the headers at its top; programs outside src/ see only public headers. And the two walks in
# docs/architecture.md: their files exist, are a dozen at most, and each is included by one before it. And every file of
# src/kernel/ is in its README.
# Usage: check-layers.sh
set -eu
cd "$(dirname "$0")/.."

git ls-files --cached --others --exclude-standard 'src/*.[ch]' 'src/*.cu' 'include/*.h' 'cli/*.[ch]' 'examples/*.[ch]' \
    'python/*.[ch]' 'bench/*.[ch]' 'bench/*.cpp' |
    while IFS= read -r file; do
        [ ! -e "$file" ] || sed -n "s|^[ ]*#[ ]*include [\"<]\([^\">]*\)[\">].*|$file \1|p" "$file"
    done | awk -v page=docs/architecture.md '
    BEGIN {
        layers = "base num group model kernel algo reference sim control cuda io generate"
        below["base"] = "base"
        below["num"] = "num"
        below["group"] = "base num group"
        below["model"] = below["group"] " model"
        below["kernel"] = below["model"] " kernel"
        below["algo"] = below["kernel"] " algo"
        below["reference"] = below["algo"] " reference"
        below["sim"] = below["algo"] " sim"
        below["control"] = below["algo"] " control"
        below["cuda"] = below["kernel"] " cuda"
        below["io"] = below["model"] " io"
        below["generate"] = below["io"] " generate"
        # inside kernel/: registers know no algorithm, and packs of states know nothing of single states
        below["kernel/simd"] = "kernel kernel/simd"
        below["kernel/pack"] = "kernel kernel/simd kernel/pack"
        below["kernel/single"] = "kernel kernel/simd kernel/pack kernel/single"
    }
    function has(list, word) { return index(" " list " ", " " word " ") > 0 }
    function first(path) { return substr(path, 1, index(path, "/") - 1) }
    function part(path) { return path ~ /^kernel\/[a-z]+\// ? "kernel/" first(substr(path, 8)) : "kernel" }
    function fault(text) { print text > "/dev/stderr"; failed = 1 }
    {
        from = $1
        to = $2
        layer = first(to)
        includes[from] = includes[from] " " (to ~ /^hamel\// ? "include/" to : "src/" to)
        if (!has(layers, layer)) next
        if (from !~ /^src\//) {
            # these compile the source of the library once more, with numbers that count
            if (from !~ /_count\.cpp$/) fault(from ": includes " to ", which is not public")
            next
        }
        own = first(substr(from, 5))
        if (!has(below[own], layer)) fault(from ": " own " may not include " to)
        if (layer != "kernel") next
        if (own != "kernel" && part(to) != "kernel") fault(from ": of kernel/ only the headers at its top, not " to)
        if (own == "kernel" && part(substr(from, 5)) != "kernel" && !has(below[part(substr(from, 5))], part(to)))
            fault(from ": " part(substr(from, 5)) " may not include " to)
    }
    # Is the file included by one that was seen before, directly or not? A source file counts as its header, or as that
    # of which it includes the declaration.
    function reachable(file, seen,    queue, n, i, k, m, next_ones, done) {
        n = split(seen, queue, " ")
        for (i = 1; i <= n; i++) if (file ~ /\.c$/ && has(includes[file], queue[i])) return 1
        sub(/\.c$/, ".h", file)
        for (i = 1; i <= n; i++) {
            if (queue[i] == file) return 1
            m = split(includes[queue[i]], next_ones, " ")
            for (k = 1; k <= m; k++) {
                if (next_ones[k] in done) continue
                done[next_ones[k]] = 1
                queue[++n] = next_ones[k]
            }
        }
        return 0
    }
    END {
        while ((getline line < page) > 0) {
            if (line ~ /^## /) {
                seen = ""
                items = 0
                walk = line ~ /^## .*walk/
            }
            if (!walk || line !~ /^[0-9]+\. `/) continue
            split(line, words, "`")
            file = words[2]
            if (++items > 12) fault(page ": more than a dozen files: " line)
            if ((getline text < file) < 0) fault(page ": no such file: " file)
            close(file)
            if (items > 1 && !reachable(file, seen)) fault(page ": nothing before it includes " file)
            seen = seen " " file
            walks++
        }
        if (walks < 12) fault(page ": the two walks are missing")
        exit failed
    }'

fault=0
for file in src/kernel/*.[ch] src/kernel/*/*.h; do
    name=${file#src/kernel/}
    grep -qE "\`([a-z]+/)?${name##*/}\`" src/kernel/README.md || { echo "src/kernel/README.md does not name $name" >&2 && fault=1; }
done
exit $fault
