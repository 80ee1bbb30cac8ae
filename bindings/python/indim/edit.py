# SPDX-License-Identifier: Apache-2.0
"""Editing: a module goes in, a changed one comes out; what no edit touches keeps its bytes."""

import ctypes
from typing import Any, Callable, Sequence, Union

from . import _abi
from ._library import Address, Handle, address, check, encoded, lib, made_handle, made_text, taken_diagnostics, warn
from ._refusal import NAME, OTHER_BUILDER, TYPE, VALUE, nearest, refused
from .attributes import Attributes
from .builder import Builder
from .errors import Error, NotFound, WrongType
from .graph import Computation, Instruction
from .modules import Module
from .shapes import Shape, ShapeLike, as_shape
from .values import Value


class Ref:
    """An instruction of an editor. It means the same through all edits."""

    __slots__ = ("editor", "number")

    def __init__(self, editor: "Editor", number: int) -> None:
        self.editor = editor
        self.number = number

    @property
    def instruction(self) -> "Instruction | None":
        """What it was in the module that went in, with its name, opcode and op_name; None: an edit added it."""
        graph = self.editor.module.graph
        return graph[self.number] if self.number < len(graph) else None

    @property
    def shape(self) -> Shape:
        """The recorded shape."""
        return Shape(made_handle(lib.indim_editor_shape, self.editor._handle, self.number))

    @property
    def operands(self) -> "list[Ref]":
        """The instructions whose values it takes."""
        return self.editor._refs(lib.indim_editor_operands, self.number)

    @property
    def users(self) -> "list[Ref]":
        """The instructions that take its value."""
        return self.editor._refs(lib.indim_editor_users, self.number)

    @property
    def callees(self) -> "list[int]":
        """The numbers of the computations that it calls."""
        return self.editor._numbers(lib.indim_editor_callees, self.number)

    @property
    def exists(self) -> bool:
        """Whether it is there and wasn't erased."""
        return bool(lib.indim_editor_exists(self.editor._handle, self.number))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ref) and other.editor is self.editor and other.number == self.number

    def __hash__(self) -> int:
        return hash((id(self.editor), self.number))

    def __repr__(self) -> str:
        known = self.instruction
        return f"<indim.Ref {self.number}: " + (f"{known.name} = {known.shape_text} {known.opcode}>" if known else "new>")


# An instruction of an editor, or one of the module that went in: its Instruction, its position, or its name.
RefLike = Union[Ref, Instruction, int, str]
# A computation: of the module that went in, its number, or its name. New ones have the numbers that calls gave.
ComputationLike = Union[Computation, int, str]


class Insertion(Builder):
    """A builder whose calls add instructions at a place of a module. It takes no parameters, and isn't built."""

    def __init__(self, editor: "Editor", handle: Address) -> None:
        Handle.__init__(self, handle)
        self.editor = editor
        self._start("xla")

    def use(self, instruction: RefLike) -> Value:
        """An instruction of the editor as a value of this builder."""
        number = self.editor.ref(instruction).number
        check(lib.indim_editor_use(self.editor._handle, self._handle, number, self._made_ref))
        return Value(self, self._made.value)


