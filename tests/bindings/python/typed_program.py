# SPDX-License-Identifier: Apache-2.0
"""A user's program, which types_test reads with `mypy --strict`: the package's types are in its sources."""

import indim


def affine() -> indim.Module:
    b = indim.Builder("affine", broadcasting="numpy")
    x, w, bias = b.parameter("f32[2,3]"), b.parameter("f32[3,4]"), b.parameter("f32[4]")
    hidden: indim.Value = b.relu(x @ w + bias) * 2.0
    return b.build([hidden, hidden.sum(axis=0)])


def findings(module: indim.Module) -> "list[str]":
    return [f"{found.code}: {found.message}" for found in module.check().errors]


def opcodes(module: indim.Module) -> "list[str]":
    editor = module.edit()
    editor.set_root(module.graph.entry.root.operands[0].name)
    shape: indim.Shape = editor.finish().result
    return [shape.element_type, *(instruction.opcode for instruction in module.graph)]


def flops(module: indim.Module) -> "int | float | str":
    cost: indim.CostReport = module.cost(by="opcode")
    dots = module.stats().operations.get("dot", 0)
    return cost.rows["dot"].flops if dots and module.find_all("dot") else cost.total.flops
