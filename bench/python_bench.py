#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording from Python costs beside a bare ctypes call, and how long walking takes.

    python3 bindings/python/make_tables.py .../libindim_c.so
    INDIM_LIBRARY=.../libindim_c.so PYTHONPATH=python python3 bench/python_bench.py

The bare call is indim_add_binary itself, through ctypes, with all arguments ready: what nobody who uses ctypes can do without. Both
infer each operation. Runs alternate, and the median counts.
"""

import ctypes
import statistics
import sys
import time

import indim
from indim import _library

OPS = 20_000
ROUNDS = 7


def bare() -> float:
    b = indim.Builder("bare")
    x = b.parameter("f32[8]")
    add = _library.lib.indim_add_binary
    opcode = _library.lib.indim_opcode_from_name(b"add", 3)
    handle, number = b._handle, x.number
    made = ctypes.c_int64()
    out = ctypes.byref(made)
    start = time.process_time()
    for _ in range(OPS):
        add(handle, opcode, number, number, 0, 0, out)
    return time.process_time() - start


def operators() -> float:
    b = indim.Builder("operators")
    x = b.parameter("f32[8]")
    start = time.process_time()
    for _ in range(OPS):
        x + x
    return time.process_time() - start


def methods() -> float:
    b = indim.Builder("methods")
    x = b.parameter("f32[8]")
    start = time.process_time()
    for _ in range(OPS):
        b.maximum(x, x)
    return time.process_time() - start


def unary() -> float:
    b = indim.Builder("unary")
    x = b.parameter("f32[8]")
    start = time.process_time()
    for _ in range(OPS):
        b.exp(x)
    return time.process_time() - start


def walk() -> float:
    b = indim.Builder("long")
    x = y = b.parameter("f32[8]")
    for _ in range(100_000):
        y = y + x
    module = b.build(y)
    start = time.process_time()
    graph = module.graph
    count = 0
    for position, opcode in enumerate(graph.opcodes):
        for operand in graph.operands[graph.operand_first[position] : graph.operand_first[position + 1]]:
            count += graph.opcodes[operand] == opcode
    return time.process_time() - start


def main() -> int:
    times = {function.__name__: [] for function in (bare, operators, methods, unary)}
    for _ in range(ROUNDS):
        for function in (bare, operators, methods, unary):
            times[function.__name__].append(function())
    base = statistics.median(times["bare"])
    for name, found in times.items():
        median = statistics.median(found)
        print(f"{name:10} {1e9 * median / OPS:8.0f} ns an op  {median / base:5.2f} times the bare call")
    print(f"walking 100,000 instructions: {walk():.3f} s")
    return 0 if statistics.median(times["operators"]) <= 2.5 * base else 1


if __name__ == "__main__":
    sys.exit(main())
