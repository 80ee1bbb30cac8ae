# SPDX-License-Identifier: Apache-2.0
"""indim/_ops.py, a method for each operation, from the library's table of operations (make_tables.py writes it)."""

import ctypes
import json
import pathlib
from typing import Any

# Those with a method by hand, in indim/recorder.py, control.py and arrays.py: they take functions, shapes or numbers.
BY_HAND = {
    "parameter", "constant",
    "all-reduce", "all-reduce-start", "async-done", "async-start", "async-update", "call", "collective-reduce", "conditional", "fusion", "map", "reduce", "reduce-scatter", "reduce-window", "scan", "scatter", "select-and-scatter", "sort",
    "while",
    "bitcast-convert", "clamp", "compare", "concatenate", "convert", "convolution", "custom-call", "dot", "dynamic-slice", "dynamic-update-slice",
    "iota", "pad", "reshape", "select", "slice", "topk", "transpose",
}  # fmt: skip

ALIASES = {"negate": "neg"}
# jax.numpy's functions of the same name are by hand, in numeric.py; HLO's operation is add_op("NAME", ...).
OF_NUMPY = {"abs", "add", "ceil", "floor", "maximum", "minimum", "power", "atan2", "copy", "imag", "real", "sign", "exp2", "log2"}
# The functions of jax.numpy that take integers too, as floats.
INEXACT = {
    "acos", "acosh", "asin", "asinh", "atanh", "cbrt", "cosh", "cosine", "exponential", "exponential-minus-one", "log",
    "log-plus-one", "sine", "sinh", "sqrt", "tan", "tanh",
}  # fmt: skip

# Attributes of every operation, set in other ways (Builder.op_name, set_frontend_attribute, sharding, ...).
OF_ALL = {
    "backend_config", "control-predecessors", "frontend_attributes", "metadata", "origin", "result_accuracy", "sharding", "statistics",
}  # fmt: skip
# Computations, and what is given beside the attributes.
OTHERWISE = {"axis", "broadcast_dimensions", "broadcast_rule", "called_computations", "literal"}

HEAD = '''"""A method for each operation of the table: made by make_ops.py."""

from typing import Any

from .operands import Operands
from .shapes import ShapeLike
from .values import Operand, Value


class Ops(Operands):
    """A part of Builder. Attributes are HLO text's; a text stands for itself, numbers and lists are written as HLO has them."""
'''


def table(path: pathlib.Path) -> "list[dict[str, Any]]":
    library = ctypes.CDLL(str(path.absolute()))
    made = ctypes.c_void_p()
    library.indim_op_table_json.restype = ctypes.c_void_p
    library.indim_bytes_data.restype = ctypes.c_char_p
    if library.indim_op_table_json(ctypes.byref(made)):
        raise RuntimeError("no table")
    ops: "list[dict[str, Any]]" = json.loads(library.indim_bytes_data(made, None))["ops"]
    return ops


def doc(row: "dict[str, Any]") -> str:
    text = " ".join(str(row["does"]).split()).replace("\\", "\\\\").replace('"""', "'''")
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) > 115:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    lines.append(line)
    example = row.get("example")
    result = [f'        """{lines[0]}'] + [f"        {more}" for more in lines[1:]]
    if example:
        result += ["", f"        `{example}`"]
    if result[-1].endswith('"'):
        result[-1] += " "
    if len(result) > 1:
        return "\n".join(result) + '\n        """\n'
    return result[0] + '"""\n'


def method(op: "dict[str, Any]") -> str:
    row = op["row"]
    wire, least, most, number = row["op"], row["min_operands"], row["max_operands"], op["number"]
    promote = "_inexact" if wire in INEXACT else ""
    attributes = sorted(op["text_attributes"], key=lambda a: not a["required"])
    names = [a["name"] for a in attributes if a["name"] not in OF_ALL | OTHERWISE]
    name = op["python"]
    takes_result = row["given"] != "inferred"
    if not names and not takes_result and least == most == 1 and not op["callees"]:
        value = f"self.{promote}(operand)" if promote else "operand"
        alias = f"\n    {ALIASES[wire]} = {name}\n" if wire in ALIASES else ""
        return f"    def {name}(self, operand: Operand) -> Value:\n{doc(row)}        return self._unary({number}, {value})\n{alias}"
    operands = ["lhs", "rhs"] if least == most == 2 else [f"operand{i}" for i in range(least)]
    if least == most == 1:
        operands = ["operand"]
    head = [f"{operand}: Operand" for operand in operands]
    passed = ", ".join(operands)
    if most != least:
        head = ["*operands: Operand"]
        passed = "*operands"
    keywords = []
    if takes_result:
        keywords.append("result: ShapeLike" if row["given"] == "shape" else 'result: "ShapeLike | None" = None')
    for attribute in attributes:
        if attribute["name"] not in names:
            continue
        if attribute["required"] and most == least:
            head.append(f"{attribute['name']}: Any")  # b.top_k(x, 2) works too
        else:
            keywords.append(f"{attribute['name']}: Any" + ("" if attribute["required"] else " = None"))
    broadcasts = row["broadcasts"]
    if broadcasts:
        keywords += ["broadcast_dimensions: Any = None", 'rule: "str | None" = None']
    if keywords and most == least:
        head.append("*")
    given = "".join(f'"{n}": {n}, ' for n in names) + ('"broadcast_dimensions": broadcast_dimensions, ' if broadcasts else "")
    lines = [f"    def {name}(self, {', '.join(head + keywords)}) -> Value:  # fmt: skip\n", doc(row)]
    if broadcasts and most == least == 2 and not names:
        lines.append(
            f"        if broadcast_dimensions is None:\n            return self._binary({number}, lhs, rhs, rule)\n"
        )
    rule = ', rule or ("xla" if broadcast_dimensions is not None else self._rule_name)' if broadcasts else ", None"
    result = "result" if takes_result else "None"
    lines.append(
        f"        return self._add({number}, [{passed}], {{{given.rstrip(', ')}}}, {result}{rule})  # fmt: skip\n"
    )
    return "".join(lines)


def made(library: pathlib.Path) -> str:
    parts = [HEAD]
    for op in table(library):
        if op["row"]["op"] not in BY_HAND | OF_NUMPY:
            parts.append("\n" + method(op))
    return "".join(parts)
