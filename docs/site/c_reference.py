"""Pages for the C headers, from their comments: one per header, in the look of the others."""

import pathlib
import re

TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|.", re.S)
SECTION = re.compile(r"/\* -+ (.*?) -+ \*/", re.S)
SPECIAL = re.compile(r"([\\`*_\[\]<>|#$])")


def comment_text(comment: str) -> list[str]:
    """The lines of a comment without its frame"""
    inner = comment[2:-2] if comment.startswith("/*") else comment[2:]
    lines = [re.sub(r"^\s*\* ?", "", line) if i else line.strip() for i, line in enumerate(inner.splitlines())]
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.rstrip() for line in lines]


def markdown(lines: list[str]) -> str:
    """Paragraphs as they are, what is indented as it stands"""
    out, block = [], []

    def flush() -> None:
        while block and not block[-1]:
            block.pop()
        if block:
            out.extend(["", "```text", *block, "```", ""])
        block.clear()

    for line in lines:
        if line.startswith("  ") or (not line and block):
            block.append(line)
        else:
            flush()
            out.append(SPECIAL.sub(r"\\\1", line))
    flush()
    return "\n".join(out)


def sentence(lines: list[str]) -> list[str]:
    """With a capital at the beginning, unless that is a symbol"""
    word = re.match(r"([a-z]+)[ ,]", lines[0]) if lines else None
    if word and (len(word[1]) > 2 or word[1] in ("a", "as", "at", "if", "in", "is", "of", "on", "to")):
        lines = [lines[0][:1].upper() + lines[0][1:], *lines[1:]]
    return lines


def items(text: str):
    """(comment, declaration) in order; ('', …) without a comment, (comment, '') for one that stands alone"""
    comment, code, depth = "", "", 0
    for match in TOKEN.finditer(text):
        token = match[0]
        if token.startswith(("/*", "//")) and not code.strip():
            if comment:
                yield comment, ""
            comment = token
            continue
        code += token
        if token in "{(":
            depth += 1
        elif token in "})":
            depth -= 1
        stripped = code.strip()
        ends = token == ";" and depth == 0 and stripped
        if stripped.startswith("#"):
            ends = token == "\n" and not code.rstrip("\n").endswith("\\")
        if stripped.startswith("extern \"C\"") and token == "{":
            code, depth = "", 0
            continue
        if stripped == "}":
            code, depth = "", 0
            continue
        if ends:
            yield comment, stripped
            comment, code = "", ""
    if comment:
        yield comment, ""


def entry(declaration: str, said: str) -> str:
    """A directive for a declaration, with what is said about it; macros and what else there is as they are written"""
    code = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", declaration.replace("HML_API ", ""), flags=re.S)).strip()
    function = re.fullmatch(r"((?:const )?[\w ]+?[\s*]+)(hml_\w+)\((.*)\);", code)
    if function and "{" not in code and not code.startswith("typedef"):
        return f"`````{{c:function}} {code[:-1]}\n\n{said}\n`````\n"
    source = f"```c\n{declaration}\n```\n"
    kind = re.search(r"}\s*(\w+);$", declaration) or re.match(r"typedef struct \w+ (\w+);", declaration)
    if declaration.startswith("typedef") and kind:
        return f"`````{{c:type}} {kind[1]}\n\n{said}\n\n{source}\n`````\n"
    return f"{said}\n\n{source}"


def wanted(declaration: str) -> bool:
    if declaration.startswith("#"):
        return bool(re.match(r"#\s*define HML_\w+(\(| +\S)", declaration)) and not declaration.startswith("#define HML_API")
    return not declaration.startswith(("_Static_assert", "extern \"C\""))


def page(path: pathlib.Path, name: str) -> str:
    text = path.read_text()
    first = re.match(r"\s*/\*.*?\*/", text, re.S)
    head = comment_text(first[0].strip()) if first else []
    out = [f"# {name}", "", f"`#include <hamel/{name}>`", "", markdown(head), ""]
    if path.suffix == ".hpp":
        return "\n".join([*out, "## Source", "", "```cpp", text[first.end() :].strip(), "```", ""])
    for comment, declaration in items(text[first.end() if first else 0 :]):
        section = SECTION.fullmatch(comment)
        if section:
            title = SPECIAL.sub(r"\\\1", section[1])
            out += [f"## {title[:1].upper()}{title[1:]}", ""]
            comment = ""
        said = markdown(sentence(comment_text(comment))) if comment else ""
        if declaration and wanted(declaration):
            out += [entry(declaration, said), ""]
        elif not declaration:
            out += [said, ""]
    return "\n".join(out)


def write(include: pathlib.Path, folder: pathlib.Path) -> None:
    """folder/NAME.md for every header, and folder/index.md; what is the same stays untouched"""
    folder.mkdir(exist_ok=True)
    names = sorted(str(p.relative_to(include)) for p in include.rglob("*.h*"))
    pages = {name.replace("/", "-"): page(include / name, name) for name in names}
    index = ["# The C headers", "", "Every header of the library, from its comments. [How they belong together](../c-reference.md).", ""]
    for name in names:
        said = comment_text(re.match(r"\s*/\*.*?\*/", (include / name).read_text(), re.S)[0].strip())
        first = re.split(r"[.:](?:\s|$)", SPECIAL.sub(r"\\\1", " ".join(said)))[0]
        index.append(f"- [{name}]({name.replace('/', '-')}.md): {first}")
    index += ["", "```{toctree}", ":hidden:", "", *(name.replace("/", "-") for name in names), "```", ""]
    for name, text in {**{f"{k}.md": v for k, v in pages.items()}, "index.md": "\n".join(index)}.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
