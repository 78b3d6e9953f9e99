#!/bin/sh
# Shows Doxygen the comments of a header: the one that opens the file, those before a declaration, those behind one.
exec awk '
    NR == 1 && /^\/\*/               { sub(/^\/\*/, "/** \\file\n"); print; next }
    /^ *\/\* ----/                   { print; next }
    /^ *\/\*/                        { sub(/\/\*/, "/**"); print; next }
    /\/\*.*\*\/ *\\?$/ && !/#define/ { sub(/\/\*/, "/**<"); print; next }
                                     { print }
' "$1"