class Editor(Handle):
    """Changes a copy of a module, until finish() gives it.

        editor = module.edit()
        at = editor.after("dot.4")
        editor.replace_all_uses("dot.4", editor.insert(at, at.maximum(at.use("dot.4"), 0)))
        changed = editor.finish()

    A wrong edit raises and changes nothing.
    """

    _release = lib.indim_editor_release

    def __init__(self, module: Module) -> None:
        super().__init__(made_handle(lib.indim_editor_create, address(module, Module)))
        self.module = module
        self._made = ctypes.c_int64()
        self._made_ref = ctypes.byref(self._made)

    def ref(self, instruction: RefLike) -> Ref:
        """The Ref of an instruction, a position or a name. Raises NotFound for a name that isn't there."""
        if isinstance(instruction, Ref):
            if instruction.editor is not self:
                of = instruction.editor.module.name
                raise refused(OTHER_BUILDER, 0, repr(instruction), of, self.module.name, what="an edit", operand=0)
            return instruction
        if isinstance(instruction, Instruction):
            return Ref(self, instruction.position)
        if isinstance(instruction, str):
            try:
                return self._made_by(lib.indim_editor_find, *encoded(instruction))
            except NotFound:
                fix = nearest(instruction, self.module.graph.names)
                raise refused(NAME, repr(instruction), "instruction of the module", fix=fix, kind=NotFound) from None
        if not isinstance(instruction, int):
            fix = "editor.insert(at, value), which gives a Ref" if isinstance(instruction, Value) else ""
            raise refused(TYPE, "a Ref, an Instruction, a position or a name", type(instruction).__name__, fix=fix, kind=WrongType)
        return Ref(self, instruction)

    __getitem__ = ref

    def find_all(self, pattern: str) -> "list[Ref]":
        """The instructions that a pattern matches, "add(multiply(?a, ?b), ?c)" (docs/editing.md), in order. Raises InvalidArgument, with the
        column, for what is no pattern."""
        return self._found_by(lib.indim_editor_find_all, pattern)

    def find_near(self, pattern: str) -> "list[Ref]":
        """The instructions of the pattern's opcode that it doesn't match, in order."""
        return self._found_by(lib.indim_editor_find_near, pattern)

    def misfit(self, pattern: str, instruction: RefLike) -> str:
        """Why the pattern doesn't match the instruction: "%p.1 is no multiply". "": it does."""
        return made_text(lib.indim_editor_misfit, self._handle, *encoded(pattern), self._number(instruction))

    def _found_by(self, function: Any, pattern: str) -> "list[Ref]":
        text, size = encoded(pattern)
        count = ctypes.c_size_t()
        check(function(self._handle, text, size, None, 0, ctypes.byref(count)))
        array = (ctypes.c_int64 * count.value)()
        check(function(self._handle, text, size, array, count.value, ctypes.byref(count)))
        return [Ref(self, found) for found in array]

    def _number(self, instruction: RefLike) -> int:
        return self.ref(instruction).number

    def _made_by(self, function: Any, *arguments: Any) -> Ref:
        check(function(self._handle, *arguments, self._made_ref))
        return Ref(self, self._made.value)

    def _numbers(self, function: Any, number: int) -> "list[int]":
        count = ctypes.c_size_t()
        check(function(self._handle, number, None, 0, ctypes.byref(count)))
        array = (ctypes.c_int64 * count.value)()
        check(function(self._handle, number, array, count.value, ctypes.byref(count)))
        return list(array)

    def _refs(self, function: Any, number: int) -> "list[Ref]":
        return [Ref(self, found) for found in self._numbers(function, number)]

    def _array(self, instructions: "Sequence[RefLike]") -> Any:
        return (ctypes.c_int64 * len(instructions))(*[self._number(i) for i in instructions])

    def _computation(self, computation: "ComputationLike | None") -> int:
        if computation is None:
            return self.module.graph.entry.number
        if isinstance(computation, str):
            check(lib.indim_editor_find_computation(self._handle, *encoded(computation), self._made_ref))
            return self._made.value
        return computation.number if isinstance(computation, Computation) else computation

    def root(self, computation: "ComputationLike | None" = None) -> Ref:
        """The root; None: of the entry."""
        return self._made_by(lib.indim_editor_root, self._computation(computation))

    # --- Adding ----------------------------------------------------------------

    def before(self, instruction: RefLike) -> Insertion:
        """A builder that adds before an instruction."""
        return Insertion(self, made_handle(lib.indim_editor_insert_before, self._handle, self._number(instruction)))

    def after(self, instruction: RefLike) -> Insertion:
        """A builder that adds behind an instruction."""
        return Insertion(self, made_handle(lib.indim_editor_insert_after, self._handle, self._number(instruction)))

    def insert(self, at: Insertion, value: Value) -> Ref:
        """Puts what was recorded into the module. The result is what `value` became; the builder is done."""
        if getattr(value, "builder", None) is not at:
            fix = "at.use(ref), and calls of `at` and its values alone"
            raise refused(VALUE, "the value", "of another builder", "of this insertion", fix=fix)
        return self._made_by(lib.indim_editor_insert, address(at, Insertion), value.number)

    def clone(self, instruction: RefLike) -> Ref:
        """A copy of an instruction, beside it."""
        return self._made_by(lib.indim_editor_clone, self._number(instruction))

    def clone_computation(self, computation: ComputationLike, name: str = "") -> int:
        """The number of a copy; without a name it has the original's."""
        number = self._computation(computation)
        check(lib.indim_editor_clone_computation(self._handle, number, *encoded(name), self._made_ref))
        return self._made.value

    # --- Changing --------------------------------------------------------------

    def set_operand(self, instruction: RefLike, index: int, operand: RefLike) -> None:
        """Another operand at a place."""
        check(lib.indim_editor_set_operand(self._handle, self._number(instruction), index, self._number(operand)))

    def set_operands(self, instruction: RefLike, operands: "Sequence[RefLike]") -> None:
        """Other operands, all of them."""
        numbers = self._array(operands)
        check(lib.indim_editor_set_operands(self._handle, self._number(instruction), numbers, len(operands)))

    def set_callee(self, instruction: RefLike, index: int, computation: ComputationLike) -> None:
        """Another computation for an instruction to call."""
        number = self._computation(computation)
        check(lib.indim_editor_set_callee(self._handle, self._number(instruction), index, number))

    def set_attributes(self, instruction: RefLike, **attributes: Any) -> None:
        """All attributes, as HLO text has them: set_attributes(t, dimensions=[1, 0])."""
        given = Attributes.of("xla", attributes)
        check(lib.indim_editor_set_attributes(self._handle, self._number(instruction), ctypes.byref(given.raw)))

    def set_shape(self, instruction: RefLike, shape: ShapeLike) -> None:
        """The recorded shape, which isn't inferred."""
        of = as_shape(shape)
        check(lib.indim_editor_set_shape(self._handle, self._number(instruction), of._handle))

    def set_name(self, instruction: RefLike, name: str) -> None:
        """Another name."""
        check(lib.indim_editor_set_name(self._handle, self._number(instruction), *encoded(name)))

    def set_sharding(self, instruction: RefLike, sharding: bytes) -> None:
        """An OpSharding's bytes; b"": none."""
        check(lib.indim_editor_set_sharding(self._handle, self._number(instruction), bytes(sharding), len(sharding)))

    def set_metadata(self, instruction: RefLike, metadata: bytes) -> None:
        """An OpMetadata's bytes; b"": none."""
        check(lib.indim_editor_set_metadata(self._handle, self._number(instruction), bytes(metadata), len(metadata)))

    def set_frontend_attribute(self, instruction: RefLike, key: str, text: str) -> None:
        """An entry of frontend_attributes, new or changed."""
        check(
            lib.indim_editor_set_frontend_attribute(
                self._handle, self._number(instruction), *encoded(key), *encoded(text)
            )
        )

    def replace_all_uses(self, instruction: RefLike, replacement: RefLike) -> None:
        """Every user of an instruction takes the replacement."""
        check(lib.indim_editor_replace_all_uses(self._handle, self._number(instruction), self._number(replacement)))

    def set_root(self, instruction: RefLike, computation: "ComputationLike | None" = None) -> None:
        """Another root of a computation; None: the entry."""
        number = self._computation(computation)
        check(lib.indim_editor_set_root(self._handle, number, self._number(instruction)))

    def set_entry(self, computation: ComputationLike) -> None:
        """Aliases, layout and shardings of the old entry are dropped."""
        check(lib.indim_editor_set_entry(self._handle, self._computation(computation)))

    def erase(self, instruction: RefLike) -> None:
        """Removes an instruction that nobody uses."""
        check(lib.indim_editor_erase(self._handle, self._number(instruction)))

    def add_parameter(self, shape: ShapeLike, name: str = "", computation: "ComputationLike | None" = None) -> Ref:
        """A parameter more, the last one."""
        of = as_shape(shape)
        return self._made_by(
            lib.indim_editor_add_parameter, self._computation(computation), of._handle, *encoded(name)
        )

    def remove_parameter(self, number: int, computation: "ComputationLike | None" = None) -> None:
        """Removes a parameter that nobody uses."""
        check(lib.indim_editor_remove_parameter(self._handle, self._computation(computation), number))

    def add_result(self, instruction: RefLike, computation: "ComputationLike | None" = None) -> Ref:
        """Adds to the root, a tuple; the result is the root."""
        number = self._computation(computation)
        return self._made_by(lib.indim_editor_add_result, number, self._number(instruction))

    def remove_result(self, index: int, computation: "ComputationLike | None" = None) -> None:
        """Removes an element of the root, a tuple."""
        check(lib.indim_editor_remove_result(self._handle, self._computation(computation), index))

    def inline_call(self, call: RefLike) -> Ref:
        """Puts the called computation in the place of a call."""
        return self._made_by(lib.indim_editor_inline_call, self._number(call))

    def outline(self, instructions: "Sequence[RefLike]", name: str = "") -> Ref:
        """Moves instructions of one computation into a new one; the result calls it."""
        return self._made_by(lib.indim_editor_outline, self._array(instructions), len(instructions), *encoded(name))

    def extract(
        self, results: "Sequence[RefLike]", *, inputs: "Sequence[RefLike]" = (), keep_parameters: bool = False
    ) -> None:
        """Reduces the module to what computes `results`, instructions of one computation. `inputs` become parameters."""
        given = self._array(inputs)
        options = _abi.indim_extract_options(
            inputs=ctypes.addressof(given), input_count=len(inputs), keep_parameters=keep_parameters
        )
        numbers = self._array(results)
        check(lib.indim_editor_extract(self._handle, numbers, len(results), ctypes.byref(options)))

    def run_pass(self, name: str) -> int:
        """ "dead-code", "common-subexpressions", "fold-constants" or "inline-calls"; how many instructions it changed."""
        check(lib.indim_editor_pass(self._handle, *encoded(name), self._made_ref))
        return self._made.value

    def finish(self) -> Module:
        """The changed module. The editor can only look then. Warnings go to Python's, as those of Builder.build()."""
        found = ctypes.c_void_p()
        module = Module(made_handle(_finish, self._handle, ctypes.byref(found)))
        warn(taken_diagnostics(found.value))
        return module


