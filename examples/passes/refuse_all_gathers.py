"""A pass that refuses programs with too large an all-gather, and says which line of the program wrote it."""

import indim


def refuse_all_gathers(editor: indim.Editor, most: int = 1 << 20) -> None:
    for i in editor.module.graph:
        if i.opcode == "all-gather" and i.shape.byte_size > most:
            file, line = i.location or ("an unknown file", 0)
            raise ValueError(f"{file}:{line}: {i.name} gathers {i.shape.byte_size} bytes, more than {most}")
