"""A pass that puts barriers around the matrix products of the entry, in a fusion or not: XLA moves nothing across them."""

import indim


def has_dot(i: indim.Instruction) -> bool:
    return i.opcode == "dot" or (i.opcode == "fusion" and any(j.opcode == "dot" for j in i.callees[0]))


def barriers(editor: indim.Editor) -> None:
    for i in filter(has_dot, editor.module.graph.entry):
        at = editor.before(i)
        kept = editor.insert(at, at.optimization_barrier(at.tuple(*[at.use(operand) for operand in i.operands])))
        for number in range(len(i.operands)):
            at = editor.before(i)
            editor.set_operand(i, number, editor.insert(at, at.use(kept)[number]))
        users = editor.ref(i).users
        at = editor.after(i)
        guarded = editor.insert(at, at.optimization_barrier(at.use(i)))
        for user in users:
            for number, operand in enumerate(user.operands):
                if operand == editor.ref(i):
                    editor.set_operand(user, number, guarded)
        if i == editor.module.graph.entry.root:
            editor.set_root(guarded)
