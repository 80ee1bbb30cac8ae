# SPDX-License-Identifier: Apache-2.0
"""One operation at a time: its result, how its operands match, what the tables say of it."""

import ctypes
import dataclasses
import functools
import json
from typing import Any, Mapping, Sequence

from . import _abi
from ._library import address_of, check, encoded, int64_array, lib, made_bytes, made_text, taken_diagnostics, text_of, warn
from .attributes import Attributes, fix_of_call, rule_number
from .errors import Diagnostic, InvalidArgument
from .shapes import Shape, ShapeLike, as_shape, shape_handles


@dataclasses.dataclass(frozen=True)
class Signature:
    """A called computation: the shapes of its parameters and of its result."""

    parameters: "Sequence[ShapeLike]"
    result: ShapeLike


def infer(
    op: str,
    *operands: ShapeLike,
    result: "ShapeLike | None" = None,
    callees: "Sequence[Signature]" = (),
    rule: str = "xla",
    warnings: "list[Diagnostic] | None" = None,
    **attributes: Any,
) -> Shape:
    """The shape of one operation's result: infer("dot", "f32[8,784]", "f32[784,10]", lhs_contracting_dims=[1], ...).

    `result` is for operations whose result the operands don't determine, such as reshape. The list `warnings` gets the warnings;
    without one they go to Python's.
    Raises InvalidArgument with diagnostics, and NotFound for an operation that isn't there.
    """
    array, keep = shape_handles(operands)
    given = Attributes.of(rule, attributes)
    wanted = None if result is None else as_shape(result)
    signatures = (_abi.indim_signature * len(callees))()
    kept: "list[Any]" = [keep]
    for index, callee in enumerate(callees):
        parameters, shapes = shape_handles(callee.parameters)
        of = as_shape(callee.result)
        kept += [parameters, shapes, of]
        signatures[index].parameters = ctypes.addressof(parameters)
        signatures[index].parameter_count = len(shapes)
        signatures[index].result = of._handle
    inferred = ctypes.c_void_p()
    said = ctypes.c_void_p()
    try:
        check(
            lib.indim_infer(
                *encoded(op),
                array,
                len(keep),
                given.pointer(),
                wanted and wanted._handle,
                signatures,
                len(callees),
                ctypes.byref(inferred),
                ctypes.byref(said),
            )
        )
    except InvalidArgument as error:
        fix = fix_of_call(error, attributes)
        if not fix:
            raise
        raise error.with_fix(fix) from None
    found = taken_diagnostics(said.value)
    if warnings is None:
        warn(found)
    else:
        warnings.extend(found)
    assert inferred.value is not None
    return Shape(address_of(inferred))


@dataclasses.dataclass(frozen=True)
class Plan:
    """How a rule matches the dims of operands."""

    # The sizes of the result: upper ends of those that aren't static, -1 without one; None: unranked.
    dims: "tuple[int, ...] | None"
    # For each operand the result dim of each of its dims; -1: it is dropped.
    places: "tuple[tuple[int, ...], ...]"
    # What must hold at run time, in words.
    conditions: "tuple[str, ...]"


def _numbers(function: Any, *arguments: Any) -> "tuple[int, ...] | None":
    """The numbers that a function writes into an array and counts."""
    count = function(*arguments, None, 0)
    if count < 0:
        return None
    array = (ctypes.c_int64 * count)()
    function(*arguments, array, count)
    return tuple(array)


def _plan(handle: "int | None", operands: int) -> Plan:
    try:
        rank = lib.indim_plan_dims(handle, None, None, 0)
        dims = None
        if rank >= 0:
            sizes = (ctypes.c_int64 * rank)()
            lib.indim_plan_dims(handle, sizes, None, rank)
            dims = tuple(sizes)
        places = tuple(_numbers(lib.indim_plan_places, handle, operand) or () for operand in range(operands))
        count = lib.indim_plan_condition_count(handle)
        return Plan(dims, places, tuple(text_of(lib.indim_plan_condition, handle, index) for index in range(count)))
    finally:
        lib.indim_plan_release(handle)


def _broadcast_options(rule: str, dimensions: "Sequence[int] | None", axis: int) -> "tuple[Any, Any]":
    options = _abi.indim_broadcast_options(rule=rule_number(rule), axis=axis)
    numbers = None
    if dimensions is not None:
        # An array without elements still has an address.
        numbers = (ctypes.c_int64 * max(1, len(dimensions)))(*dimensions)
        options.dimensions = ctypes.addressof(numbers)
        options.dimensions_count = len(dimensions)
    return options, numbers


def broadcast(
    *operands: ShapeLike, rule: str = "xla", dimensions: "Sequence[int] | None" = None, axis: int = -1
) -> Plan:
    """How arrays match by a rule: "xla" (with broadcast_dimensions), "numpy", "pdpd" (with axis), "none", "bidirectional"."""
    options, _keep = _broadcast_options(rule, dimensions, axis)
    array, keep = shape_handles(operands)
    plan = ctypes.c_void_p()
    check(lib.indim_broadcast(ctypes.byref(options), array, len(keep), ctypes.byref(plan)))
    return _plan(plan.value, len(keep))


def broadcast_to(
    operand: ShapeLike, target: ShapeLike, rule: str = "xla", dimensions: "Sequence[int] | None" = None, axis: int = -1
) -> Plan:
    """How an array becomes one of the dims of `target`."""
    options, _keep = _broadcast_options(rule, dimensions, axis)
    of, to = as_shape(operand), as_shape(target)
    plan = ctypes.c_void_p()
    check(lib.indim_broadcast_to(ctypes.byref(options), of._handle, to._handle, ctypes.byref(plan)))
    return _plan(plan.value, 1)


def explain(question: str) -> str:
    """What `indim explain` says to "f32[4] + f32[1,2] {0}", to a name ("dot", "np.where"), to a word ("InDim"), or to a code."""
    return made_text(lib.indim_explain, *encoded(question))


def query(question: "Mapping[str, Any]") -> "dict[str, Any]":
    """The answer to one question of `indim query` (docs/json.md)."""
    answer: "dict[str, Any]" = json.loads(made_bytes(lib.indim_query_json, *encoded(json.dumps(question))))
    return answer


@functools.lru_cache(maxsize=None)
def op_table() -> "dict[str, dict[str, Any]]":
    """The table of operations, by name: operands, attributes, constraints, documentation (docs/json.md)."""
    ops = json.loads(made_bytes(lib.indim_op_table_json))["ops"]
    return {op["row"]["op"]: op for op in ops}


@functools.lru_cache(maxsize=None)
def code_table() -> "dict[str, dict[str, Any]]":
    """The table of diagnostics' codes, by code."""
    return {row["code"]: row for row in json.loads(made_bytes(lib.indim_code_table_json))["codes"]}


__all__ = [
    "Plan",
    "Signature",
    "broadcast",
    "broadcast_to",
    "code_table",
    "explain",
    "infer",
    "int64_array",
    "op_table",
    "query",
]
