# SPDX-License-Identifier: Apache-2.0
"""Modules: reading, writing, checking, computing."""

import ctypes
import json
import os
from typing import Any, Iterable, Mapping, Sequence, Union

from . import _abi
from ._library import (
    Address,
    Handle,
    address,
    caller,
    check,
    encoded,
    handles_array,
    lib,
    made_bytes,
    made_handle,
    made_text,
    taken_diagnostics,
    text_of,
    texts_array,
    warn,
)
from ._refusal import COUNT, NAME, REFUSED, TYPE, counted, nearest, refused
from .costs import COST_KEYS, CostReport, ModuleStatistics, cost_of, statistics_of
from .errors import Diagnostic, InvalidArgument, WrongType
from .graph import Graph, Instruction
from .literals import ArrayLike, Literal, literal_like
from .shapes import Shape

_FORMATS = {
    "auto": _abi.FORMAT_AUTO,
    "pb": _abi.FORMAT_PROTO,
    "pbtxt": _abi.FORMAT_PROTO_TEXT,
    "hlo": _abi.FORMAT_HLO_TEXT,
    "stablehlo": _abi.FORMAT_STABLEHLO,
    "stablehlo_artifact": _abi.FORMAT_STABLEHLO_ARTIFACT,
}

# How paths of modules end; no text of a module of one line does.
_EXTENSIONS = ("pb", "pbtxt", "textproto", "hlo", "txt", "mlir", "mlirbc")

_LOOPS = {
    "residuals": _abi.LOOP_RESIDUALS,
    "states": _abi.LOOP_STATES,
    "segments": _abi.LOOP_SEGMENTS,
    "nothing": _abi.LOOP_NOTHING,
}


def _format(name: str) -> int:
    try:
        return _FORMATS[name]
    except KeyError:
        raise refused(NAME, repr(name), "format", fix=nearest(str(name), _FORMATS, 'format="{}"')) from None


Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]


def read(
    source: Source,
    *,
    format: str = "auto",
    symbols: bool = False,
    allow_elided_constants: bool = False,
    name: str = "",
) -> "Module":
    """Reads a file, or the bytes of one: .pb, .pbtxt, HLO text, StableHLO text or a portable artifact, told apart by content.

    `symbols` lets sizes of HLO text have names; `name` is what errors call bytes. A text that is a module rather than a path is
    parse()'s.
    """
    called = ctypes.create_string_buffer(name.encode("utf-8"))
    options = _abi.indim_read_options(
        format=_format(format),
        symbols=symbols,
        allow_elided_constants=allow_elided_constants,
        name=ctypes.addressof(called),
        name_size=len(called) - 1,
    )
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        return Module(made_handle(lib.indim_module_read, data, len(data), ctypes.byref(options)))
    if isinstance(source, str) and "\n" in source:
        raise refused(TYPE, "the path of a file or its bytes", f"the text {source[:20]!r}...", fix="indim.parse(text)", kind=WrongType)
    path = os.fsencode(source)
    return Module(made_handle(lib.indim_module_read_file, path, len(path), ctypes.byref(options)))


def parse(text: str, *, symbols: bool = True) -> "Module":
    """A module of its text: HLO, StableHLO or protobuf's."""
    if isinstance(text, (bytes, bytearray, memoryview)):
        raise refused(TYPE, "a text", "bytes", fix="indim.read(data)", kind=WrongType)
    if "\n" not in text and text.rpartition(".")[2] in _EXTENSIONS:
        raise refused(TYPE, "the text of a module", f"the path {text!r}", fix=f"indim.read({text!r})", kind=WrongType)
    return read(text.encode("utf-8"), symbols=symbols, name="text")


