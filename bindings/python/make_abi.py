# SPDX-License-Identifier: Apache-2.0
"""indim/_abi.py, the C interface as ctypes sees it, from the headers (make_tables.py writes it).

The headers (bindings/c/include/indim_c) are plain enough for a reader of a page: after comments are gone, a header is a list of enums,
structs, typedefs and functions. What the reader doesn't understand is an error, so nothing is left out silently.
"""

import pathlib
import re

# Where Bazel gave this file links to the headers, and not where it lies itself.
HEADERS = pathlib.Path(__file__).absolute().parent.parent / "c" / "include" / "indim_c"

# The base header first: the others use its types.
ORDER = ("base", "infer", "builder", "module", "run", "edit")

SCALARS = {
    "int16_t": "c_int16",
    "int32_t": "c_int32",
    "int64_t": "c_int64",
    "uint8_t": "c_uint8",
    "uint16_t": "c_uint16",
    "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
    "size_t": "c_size_t",
    "double": "c_double",
    "indim_value": "c_int64",
    "indim_location": "c_int64",
    "indim_ref": "c_int64",
}

# How mypy sees the fields of a struct.
ANNOTATIONS = {"c_double": "float", "c_char_p": "bytes | None"}


class Unreadable(Exception):
    pass


def code_of(header: pathlib.Path) -> str:
    text = header.read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^\s*#.*(?:\\\n.*)*$", "", text, flags=re.M)
    text = text.replace('extern "C" {', "")
    text = re.sub(r"\b(INDIM_API|INDIM_OWN|INDIM_BORROWED|INDIM_TAKEN)\b", " ", text)
    return text


def ctype(declaration: str, structs: list[str]) -> str:
    """The ctypes type of a C type, written without the name of what has it."""
    stars = declaration.count("*")
    base = re.sub(r"\b(const|struct)\b|\*", " ", declaration).split()
    if len(base) != 1:
        raise Unreadable(f"type {declaration!r}")
    name = base[0]
    if stars == 0:
        if name == "void":
            return "None"
        if name in SCALARS:
            return SCALARS[name]
        if name in structs:
            return name
        raise Unreadable(f"type {declaration!r}")
    if name == "char" and stars == 1:
        # Not c_char_p, which takes no memory and loses the bytes behind a zero.
        return "c_void_p"
    return "c_void_p"


def split_name(declaration: str) -> tuple[str, str]:
    match = re.fullmatch(r"(.*?)\b(\w+)", declaration.strip(), flags=re.S)
    if not match:
        raise Unreadable(f"declaration {declaration!r}")
    return match.group(1).strip(), match.group(2)


class Reader:
    def __init__(self) -> None:
        self.constants: list[tuple[str, int]] = []
        self.structs: list[tuple[str, list[tuple[str, str]]]] = []
        self.functions: list[tuple[str, str, list[tuple[str, str]]]] = []

    def struct_names(self) -> list[str]:
        return [name for name, _ in self.structs]

    def read_enum(self, body: str) -> None:
        value = -1
        for entry in body.split(","):
            if not entry.strip():
                continue
            match = re.fullmatch(r"\s*INDIM_(\w+)\s*(?:=\s*(-?\d+))?\s*", entry)
            if not match:
                raise Unreadable(f"enum entry {entry!r}")
            value = int(match.group(2)) if match.group(2) else value + 1
            self.constants.append((match.group(1), value))

    def read_struct(self, name: str, body: str) -> None:
        # A struct inside a struct (indim_dlpack) lies there field by field.
        body = re.sub(r"struct\s*\{(.*?)\}\s*\w+\s*;", r"\1", body, flags=re.S)
        fields = []
        for entry in body.split(";"):
            if not entry.strip():
                continue
            function = re.fullmatch(r"\s*\w+\s*\(\*(\w+)\)\(.*\)\s*", entry, flags=re.S)
            if function:
                fields.append((function.group(1), "c_void_p"))
                continue
            kind, field = split_name(entry)
            fields.append((field, ctype(kind, self.struct_names())))
        self.structs.append((name, fields))

    def read_function(self, head: str, arguments: str) -> None:
        result, name = split_name(head)
        read = []
        if arguments.strip() != "void":
            for argument in arguments.split(","):
                kind, field = split_name(argument)
                read.append((field, ctype(kind, self.struct_names())))
        self.functions.append((name, ctype(result, self.struct_names()), read))

    def read(self, code: str) -> None:
        patterns = (
            (r"(?:typedef\s+)?enum\s*\w*\s*\{([^}]*)\}\s*\w*\s*;", lambda m: self.read_enum(m.group(1))),
            (
                r"typedef\s+struct\s+(\w+)\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*\w+\s*;",
                lambda m: self.read_struct(m.group(1), m.group(2)),
            ),
            (r"typedef\s+struct\s+\w+\s+\w+\s*;", lambda m: None),
            (r"typedef\s+int64_t\s+\w+\s*;", lambda m: None),
            (r"([\w\s*]+?\bindim_\w+)\s*\(([^()]*)\)\s*;", lambda m: self.read_function(m.group(1), m.group(2))),
            (r"\}", lambda m: None),
        )
        at = 0
        while code[at:].strip():
            at += len(code[at:]) - len(code[at:].lstrip())
            for pattern, take in patterns:
                match = re.compile(pattern).match(code, at)
                if match:
                    take(match)
                    at = match.end()
                    break
            else:
                raise Unreadable(code[at : at + 80])


HEAD = '''"""The C interface as ctypes sees it: made from bindings/c/include/indim_c by make_abi.py."""

from ctypes import Structure, c_double, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint64, c_void_p, sizeof
from typing import Any

'''


def made() -> str:
    reader = Reader()
    headers = sorted(HEADERS.glob("*.h"), key=lambda path: (ORDER.index(path.stem) if path.stem in ORDER else 99, path.stem))
    for header in headers:
        reader.read(code_of(header))
    lines = [HEAD]
    for name, value in reader.constants:
        lines.append(f"{name} = {value}\n")
    for name, fields in reader.structs:
        lines.append(f"\n\nclass {name}(Structure):\n")
        for field, kind in fields:
            annotation = {"c_void_p": "int | None", "c_double": "float"}.get(kind, kind if kind.startswith("indim") else "int")
            lines.append(f"    {field}: {annotation}\n")
        lines.append("    _fields_ = [\n")
        for field, kind in fields:
            lines.append(f'        ("{field}", {kind}),\n')
        lines.append("    ]\n")
        if fields[0][0] == "struct_size":
            lines.append("\n    def __init__(self, **given: Any) -> None:\n        super().__init__(sizeof(type(self)), **given)\n")
    lines.append("\n\n# Name, result, arguments.\nFUNCTIONS: list[tuple[str, Any, list[Any]]] = [\n")
    for name, result, arguments in reader.functions:
        lines.append(f'    ("{name}", {result}, [{", ".join(kind for _, kind in arguments)}]),\n')
    lines.append("]\n")
    return "".join(lines)
