# SPDX-License-Identifier: Apache-2.0
"""The instructions of a module, to be walked: they cross the border all at once, as columns."""

import ctypes
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from . import _abi
from ._library import bytes_of, check, lib, made_bytes, made_handle, made_text, text_of
from ._names import Named
from ._refusal import NAME, TYPE, VALUE, nearest, refused
from ._wire import fields
from .errors import NotFound, OutOfRange, WrongType
from .literals import Literal
from .shapes import Shape

if TYPE_CHECKING:
    from .modules import Module


# The number of OpMetadata.op_name.
_OP_NAME = 2


def _numbers(kind: Any, address: "int | None", count: int) -> "list[int]":
    if not address or count <= 0:
        return []
    return list((kind * count).from_address(address))


class Graph(Named):
    """All instructions of a module, by position: computation by computation, callees first, operands before users.

    The lists are the fast way: opcodes, names, operand_first and operands. The objects (instruction(), iteration) are made when
    they are asked for.
    """

    def __init__(self, module: "Module") -> None:
        self._module = module
        handle = made_handle(lib.indim_module_columns, module._handle)
        try:
            self._copy(handle)
        finally:
            lib.indim_columns_release(handle)

    def _copy(self, handle: int) -> None:
        view = _abi.indim_columns_view()
        check(lib.indim_columns_get(handle, ctypes.byref(view)))
        instructions, computations = view.instruction_count, view.computation_count
        i32, i64 = ctypes.c_int32, ctypes.c_int64
        # Computation c has the instructions from computation_first[c] to computation_first[c + 1] - 1.
        self.computation_first = _numbers(i64, view.computation_first, computations + 1)
        self.roots = _numbers(i64, view.computation_root, computations)
        self.ids = _numbers(i64, view.id, instructions)
        opcodes = _numbers(i32, view.opcode, instructions)
        names = {number: text_of(lib.indim_opcode_name, number) for number in set(opcodes)}
        # "add", ...; "" for an operation that Indim doesn't know.
        self.opcodes = [names[number] for number in opcodes]
        # The operands of i are operands[operand_first[i]:operand_first[i + 1]]; callees likewise.
        self.operand_first = _numbers(i64, view.operand_first, instructions + 1)
        self.operands = _numbers(i64, view.operand, self.operand_first[-1] if self.operand_first else 0)
        self.callee_first = _numbers(i64, view.callee_first, instructions + 1)
        self.callees = _numbers(i64, view.callee, self.callee_first[-1] if self.callee_first else 0)
        self.names = _texts(_numbers(i64, view.name_first, instructions + 1), view.names)
        self.computation_names = _texts(_numbers(i64, view.computation_name_first, computations + 1), view.computation_names)
        # Numbers of shapes; -1: none.
        self.shape_numbers = _numbers(i32, view.shape, instructions)
        self.shape_texts = [text_of(lib.indim_columns_shape_text, handle, number) for number in range(view.shape_count)]
        self._entry: int = view.entry

    def __len__(self) -> int:
        return len(self.opcodes)

    def __iter__(self) -> "Iterator[Instruction]":
        return (Instruction(self, position) for position in range(len(self)))

    def __getitem__(self, position: int) -> "Instruction":
        if isinstance(position, str):
            raise refused(TYPE, "a position", repr(position), fix=f"graph.find({position!r})", kind=WrongType)
        return self.instruction(position)

    def instruction(self, position: int) -> "Instruction":
        """The instruction at a position, of which there are len(graph)."""
        if not 0 <= position < len(self):
            raise refused(VALUE, "position", position, f"in 0..{len(self) - 1}", kind=OutOfRange)
        return Instruction(self, position)

    def find(self, name: str) -> "Instruction":
        """The first instruction of that name. Raises NotFound."""
        try:
            return Instruction(self, self.names.index(name))
        except ValueError:
            fix = nearest(name, self.names, 'graph.find("{}")')
            raise refused(NAME, repr(name), "instruction of the module", fix=fix, kind=NotFound) from None

    @property
    def computations(self) -> "list[Computation]":
        """All of them, callees first."""
        return [Computation(self, number) for number in range(len(self.roots))]

    @property
    def entry(self) -> "Computation":
        """The computation that runs."""
        return Computation(self, self._entry)


def _texts(first: "list[int]", address: "int | None") -> "list[str]":
    if not first:
        return []
    data = ctypes.string_at(address, first[-1]) if address else b""
    text = data.decode("utf-8", "surrogateescape")
    if len(text) == len(data):
        return [text[begin:end] for begin, end in zip(first, first[1:])]
    return [data[begin:end].decode("utf-8", "surrogateescape") for begin, end in zip(first, first[1:])]


