"""A pass that lets sums of bf16 stay f32 until they are whole: XLA's CPU adds in f32, and rounds to bf16 after each addition."""

import indim


def rounds(i: indim.Instruction) -> bool:
    """Whether it is a convert to bf16 and back, such as rounding."""
    if i.opcode != "convert" or i.shape.element_type != "f32" or i.operands[0].opcode != "convert":
        return False
    narrow = i.operands[0]
    return narrow.shape.element_type == "bf16" and narrow.operands[0].shape.element_type == "f32"


def accumulate_in_f32(editor: indim.Editor) -> None:
    for reduction in editor.module.graph:
        if reduction.opcode not in ("reduce", "reduce-window"):
            continue
        root = reduction.callees[0].root
        if rounds(root):
            editor.set_root(root.operands[0].operands[0], reduction.callees[0])
    editor.run_pass("dead-code")
