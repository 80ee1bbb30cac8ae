# SPDX-License-Identifier: Apache-2.0
"""Operations that call functions: loops, branches, reductions. A Python function is called once, and what it records is the
computation."""

import ctypes
import sys
from typing import Any, Callable, Sequence

from . import _abi
from ._library import Handle, address, address_of, check, encoded, lib
from ._ops import Ops
from ._refusal import CALLEE_RESULT, COUNT, REDUCER_PARAMETER, TYPE, VALUE, fits, refused
from .errors import InvalidArgument, WrongType
from .modules import Module
from .shapes import Shape
from .values import Operand, Value

# A function of values that gives a value, or a list or tuple of values.
Function = Callable[..., Any]


class _Region(Handle):
    __slots__ = ("results", "types", "weak")
    _release = lib.indim_region_release
    results: int
    # Of the results.
    types: "list[Shape]"
    weak: "list[bool]"


def _listed(results: Any) -> "list[Any]":
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _thread(name: str) -> "dict[str, Any]":
    return {"async_execution_thread": f'"{name}"'} if name else {}


class Control(Ops):
    """A part of Builder."""

    def _region(
        self, function: Function, name: str, shapes: "Sequence[Shape]", capture: int, like: "Sequence[Value]" = ()
    ) -> _Region:
        """Calls a function with a value for each shape, which is weakly typed as those of `like` are, and records what it does in a
        computation."""
        location = self._here(sys._getframe(1))
        handles = (ctypes.c_void_p * len(shapes))(*[shape._handle for shape in shapes])
        arguments = (ctypes.c_int64 * len(shapes))()
        made = ctypes.c_void_p()
        check(
            lib.indim_begin_region(
                self._handle, *encoded(name), handles, len(shapes), capture, location, ctypes.byref(made), arguments
            )
        )
        region = _Region(address_of(made))
        try:
            weak = [value.weak_type for value in like] or [False] * len(shapes)
            values = [self._value(number, is_weak) for number, is_weak in zip(arguments, weak)]
            self._record(region, function, values, location)
        except BaseException:
            # The builder goes on as if the function hadn't been called.
            check(lib.indim_drop_region(self._handle, region._handle))
            raise
        return region

    def _record(self, region: _Region, function: Function, values: "list[Value]", location: int) -> None:
        """Calls the function, and ends its region."""
        fits(function, values, "values")
        returned = function(*values)
        if returned is None:
            taken = "a function that returns a value"
            raise refused(TYPE, taken, "one that returns None", fix="return the result", kind=WrongType)
        results = self._operands(_listed(returned))
        numbers = (ctypes.c_int64 * len(results))(*[result.number for result in results])
        types = [result.type for result in results]
        check(lib.indim_end_region(self._handle, region._handle, numbers, len(results), location))
        region.results = len(results)
        region.types = types
        region.weak = [value.weak_type for value in results]

    def _add_regions(
        self,
        opcode: str,
        operands: "Sequence[Operand]",
        regions: "Sequence[_Region]",
        attributes: "dict[str, Any] | None" = None,
        results: int = 1,
        result: "Shape | None" = None,
        weak: "Sequence[bool]" = (),
    ) -> "list[Value]":
        """The results, and which of them `weak` says are weakly typed."""
        op, _keep = self._op(opcode, operands, attributes or {}, result, None)
        handles = (ctypes.c_void_p * len(regions))(*[region._handle for region in regions])
        values = (ctypes.c_int64 * max(results, 1))()
        count = ctypes.c_size_t()
        check(
            lib.indim_add_regions(
                self._handle, ctypes.byref(op), handles, len(regions), values, len(values), ctypes.byref(count)
            )
        )
        given = list(weak) + [False] * (count.value - len(weak))
        return [self._value(number, of) for number, of in zip(values[: count.value], given)]

    def _own_operands(self, operands: "Sequence[Operand]") -> "list[Value]":
        """Values; a number has its own type, whatever the others have."""
        return [self._operand(operand, None, place) for place, operand in enumerate(operands)]

    def _scalars(self, values: "Sequence[Value]") -> "list[Shape]":
        return [Shape.array(value.dtype, []) for value in values]

    # --- Control flow ----------------------------------------------------------

    def while_loop(self, condition: Function, body: Function, *state: Operand) -> Any:
        """Replaces the state by body(*state) while condition(*state) holds. Values from outside may be used in both.

        The result is the last state: a value, or a tuple of values.
        """
        values = self._own_operands(state)
        types = [value.type for value in values]
        first = self._region(condition, "condition", types, _abi.CAPTURE_TUPLE, values)
        second = self._region(body, "body", types, _abi.CAPTURE_TUPLE, values)
        try:
            results = self._add_regions("while", values, [first, second], results=len(values), weak=second.weak)
        except InvalidArgument as error:
            of = first.types[0]
            if error.code != CALLEE_RESULT or first.results > 1 or of.rank != 0 or of.element_type == "pred":
                raise
            raise error.with_fix("!= 0 behind what the condition returns") from None
        return results[0] if len(state) == 1 else tuple(results)

    def fori_loop(self, lower: Operand, upper: Operand, body: Function, *state: Operand) -> Any:
        """body(i, *state) for each s32 i from `lower` to `upper` - 1."""
        fits(body, [None, *state], "values")
        start, end = (at if isinstance(at, Value) else self._typed(self.constant(at, "s32"), True) for at in (lower, upper))
        results = self.while_loop(
            lambda i, *rest: i < end, lambda i, *rest: (i + 1, *_listed(body(i, *rest))), start, *state
        )
        return results[1] if len(state) == 1 else tuple(results[1:])

    def cond(self, predicate: Operand, true: Function, false: Function, *operands: Operand) -> Any:
        """true(*operands) where the pred[] holds, else false(*operands)."""
        predicate = self._operand(predicate)
        if predicate.dtype != "pred" or predicate.ndim:
            of = predicate.type
            fix = "(x > 0.0).any() or .all()" if predicate.ndim else "x != 0"
            raise refused(VALUE, "the predicate", f"of {of}", "of pred[]", operand=0, fix=fix, kind=WrongType)
        values = self._own_operands(operands)
        for function in (true, false):
            fits(function, values, "values")
        regions = [
            self._region(lambda of=of: of(*values), name, [], _abi.CAPTURE_TUPLE)
            for name, of in (("true", true), ("false", false))
        ]
        return self._branches(predicate, regions, regions[1])

    def switch(self, index: Operand, branches: "Sequence[Function]", *operands: Operand) -> Any:
        """branches[index](*operands) of an s32[] index; the last branch for one outside."""
        if not branches:
            raise refused(COUNT, "it takes a branch or more", "none", fix="b.switch(index, [f, g], x)", kind=WrongType)
        index = self._operand(index)
        if index.dtype != "s32" or index.ndim:
            fix = 'index.astype("s32")' if not index.ndim and index.dtype[:1] in "sup" else ""
            raise refused(VALUE, "the index", f"of {index.type}", "of s32[]", operand=0, fix=fix, kind=WrongType)
        values = self._own_operands(operands)
        for function in branches:
            fits(function, values, "values")
        regions = [
            self._region(lambda of=of: of(*values), f"branch{number}", [], _abi.CAPTURE_TUPLE)
            for number, of in enumerate(branches)
        ]
        return self._branches(index, regions, regions[0])

    def _branches(self, selector: Operand, regions: "Sequence[_Region]", first: _Region) -> Any:
        """`first`: of the branch that jax has first, by which the results are weakly typed."""
        count = first.results
        results = self._add_regions("conditional", [selector], regions, results=count, weak=first.weak)
        return results[0] if count == 1 else tuple(results)

    def call(self, function: Function, *operands: Operand) -> Any:
        """Records a function as a computation of its own, and calls it."""
        values = self._own_operands(operands)
        name = getattr(function, "__name__", "call")
        types = [value.type for value in values]
        region = self._region(function, "call" if name == "<lambda>" else name, types, _abi.CAPTURE_PARAMETERS, values)
        results = self._add_regions("call", values, [region], results=region.results, weak=region.weak)
        return results[0] if region.results == 1 else tuple(results)

    def map(self, function: Function, *operands: Operand, dimensions: "Sequence[int] | None" = None) -> Value:
        """A function of scalars, for each element."""
        values = self._operands(operands)
        region = self._region(function, "map", self._scalars(values), _abi.CAPTURE_SCALAR_PARAMETERS, values)
        dims = list(range(values[0].ndim)) if dimensions is None else list(dimensions)
        return self._add_regions("map", values, [region], {"dimensions": dims}, weak=region.weak)[0]

    # --- Functions of scalars --------------------------------------------------

    def reduce(
        self,
        operands: "Operand | Sequence[Value]",
        inits: "Operand | Sequence[Value]",
        function: Function,
        dimensions: "Sequence[int]",
    ) -> Any:
        """function(accumulated..., element...) over `dimensions`; several operands give a tuple."""
        return self._reducing("reduce", operands, inits, function, {"dimensions": list(dimensions)})

    def reduce_window(
        self,
        operands: "Operand | Sequence[Value]",
        inits: "Operand | Sequence[Value]",
        function: Function,
        window: str,
    ) -> Any:
        """reduce() in windows: window="{size=1x2x2x1 stride=1x2x2x1}"."""
        return self._reducing("reduce-window", operands, inits, function, {"window": window})

    def _reducing(self, opcode: str, operands: Any, inits: Any, function: Function, attributes: Any) -> Any:
        several = isinstance(operands, (list, tuple))
        values = self._operands(_listed(operands))
        like = [self._operand(init, value) for init, value in zip(_listed(inits), values)]
        scalars = self._scalars(like) + self._scalars(values)
        region = self._region(function, opcode.replace("-", "_"), scalars, _abi.CAPTURE_NONE, like + values)
        weak = [value.weak_type and init.weak_type for value, init in zip(values, like)]
        try:
            result = self._add_regions(opcode, values + like, [region], attributes, weak=weak[:1])[0]
        except InvalidArgument as error:
            other = next((place for place, (value, init) in enumerate(zip(values, like)) if value.dtype != init.dtype), None)
            if error.code != REDUCER_PARAMETER or other is None:
                raise
            # The function has the initial value's type where it needs the elements'.
            raise error.with_fix(f"operand {len(values) + other} of shape {values[other].dtype}[]") from None
        return self._unpacked(result, weak) if several else result

    def sort(
        self,
        operands: "Operand | Sequence[Value]",
        less: "Function | None" = None,
        *,
        dimension: int = -1,
        is_stable: bool = True,
    ) -> Any:
        """Sorted by less(a, b), or less(a0, b0, a1, b1, ...) of several operands, which are sorted together."""
        several = isinstance(operands, (list, tuple))
        values = self._operands(_listed(operands))
        scalars = [shape for shape in self._scalars(values) for _ in range(2)]
        pairs = [value for value in values for _ in range(2)]
        region = self._region(less or (lambda a, b, *rest: a < b), "less", scalars, _abi.CAPTURE_NONE, pairs)
        dim = dimension if dimension >= 0 else values[0].ndim + dimension
        weak = [value.weak_type for value in values]
        attributes = {"dimensions": [dim], "is_stable": is_stable}
        result = self._add_regions("sort", values, [region], attributes, weak=weak[:1])[0]
        if not several or len(values) == 1:
            return (result,) if several else result
        return self._unpacked(result, weak)

    def scatter(
        self, operand: Operand, indices: Operand, updates: Operand, function: Function, **attributes: Any
    ) -> Value:
        """function(old, update) where the indices say; attributes as HLO text has them (update_window_dims, ...)."""
        values = self._operands((operand, indices, updates))
        region = self._region(function, "scatter", self._scalars([values[0], values[2]]), _abi.CAPTURE_NONE)
        return self._add_regions("scatter", values, [region], attributes, weak=[values[0].weak_type])[0]

    def select_and_scatter(
        self, operand: Operand, source: Operand, init: Operand, select: Function, scatter: Function, window: str
    ) -> Value:
        """The gradient of reduce_window."""
        values = self._operands((operand, source, init))
        first = self._region(select, "select", self._scalars([values[0], values[0]]), _abi.CAPTURE_NONE)
        second = self._region(scatter, "scatter", self._scalars([values[1], values[2]]), _abi.CAPTURE_NONE)
        return self._add_regions("select-and-scatter", values, [first, second], {"window": window})[0]

    def all_reduce(self, operand: Operand, function: Function, **attributes: Any) -> Value:
        """function(a, b) over the devices of each of the replica_groups."""
        return self._collective("all-reduce", operand, function, attributes)

    def reduce_scatter(self, operand: Operand, function: Function, **attributes: Any) -> Value:
        """all_reduce(), of which each device keeps its part along `dimensions`."""
        return self._collective("reduce-scatter", operand, function, attributes)

    def collective_reduce(self, operand: Operand, function: Function, **attributes: Any) -> Value:
        """all_reduce(), of which the first device of each group keeps the result; the others get zeros."""
        return self._collective("collective-reduce", operand, function, attributes)

    def _collective(self, opcode: str, operand: Operand, function: Function, attributes: Any) -> Value:
        value = self._operand(operand)
        region = self._region(function, opcode.replace("-", "_"), self._scalars([value, value]), _abi.CAPTURE_NONE)
        attributes.setdefault("replica_groups", [])
        return self._add_regions(opcode, [value], [region], attributes, weak=[value.weak_type])[0]

    def all_reduce_start(self, operand: Operand, function: Function, **attributes: Any) -> Value:
        """all_reduce() beside what follows; all_reduce_done() ends it."""
        return self._collective("all-reduce-start", operand, function, attributes)

    # --- What only compilers make ----------------------------------------------

    def fusion(self, function: Function, *operands: Operand, kind: str = "kLoop", **attributes: Any) -> Any:
        """function(*operands) as one kernel. It uses no other values."""
        values = self._operands(operands)
        region = self._region(function, "fused", [value.type for value in values], _abi.CAPTURE_NONE, values)
        result = self._add_regions("fusion", values, [region], {"kind": kind, **attributes}, weak=region.weak[:1])[0]
        return result if region.results == 1 else self._unpacked(result, region.weak)

    def async_start(self, function: Function, *operands: Operand, execution_thread: str = "") -> Value:
        """Starts function(*operands) beside what follows; async_done() has its result. It uses no other values."""
        values = self._operands(operands)
        types = [value.type for value in values]
        region = self._region(function, "async", types, _abi.CAPTURE_NONE)
        made = region.types[0] if region.results == 1 else Shape.tuple_of(region.types)
        result = Shape.tuple_of([Shape.tuple_of(types), made])
        started = self._add_regions("async-start", values, [region], _thread(execution_thread), result=result)[0]
        self._threads[started.number] = execution_thread
        return started

    def async_update(self, started: Value) -> Value:
        """A step between start and end."""
        thread = self._threads.get(started.number, "")
        updated = self._add("async-update", [started], _thread(thread), started.type)
        self._threads[updated.number] = thread
        return updated

    def async_done(self, started: Value) -> Value:
        """The result of what async_start() started; a tuple where the function gives several."""
        return self._add("async-done", [started], _thread(self._threads.get(started.number, "")))

    def scan(
        self,
        function: Function,
        inputs: "Operand | Sequence[Value]",
        inits: "Operand | Sequence[Value]",
        *,
        dimension: int = 0,
        is_reverse: bool = False,
        is_associative: "bool | None" = None,
    ) -> "tuple[Any, ...]":
        """XLA's operation scan: function(*slices of the inputs along the dim, *carries) gives outputs, then the next carries.

        The result is the outputs, stacked along the dim, then the last carries. The function uses no other values.
        """
        values, carries = self._operands(_listed(inputs)), self._operands(_listed(inits))
        slices = []
        for value in values:
            sizes = list(value._static())
            del sizes[dimension]
            slices.append(Shape.array(value.dtype, sizes))
        types = slices + [carry.type for carry in carries]
        region = self._region(function, "scan", types, _abi.CAPTURE_NONE, values + carries)
        attributes: "dict[str, Any]" = {"dimensions": [dimension], "num_carries": len(carries)}
        if is_reverse:
            attributes["is_reverse"] = True
        if is_associative is not None:
            attributes["is_associative"] = is_associative
        result = self._add_regions("scan", values + carries, [region], attributes)[0]
        return self._unpacked(result, region.weak)

    def _unpacked(self, result: Value, weak: "Sequence[bool]") -> "tuple[Value, ...]":
        """The elements of a tuple; whether they are weakly typed."""
        return tuple(self._typed(self.get_tuple_element(result, index=i), of) for i, of in enumerate(weak))

    # --- Modules ---------------------------------------------------------------

    def inline(self, module: Module, *arguments: Operand) -> Value:
        """A copy of a module's entry, with the arguments for its parameters; a tuple where it gives one."""
        values = self._operands(arguments)
        numbers = (ctypes.c_int64 * len(values))(*[value.number for value in values])
        location = self._here(sys._getframe(1))
        check(lib.indim_inline(self._handle, address(module, Module), numbers, len(values), location, self._made_ref))
        return self._value(self._made.value)
