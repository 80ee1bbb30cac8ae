# SPDX-License-Identifier: Apache-2.0
"""What a module holds and costs: `Module.stats` and `Module.cost`."""

import ctypes
import dataclasses
import json
from typing import Any, Mapping, Sequence, Union

from . import _abi
from ._library import encoded, lib, made_bytes, texts_array

# A number; a text where named sizes or steps that nobody knows make an expression of it: "15680*n".
Amount = Union[int, float, str]

COST_KEYS = ("instruction", "opcode", "line", "scope", "layer", "computation")


@dataclasses.dataclass(frozen=True)
class Costs:
    """FLOPs (a multiplication with an addition is two), transcendental operations, bytes read and written."""

    flops: Amount
    transcendentals: Amount
    bytes: Amount


@dataclasses.dataclass(frozen=True)
class HeldValue:
    """An array in memory, which the instruction made: an "argument", a "result", a "temporary", or a "temporary in a result"."""

    instruction: str
    kind: str
    bytes: Amount
    shape: str


@dataclasses.dataclass(frozen=True)
class MemoryUse:
    """Bytes on one device; `peak` is arguments, results that lie in none of them (`reused`), and the most temporaries at one time,
    which is when the instruction `at` runs. `largest` are the 20 largest values that memory holds then."""

    peak: Amount
    arguments: Amount
    results: Amount
    reused: Amount
    temporaries: Amount
    constants: Amount
    is_scheduled: bool
    # Without a schedule: in another order than the module's.
    is_own_order: bool
    # That share the program; is_cut: XLA has still to partition it by its shardings.
    devices: int
    is_cut: bool
    at: "str | None"
    largest: "tuple[HeldValue, ...]"


@dataclasses.dataclass(frozen=True)
class UnknownCost:
    """What isn't in the sums as a number: a loop's "steps", or a "custom-call"."""

    instruction: str
    why: str
    times: Amount


@dataclasses.dataclass(frozen=True)
class CostReport:
    """What a module computes and moves (docs/cost.md)."""

    total: Costs
    # The sums of XLA's own analysis: loops once, a custom call as -1.
    xla: Costs
    # How many devices share the program, and what each does: the total, unless shardings cut values that XLA has still to partition.
    devices: int
    is_cut: bool
    on_device: Costs
    # None: the size of an array isn't known.
    memory: "MemoryUse | None"
    # Steps of each loop, by its computation and name: "main/while.3".
    loops: "dict[str, Amount]"
    unknown: "tuple[UnknownCost, ...]"
    # By what the call's `by` put together, the dearest first.
    rows: "dict[str, Costs]"
    # Of these what a device does; empty unless is_cut.
    rows_on_device: "dict[str, Costs]"


@dataclasses.dataclass(frozen=True)
class Held:
    """A number of instructions, and their bytes."""

    count: int
    bytes: Amount


@dataclasses.dataclass(frozen=True)
class LoopSteps:
    """A loop, "main/while.3"; steps None: the module doesn't say how many."""

    instruction: str
    source: str
    steps: "int | None"


@dataclasses.dataclass(frozen=True)
class Collective:
    """What devices take part in together: the bytes of its operands on one device, how many groups of devices (0: all are one)
    and how many devices the largest has."""

    instruction: str
    opcode: str
    bytes: Amount
    groups: int
    group_size: int
    source: str


@dataclasses.dataclass(frozen=True)
class ModuleStatistics:
    """What is in a module: instructions by operation, bytes, loops, collectives, custom calls by target, source files."""

    computations: int
    instructions: int
    parameters: Held
    results: Held
    constants: Held
    operations: "dict[str, int]"
    loops: "tuple[LoopSteps, ...]"
    collectives: "tuple[Collective, ...]"
    custom_calls: "dict[str, int]"
    source_files: "dict[str, int]"


def _of(kind: Any, given: "Mapping[str, Any]") -> Any:
    """The dataclass of an object's fields; readers skip fields that they don't know."""
    return kind(**{field.name: given[field.name] for field in dataclasses.fields(kind)})


def cost_of(module: "int | None", by: str, branches: "Mapping[str, Sequence[float]]") -> CostReport:
    """The report of a module's handle."""
    name, size = encoded(by)
    kept = ctypes.create_string_buffer(name, size + 1)
    texts, _keep = texts_array([f"{of}={':'.join(map(str, weights))}" for of, weights in branches.items()])
    options = _abi.indim_cost_options(by=ctypes.addressof(kept), by_size=size, branch_count=len(branches))
    if branches:
        options.branches = ctypes.addressof(texts)
    found = json.loads(made_bytes(lib.indim_module_cost_json, module, b"", 0, ctypes.byref(options)))
    memory = found["memory"]
    return CostReport(
        total=_of(Costs, found),
        xla=_of(Costs, found["xla"]),
        devices=found["devices"],
        is_cut=found["is_cut"],
        on_device=_of(Costs, found["on_device"]),
        memory=memory and _of(MemoryUse, {**memory, "largest": tuple(_of(HeldValue, value) for value in memory["largest"])}),
        loops={loop["instruction"]: loop["steps"] for loop in found["loops"]},
        unknown=tuple(_of(UnknownCost, unknown) for unknown in found["unknown"]),
        rows={row[by]: _of(Costs, row) for row in found["rows"]},
        rows_on_device={row[by]: _of(Costs, row["on_device"]) for row in found["rows"] if found["is_cut"]},
    )


def statistics_of(module: "int | None") -> ModuleStatistics:
    """The statistics of a module's handle."""
    found = json.loads(made_bytes(lib.indim_module_statistics_json, module, b"", 0))
    for held in ("parameters", "results", "constants"):
        found[held] = _of(Held, found[held])
    found["loops"] = tuple(_of(LoopSteps, loop) for loop in found["loops"])
    found["collectives"] = tuple(_of(Collective, collective) for collective in found["collectives"])
    statistics: ModuleStatistics = _of(ModuleStatistics, found)
    return statistics


__all__ = ["Amount", "Collective", "CostReport", "Costs", "Held", "HeldValue", "LoopSteps", "MemoryUse", "ModuleStatistics", "UnknownCost"]