class Computation(Named):
    """A computation of a graph."""

    __slots__ = ("graph", "number")

    def __init__(self, graph: Graph, number: int) -> None:
        self.graph = graph
        self.number = number

    @property
    def name(self) -> str:
        """The name, "main"."""
        return self.graph.computation_names[self.number]

    @property
    def positions(self) -> range:
        """Those of its instructions in the graph."""
        first = self.graph.computation_first
        return range(first[self.number], first[self.number + 1])

    def __iter__(self) -> "Iterator[Instruction]":
        return (Instruction(self.graph, position) for position in self.positions)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def root(self) -> "Instruction":
        """The instruction whose value is the result."""
        return Instruction(self.graph, self.graph.roots[self.number])

    @property
    def parameters(self) -> "list[Instruction]":
        """By their numbers."""
        found = [position for position in self.positions if self.graph.opcodes[position] == "parameter"]
        return sorted((Instruction(self.graph, position) for position in found), key=lambda i: i.parameter_number)

    def __repr__(self) -> str:
        return f"<indim.Computation {self.name}, {len(self)} instructions>"


class Instruction(Named):
    """An instruction of a graph."""

    __slots__ = ("graph", "position")

    def __init__(self, graph: Graph, position: int) -> None:
        self.graph = graph
        self.position = position

    @property
    def name(self) -> str:
        """The name, "dot.4"."""
        return self.graph.names[self.position]

    @property
    def opcode(self) -> str:
        """The operation, "add"; "": Indim doesn't know it."""
        return self.graph.opcodes[self.position]

    @property
    def id(self) -> int:
        """XLA's number of it, which is its own in the module."""
        return self.graph.ids[self.position]

    @property
    def shape(self) -> Shape:
        """The recorded shape; its kind is "none" where there is none."""
        return Shape(made_handle(lib.indim_instruction_shape, self._module, self.position))

    @property
    def shape_text(self) -> str:
        """The text of the shape, without a call; "": none."""
        number = self.graph.shape_numbers[self.position]
        return self.graph.shape_texts[number] if number >= 0 else ""

    @property
    def operands(self) -> "list[Instruction]":
        """The instructions whose values it takes."""
        first = self.graph.operand_first
        positions = self.graph.operands[first[self.position] : first[self.position + 1]]
        return [Instruction(self.graph, position) for position in positions]

    @property
    def callees(self) -> "list[Computation]":
        """The computations that it calls."""
        first = self.graph.callee_first
        return [Computation(self.graph, n) for n in self.graph.callees[first[self.position] : first[self.position + 1]]]

    @property
    def attributes(self) -> str:
        """HLO text: "dimensions={0,1}"."""
        return made_text(lib.indim_instruction_attributes, self._module, self.position)

    @property
    def parameter_number(self) -> int:
        """The number of a parameter. Raises InvalidArgument for others."""
        if self.opcode != "parameter":
            raise refused(NAME, self.name, f"parameter, but a {self.opcode}", fix="computation.parameters")
        text = str(self)
        return int(text[text.rindex("parameter(") + len("parameter(") :].split(")", 1)[0])

    @property
    def literal(self) -> Literal:
        """The value of a constant. Raises NotFound for others."""
        return Literal(made_handle(lib.indim_instruction_literal, self._module, self.position))

    @property
    def metadata(self) -> bytes:
        """The OpMetadata, serialized; b"": none."""
        return made_bytes(lib.indim_instruction_metadata, self._module, self.position)

    @property
    def op_name(self) -> str:
        """The name in its metadata, "jit(f)/attention/mul"; "": none."""
        named = (value for number, value, _ in fields(self.metadata) if number == _OP_NAME)
        return b"".join(named).decode("utf-8", "replace")

    @property
    def location(self) -> "tuple[str, int] | None":
        """The source file and line in its metadata."""
        line = ctypes.c_int64()
        file = ctypes.c_void_p()
        check(lib.indim_instruction_location(self._module, self.position, ctypes.byref(file), ctypes.byref(line)))
        name = bytes_of(file.value).decode("utf-8", "replace")
        return (name, line.value) if line.value else None

    @property
    def _module(self) -> Any:
        return self.graph._module._handle

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instruction) and other.graph is self.graph and other.position == self.position

    def __hash__(self) -> int:
        return hash((id(self.graph), self.position))

    def __str__(self) -> str:
        return made_text(lib.indim_instruction_text, self._module, self.position)

    def __repr__(self) -> str:
        return f"<indim.Instruction {self.name} = {self.shape_text} {self.opcode}>"


__all__: "Sequence[str]" = ["Computation", "Graph", "Instruction"]
