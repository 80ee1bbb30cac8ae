# SPDX-License-Identifier: Apache-2.0
"""Times the MLIR and StableHLO of jaxlib: for each FILE, a StableHLO text, lines "STEP/NAME<TAB>ns per operation".

The steps of bench/mlir_steps.cc: parse and verify a text, print it, write an artifact and read it. Times are the least of
several runs, of the process's CPU time.
"""
import os
import sys
import time

from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../tests/xla'))
from mlir_context import context

RELEASE = '1.17.0'


def least(step):
    """The result of `step` and its least time in ns: three runs, or as many as take 0.2 s."""
    best, spent, runs = float('inf'), 0, 0
    while runs < 3 or (spent < 2e8 and runs < 1000):
        begin = time.process_time_ns()
        result = step()
        taken = time.process_time_ns() - begin
        best, spent, runs = min(best, taken), spent + taken, runs + 1
    return result, best


def count(operation):
    """The operations in one, itself included."""
    total, work = 0, [operation]
    while work:
        operation = work.pop()
        total += 1
        for region in operation.regions:
            for block in region:
                work.extend(o.operation for o in block.operations)
    return total


def main(files):
    for path in files:
        name = os.path.basename(path)
        text = open(path).read()
        with context() as c, ir.Location.unknown(c):
            module, parse = least(lambda: ir.Module.parse(text))
            ops = count(module.operation)
            _, show = least(lambda: module.operation.get_asm(large_elements_limit=None))
            times = {'mlir-parse': parse, 'mlir-print': show}
            try:
                artifact, times['artifact-write'] = least(lambda: _jax.mlir.serialize_portable_artifact(module, RELEASE, True))
                _, times['artifact-read'] = least(lambda: stablehlo.deserialize_portable_artifact(c, artifact))
            except Exception:  # the release lacks something; Indim says what
                pass
        for step, ns in times.items():
            print(f'{step}/{name}\t{ns / ops:.3f}', flush=True)


main(sys.argv[1:])