def _finish(handle: int, found: Any, module: Any) -> Any:
    return lib.indim_editor_finish(handle, module, found)


_FAILS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)


def reduce(module: Module, fails: "Callable[[Module], Any]", *, max_tests: int = 0) -> Module:
    """The smallest module on which `fails`, a function of a module, stays true; it must be true of `module`.

        smaller = indim.reduce(module, lambda m: b"Shape mismatch" in compile_it(m))

    A module that `fails` is given may be used in it only. What `fails` raises ends the reduction. `max_tests` (0: 10000) ends it
    early.
    """
    raised: "list[BaseException]" = []

    def call(_context: "int | None", handle: "int | None") -> int:
        if raised or handle is None:
            return 0
        smaller = Module(Address(handle))
        try:
            return 1 if fails(smaller) else 0
        except BaseException as error:  # a callback has no caller in Python
            raised.append(error)
            return 0
        finally:
            smaller._handle = None  # the library's

    callback = _FAILS(call)
    options = _abi.indim_reduce_options(fails=ctypes.cast(callback, ctypes.c_void_p).value, max_tests=max_tests)
    try:
        smallest = made_handle(_reduce, address(module, Module), ctypes.byref(options))
    except Error:
        if raised:
            raise raised[0] from None
        raise
    result = Module(smallest)
    if raised:
        raise raised[0]
    return result


def _reduce(handle: int, options: Any, module: Any) -> Any:
    return lib.indim_reduce(handle, options, module, None, None)


__all__ = ["ComputationLike", "Editor", "Insertion", "Ref", "RefLike", "reduce"]
