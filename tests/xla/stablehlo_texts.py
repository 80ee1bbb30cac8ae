# SPDX-License-Identifier: Apache-2.0
"""StableHLO that Indim writes, judged by the StableHLO in jaxlib.

  stablehlo_texts.py --writer=PROGRAM FILE...

PROGRAM (tests/stablehlo/export/write_cases.cc) writes each module as text with locations. jaxlib reads and verifies each
text; what it prints of it is the text itself, byte for byte; and no operation is of another dialect than StableHLO, CHLO,
func and Shardy. Its last line says how many were compared.
"""
import os
import re
import subprocess
import sys
import tempfile

from jaxlib.mlir import ir

from mlir_context import context

DIALECTS = ('stablehlo.', 'chlo.', 'func.', 'builtin.', 'sdy.')


def operations(operation):
    """All operations in and below one, without recursion."""
    left = [operation]
    while left:
        op = left.pop()
        yield op
        for region in op.regions:
            for block in region:
                left.extend(o.operation for o in block)


def fault(text):
    """What is wrong with a text; '': nothing."""
    c = context()
    try:
        with c, ir.Location.unknown(c):
            module = ir.Module.parse(text)
            module.operation.verify()
            for op in operations(module.operation):
                if not op.name.startswith(DIALECTS):
                    return f'it has {op.name}'
            printed = module.operation.get_asm(enable_debug_info=True)
    except ir.MLIRError as e:
        return f'jaxlib refuses it: {e}'
    for number, (ours, theirs) in enumerate(zip(text.splitlines(), printed.splitlines()), 1):
        if ours != theirs:
            return f'line {number} is\n  {ours[:400]}\nand jaxlib prints\n  {theirs[:400]}'
    return '' if text.strip() == printed.strip() else 'jaxlib prints another number of lines'


def main(arguments):
    writer = next(a.split('=', 1)[1] for a in arguments if a.startswith('--writer='))
    files = [a for a in arguments if not a.startswith('--')]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([writer, *files, folder], stdout=subprocess.PIPE, text=True, check=True)
        print(ran.stdout)
        names = sorted(os.listdir(folder))
        for name in names:
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                found = fault(file.read())
            if found:
                faults += 1
                print(f'{name}: {found}')
    refused = int(re.search(r'(\d+) refused', ran.stdout).group(1))
    print(f'compared: {len(names)}, refused: {refused}')
    return 1 if faults or len(names) + refused != len(files) else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