class Report(tuple["Diagnostic", ...]):
    """What a check found: a tuple of diagnostics, which is true where the module is right. Its text begins with the line that
    `indim check` prints."""

    _counts: "dict[str, int] | None" = None
    _module: "Module | None" = None

    @property
    def counts(self) -> "dict[str, int]":
        """How many instructions there are, and how many were "inferred", "related", left "unchecked" and "broadcastable"; docs/broadcastable.md
        says what these are. Empty for a report that no check made."""
        if self._counts is None and self._module is not None:
            self._counts = self._module._counts()
        return self._counts or {}

    @property
    def errors(self) -> "tuple[Diagnostic, ...]":
        """The diagnostics that are errors."""
        return tuple(d for d in self if d.severity == "error")

    @property
    def warnings(self) -> "tuple[Diagnostic, ...]":
        """The diagnostics that are warnings."""
        return tuple(d for d in self if d.severity == "warning")

    @property
    def ok(self) -> bool:
        """Whether the module is right: there may be warnings, and no errors."""
        return not self.errors

    def raise_for_errors(self) -> None:
        """Raises InvalidArgument unless the module is right."""
        if not self.ok:
            raise InvalidArgument("\n".join(str(d) for d in self.errors), 3, tuple(self), caller()[:2])

    def _summary(self) -> str:
        words = "ok" if self.ok else _counted(len(self.errors), "error")
        if self.warnings:
            words += f" with {_counted(len(self.warnings), 'warning')}" if self.ok else f", {_counted(len(self.warnings), 'warning')}"
        counts = self.counts
        if not counts:
            return words
        by_kind = ", ".join(f"{counts[kind]} {kind}" for kind in ("inferred", "related", "unchecked"))
        return f"{words}: {_counted(counts['instructions'], 'instruction')}: {by_kind}; {counts['broadcastable']} broadcastable"

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join([self._summary(), *(str(d).rstrip() for d in self)])

    def __repr__(self) -> str:
        return f"<indim.Report {self._summary()}>"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Module(Handle):
    """An HLO module. It never changes: what changes it gives another one."""

    __slots__ = ("_graph",)
    _release = lib.indim_module_release
    _comes_from = "indim.read, indim.parse, indim.build or indim.from_jax"

    def __init__(self, handle: Address) -> None:
        super().__init__(handle)
        self._graph: "Graph | None" = None

    # --- Writing ---------------------------------------------------------------

    def to_bytes(self, *, for_xla: bool = False) -> bytes:
        """The HloModuleProto; `for_xla`: as XLA compiles it: inferred, checked, without implicit broadcasts."""
        options = _abi.indim_write_options(format=_abi.FORMAT_PROTO, for_xla=for_xla)
        return made_bytes(lib.indim_module_write, self._handle, ctypes.byref(options))

    def to_text(self, *, for_xla: bool = False, elide_constants: bool = False) -> str:
        """HLO text, as XLA prints it."""
        options = _abi.indim_write_options(format=_abi.FORMAT_HLO_TEXT, for_xla=for_xla, elide_constants=elide_constants)
        return made_text(lib.indim_module_write, self._handle, ctypes.byref(options))

    def to_pbtxt(self) -> str:
        """Protobuf's text."""
        options = _abi.indim_write_options(format=_abi.FORMAT_PROTO_TEXT)
        return made_text(lib.indim_module_write, self._handle, ctypes.byref(options))

    def to_stablehlo(self, *, generic: bool = False, locations: bool = False) -> str:
        """StableHLO as MLIR text; `generic`: the form that every release of MLIR reads."""
        options = _abi.indim_write_options(format=_abi.FORMAT_STABLEHLO, generic=generic, locations=locations)
        return made_text(lib.indim_module_write, self._handle, ctypes.byref(options))

    def to_stablehlo_artifact(self, release: str = "") -> bytes:
        """A portable artifact, for the release "1.10.0" or, without one, for one of 12 weeks ago."""
        options = _abi.indim_write_options(format=_abi.FORMAT_STABLEHLO_ARTIFACT)
        data = ctypes.create_string_buffer(release.encode("utf-8"))
        options.release, options.release_size = ctypes.addressof(data), len(data) - 1
        return made_bytes(lib.indim_module_write, self._handle, ctypes.byref(options))

    def write(self, path: "str | os.PathLike[str]", *, format: str = "auto", for_xla: bool = False) -> None:
        """Writes a file of the format of its name: .pb, .pbtxt, .hlo, .mlir, .mlirbc."""
        options = _abi.indim_write_options(format=_format(format), for_xla=for_xla)
        name = os.fsencode(path)
        check(lib.indim_module_write_file(self._handle, name, len(name), ctypes.byref(options)))

    # --- Checking and changing -------------------------------------------------

    def check(self, *, max_per_code: int = 0) -> Report:
        """Infers every instruction again and compares. `max_per_code` diagnostics of each code are kept; 0: 20, -1: all.

        A wrong module doesn't raise here: `if not module.check().ok`, or `module.check().raise_for_errors()`.
        """
        options = _abi.indim_check_options(max_per_code=max_per_code)
        found = made_handle(lib.indim_module_check, self._handle, ctypes.byref(options))
        report = Report(taken_diagnostics(found))
        report._module = self
        return report

    def _counts(self) -> "dict[str, int]":
        options = _abi.indim_check_options(max_per_code=1)
        found = json.loads(made_bytes(lib.indim_module_check_json, self._handle, *encoded(self.name), ctypes.byref(options)))
        return {kind: found[kind] for kind in ("instructions", "inferred", "related", "unchecked", "broadcastable")}

    def infer(self, *settings: str, drop: bool = False, only_missing: bool = False, **sizes: "int | str") -> "Module":
        """The module with inferred shapes. infer(n=8) gives a named size its value; so do texts: "x=f32[8,128]", "n>=1".

        `drop` forgets first what can be inferred; `only_missing` infers only what has no shape. Raises InvalidArgument with the
        diagnostics of a module that isn't right.
        """
        given = [*settings, *(f"{name}={value}" for name, value in sizes.items())]
        if given:
            if drop or only_missing:
                fix = "module.infer(drop=True).infer(n=8)"
                raise refused(REFUSED, "settings infer everything again, without drop and only_missing", fix=fix)
            texts, _keep = texts_array(given)
            return Module(made_handle(lib.indim_module_refine, self._handle, texts, len(given)))
        options = _abi.indim_infer_options(drop=drop, only_missing=only_missing)
        return Module(made_handle(lib.indim_module_infer, self._handle, ctypes.byref(options)))

    def expand(self) -> "Module":
        """The module that XLA compiles: shapes inferred, broadcasts explicit, layouts set."""
        return Module(made_handle(lib.indim_module_expand, self._handle))

    def gradient(
        self,
        wrt: "int | str | Sequence[int | str] | None" = None,
        *,
        loops: str = "residuals",
        loop_bound: int = 0,
        conjugate: bool = False,
    ) -> "Module":
        """The module of the gradients by the parameters of these names or numbers; None: by all of floats and complex numbers. It takes the
        parameters, then a cotangent for each result of floats or complex numbers (docs/gradients.md).

        `loops` is what a loop keeps of its steps: "residuals", "states", "segments", "nothing"; `loop_bound` how many steps one is
        prepared for whose number of steps isn't known: if it runs longer, its gradients are NaN. With `conjugate` gradients of complex
        parameters, and cotangents that come in, are conjugated, as in PyTorch; else they are jax's.

        A gradient that is known to be zero is an IndimWarning, which says why.
        """
        if loops not in _LOOPS:
            raise refused(NAME, repr(loops), "memory of loops", fix=nearest(str(loops), _LOOPS, 'loops="{}"'))
        return self._derivative(wrt, loop_memory=_LOOPS[loops], loop_bound=loop_bound, conjugate=conjugate)

    def tangents(self, wrt: "int | str | Sequence[int | str] | None" = None) -> "Module":
        """The module of the results' tangents: it takes the parameters, then a tangent for each one of `wrt`."""
        return self._derivative(wrt, forward=True)

    def _derivative(self, wrt: "int | str | Sequence[int | str] | None", **how: int) -> "Module":
        words = [] if wrt is None else [wrt] if isinstance(wrt, (int, str)) else list(wrt)
        given = [word if isinstance(word, int) else self._parameter_number(word) for word in words]
        numbers = (ctypes.c_int64 * len(given))(*given)
        options = _abi.indim_derivative_options(**how)
        found = ctypes.c_void_p()
        arguments = self._handle, numbers, len(given), ctypes.byref(options)
        made = made_handle(lambda derivative: lib.indim_module_derivative(*arguments, derivative, ctypes.byref(found)))
        warn(taken_diagnostics(found.value))
        return Module(made)

    def _parameter_number(self, name: str) -> int:
        names = [parameter.name for parameter in self.graph.entry.parameters]
        if name not in names:
            raise refused(NAME, repr(name), "parameter of the module", fix=nearest(str(name), names, 'wrt="{}"'))
        return names.index(name)

    def diff(self, other: "Module") -> str:
        """A unified diff; "": only names, ids, metadata and order differ, or which of equal instructions is used where, which fingerprint()
        tells apart."""
        return made_text(lib.indim_module_diff, self._handle, address(other, Module))

    def fingerprint(self) -> str:
        """One value for all modules that differ in names, ids, order and metadata alone."""
        return made_text(lib.indim_module_fingerprint, self._handle)

    def compare(self, other: "Module", *, layouts: bool = False) -> "tuple[bool, str]":
        """Whether both have the same fingerprint, with or without the layouts of shapes and of the entry; and the diff."""
        options = _abi.indim_compare_options(layouts=layouts)
        same = ctypes.c_int32()
        text = made_text(lib.indim_module_compare, self._handle, address(other, Module), ctypes.byref(options), ctypes.byref(same))
        return bool(same.value), text

    def edit(self) -> "Any":
        """An Editor (edit.py) of this module."""
        from .edit import Editor

        return Editor(self)

    # --- Looking ---------------------------------------------------------------

    @property
    def name(self) -> str:
        """The module's name."""
        return text_of(lib.indim_module_name, self._handle)

    @property
    def is_recorded(self) -> bool:
        """Whether it is a recorded graph, whose broadcasts may be implicit."""
        return bool(lib.indim_module_is_recorded(self._handle))

    @property
    def graph(self) -> Graph:
        """All instructions and computations, fetched at once."""
        if self._graph is None:
            self._graph = Graph(self)
        return self._graph

    @property
    def parameters(self) -> "tuple[Shape, ...]":
        """The shapes of the entry's parameters."""
        return tuple(instruction.shape for instruction in self.graph.entry.parameters)

    @property
    def result(self) -> Shape:
        """The shape of the entry's result."""
        return self.graph.entry.root.shape

    def find_all(self, pattern: str) -> "list[Instruction]":
        """The instructions that a pattern matches, "dot: bf16[*,1024]" (docs/editing.md), in order: what `indim list` lists."""
        return [self.graph[found.number] for found in self.edit().find_all(pattern)]

    def stats(self) -> ModuleStatistics:
        """What is in the module: what `indim stats` tells."""
        return statistics_of(self._handle)

    def cost(self, *, by: str = "instruction", branches: "Mapping[str, Sequence[float]] | None" = None) -> CostReport:
        """What it computes and moves, and its peak memory: what `indim cost` tells. Rows are put together `by` "instruction", "opcode",
        "line" of the source, "scope", "layer" or "computation"; `branches` are how often a conditional takes each of its branches, by its name.
        """
        if by not in COST_KEYS:
            raise refused(NAME, repr(by), "key of costs", fix=nearest(str(by), COST_KEYS, 'by="{}"'))
        return cost_of(self._handle, by, branches or {})

    def __len__(self) -> int:
        """The number of instructions."""
        count: int = lib.indim_module_instruction_count(self._handle)
        return count

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return self.to_text(elide_constants=True)

    def __repr__(self) -> str:
        return f"<indim.Module {self.name}, {len(self)} instructions>"

    def __reduce__(self) -> "tuple[Any, ...]":
        return read, (self.to_bytes(),)

    # --- Computing -------------------------------------------------------------

    def literals(self, arguments: "Iterable[ArrayLike]") -> "list[Literal]":
        """A literal for each parameter: numbers and lists get its element type."""
        given = list(arguments)
        literals = [argument for argument in given if isinstance(argument, Literal)]
        if given and len(literals) == len(given):
            return literals
        shapes = self.parameters
        if len(shapes) != len(given):
            takes = "1 argument" if len(shapes) == 1 else f"{len(shapes)} arguments"
            of = ", ".join(f"{p.name}: {p.shape_text}" for p in self.graph.entry.parameters[:12])
            names = ", ".join(p.name for p in self.graph.entry.parameters[:12])
            said = f"{self.name} takes {takes} ({of})" if of else f"{self.name} takes none"
            raise refused(COUNT, said, counted(len(given), "argument"), fix=f"module.eval({names})" if of else "", kind=WrongType)
        return [literal_like(argument, shape) for argument, shape in zip(given, shapes)]

    def eval(self, *arguments: ArrayLike, max_steps: int = 0, max_bytes: int = 0) -> Any:
        """The result, by the reference evaluator, which is simple rather than fast: a numpy array, or a tuple of them."""
        literals = self.literals(arguments)
        options = _abi.indim_eval_options(max_steps=max_steps, max_bytes=max_bytes)
        array = handles_array([literal._handle or 0 for literal in literals])
        result = made_handle(lib.indim_evaluate, self._handle, array, len(literals), ctypes.byref(options))
        return Literal(result).value()

    def run(self, *arguments: ArrayLike, plugin: str = "cpu") -> Any:
        """The result, computed by XLA through a PJRT plugin: "cpu", "cuda", "tpu" or the path of a library.

        Sizes that the module leaves open are those of the arguments. It compiles at every call; plugins.Client and its compile() are
        for more than one run.
        """
        from .plugins import client

        refined = self._refined_for(arguments)
        return client(plugin).compile(refined)(*arguments)

    def _refined_for(self, arguments: "Sequence[ArrayLike]") -> "Module":
        """The module whose open sizes are those of the arguments."""
        literals = self.literals(arguments)
        array = handles_array([literal._handle or 0 for literal in literals])
        return Module(made_handle(lib.indim_module_refine_for, self._handle, array, len(literals)))


__all__ = ["Module", "Report", "encoded", "parse", "read"]
